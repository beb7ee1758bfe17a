#include "core/ops/extreme.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/extreme.h"
#include "core/kernels/lines.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/op_reduce.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void check_not_empty(const char* op, const Shape& in, const Shape& dims, const Shape& out) {
  if (in.numel() > 0 || out.numel() == 0) return;
  for (const int64_t d : dims)
    if (in[static_cast<size_t>(d)] == 0)
      throw IndexError(
          str(op, "(): Expected reduction dim ", d, " to have non-zero size, the shape is ", in));
}

template <int Results>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape sizes = reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(1));
  check_not_empty(out.op(), in[0]->sizes, attrs.list(0), sizes);
  for (int i = 0; i < Results; ++i) out.add(sizes, in[0]->dtype);
}
template <int Results>
std::string rule(Metas in, const Attrs& attrs) {
  return Results == 1 ? reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(1))
                      : whole_reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(1), Results);
}
template <cpu::Reduce F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_reduce(stream, "max", F, out[0], in[0], attrs.list(0));
}
void both_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  Tensor holder;
  const cpu::ReduceArgs args = reduce_args(stream, in[0], attrs.list(0), holder);
  const auto size = static_cast<int64_t>(in[0].element_size());
  const int64_t row = std::max<int64_t>(args.count * args.inner, 1);
  stream.parallel_for(
      args.outer, std::max<int64_t>(32768 / row, 1), [&](int64_t begin, int64_t end) {
        cpu::ReduceArgs part = args;
        part.outer = end - begin;
        part.in = static_cast<const char*>(args.in) + begin * args.outer_stride * size;
        const int64_t at = begin * args.inner * size;
        part.out = static_cast<char*>(out[0].data_ptr()) + at;
        OA_REQUIRE(cpu::min_max(in[0].dtype(), part, static_cast<char*>(out[1].data_ptr()) + at),
                   "aminmax: has no meaning for ", name_of(in[0].dtype()));
      });
}

// The gradient of an extreme value, shared among the elements that have it.
Tensor shared(const Tensor& gradient, const Tensor& x, const Tensor& extreme, const Shape& dims) {
  const Tensor hit = to(eq(x, spread(extreme, x.sizes(), dims)), x.dtype());
  const Tensor share = dims.empty() ? hit : div(hit, sum(hit, dims, true));
  return mul(share, spread(gradient, x.sizes(), dims));
}
void vjp(VjpCall& call) {
  call.set(0, shared(call.grad(), call.input(0), call.output(), call.attrs().list(0)));
}
void both_vjp(VjpCall& call) {
  Tensor total;
  for (int r = 0; r < 2; ++r) {
    const Tensor gradient = call.grad(static_cast<size_t>(r));
    if (!gradient.defined()) continue;
    const Tensor part = shared(gradient, call.input(0), call.output(r), call.attrs().list(0));
    total = total.defined() ? add(total, part) : part;
  }
  if (total.defined()) call.set(0, total);
}

Samples samples() {
  return {{{distinct({3, 4})}, dims_attrs({0}, false)},
          {{distinct({2, 3, 4})}, dims_attrs({1}, true)},
          {{distinct({2, 3, 4})}, dims_attrs({0, 2}, false)},
          {{ints({3, 4}, -9, 9, DType::kInt16)}, dims_attrs({1}, false)},
          {{distinct({2, 70})}, dims_attrs({0, 1}, false)},
          {{normal({})}, dims_attrs({}, false)}};
}
Samples both_samples() {
  return {{{distinct({3, 4})}, dims_attrs({0}, false)},
          {{distinct({2, 3, 4})}, dims_attrs({1}, true)},
          {{ints({3, 4}, -9, 9)}, dims_attrs({0, 1}, false)}};
}

template <cpu::Reduce F>
constexpr Op extreme_op(const char* name, Reduce reduce) {
  return {.name = name,
          .attrs = kDimsAttrs,
          .infer = infer<1>,
          .rule = {.reduce = reduce, .generate = rule<1>},
          .saves = saves_input(0) | saves_output(),
          .flops = reduce_flops,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}
constinit const Op kMax = extreme_op<cpu::Reduce::kMax>("amax", Reduce::kMax);
constinit const Op kMin = extreme_op<cpu::Reduce::kMin>("amin", Reduce::kMin);
constinit const Op kBoth = {.name = "aminmax",
                            .attrs = kDimsAttrs,
                            .infer = infer<2>,
                            .rule = {.generate = rule<2>},
                            .saves = saves_input(0) | saves_output(0) | saves_output(1),
                            .flops = reduce_flops,
                            .vjp = both_vjp,
                            .kernels = {both_kernel},
                            .samples = both_samples};

// Along one dimension, with the index.
Shape line_sizes(const char* op, Metas in, const Attrs& attrs) {
  const Shape dims = one_dim(*in[0], attrs.integer(0));
  const Shape sizes = reduced_sizes(in[0]->sizes, dims, attrs.flag(1));
  check_not_empty(op, in[0]->sizes, dims, sizes);
  return sizes;
}
void arg_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(line_sizes(out.op(), in, attrs), DType::kInt64);
}
void pair_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(line_sizes(out.op(), in, attrs), in[0]->dtype);
  arg_infer(in, attrs, out);
}
template <int Results>
std::string line_rule(Metas in, const Attrs& attrs) {
  const Shape dims = one_dim(*in[0], attrs.integer(0));
  const std::string text = reduce_rule(in[0]->sizes, dims, attrs.flag(1), Results);
  return dims.empty() ? text : str(text, ";", static_cast<char>('a' + attrs.integer(0)));
}

void run(Stream& stream, bool largest, const Tensor& in, int64_t dim, const Tensor* values,
         const Tensor& indices) {
  const Tensor x = as_contiguous(stream, in);
  for_each_part(stream, lines_of(x.sizes(), dim),
                [&](const cpu::Lines& part, int64_t offset, int64_t line) {
                  const auto size = static_cast<int64_t>(x.element_size());
                  cpu::ExtremeArgs args;
                  args.lines = part;
                  args.in = static_cast<const char*>(x.data_ptr()) + offset * size;
                  args.indices = indices.data_ptr<int64_t>() + line;
                  if (values != nullptr)
                    args.values = static_cast<char*>(values->data_ptr()) + line * size;
                  OA_REQUIRE(cpu::extreme(largest, x.dtype(), args), "argmax: has no meaning for ",
                             name_of(x.dtype()));
                });
}
template <bool Largest>
void arg_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, Largest, in[0], attrs.integer(0), nullptr, out[0]);
}
template <bool Largest>
void pair_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, Largest, in[0], attrs.integer(0), &out[0], out[1]);
}
void pair_vjp(VjpCall& call) {
  if (!call.grad().defined()) return;
  call.set(0, put_back(call.grad(), call.input_sizes(0), call.attrs().integer(0), call.output(1),
                       call.attrs().flag(1)));
}

Attrs dim_attrs(int64_t dim, bool keepdim) { return Attrs().add(dim).add(keepdim); }
Samples line_samples() {
  return {{{distinct({3, 4})}, dim_attrs(1, false)},
          {{distinct({2, 3, 4})}, dim_attrs(0, true)},
          {{distinct({2, 100})}, dim_attrs(1, false)},
          {{distinct({5, 70})}, dim_attrs(0, false)},
          {{ints({9}, 0, 3)}, dim_attrs(0, false)},
          {{ints({2, 700}, 0, 300, DType::kInt32)}, dim_attrs(1, true)},
          {{normal({})}, dim_attrs(0, false)}};
}

template <bool Largest>
constexpr Op arg_op(const char* name) {
  return {.name = name,
          .attrs = kDimAttrs,
          .infer = arg_infer,
          .rule = {.generate = line_rule<1>},
          .flops = reduce_flops,
          .kernels = {arg_kernel<Largest>},
          .samples = line_samples};
}
template <bool Largest>
constexpr Op pair_op(const char* name) {
  return {.name = name,
          .attrs = kDimAttrs,
          .infer = pair_infer,
          .rule = {.generate = line_rule<2>},
          .saves = saves_output(1),
          .flops = reduce_flops,
          .vjp = pair_vjp,
          .kernels = {pair_kernel<Largest>},
          .samples = line_samples};
}
constinit const Op kArgMax = arg_op<true>("argmax");
constinit const Op kArgMin = arg_op<false>("argmin");
constinit const Op kMaxDim = pair_op<true>("max_dim");
constinit const Op kMinDim = pair_op<false>("min_dim");

Tensor reduce(const char* name, const Op& op, const Tensor& x, const Shape& dims, bool keepdim) {
  OA_REQUIRE(!dims.empty() || !x.defined() || x.numel() > 0, name,
             "(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument.");
  return call_op(op, {&x}, dims_attrs(normal_dims(op.name, x, dims), keepdim));
}

Tensor arg(const Op& op, const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  OA_REQUIRE(!x.defined() || x.scalar_type() != DType::kBool, op.name, ": has no meaning for bool");
  if (dim) return call_op(op, {&x}, dim_attrs(wrap_dim(*dim, x.dim(), op.name), keepdim));
  if (x.defined() && x.numel() == 0)
    throw IndexError(str(op.name,
                         "(): Expected reduction dim to be specified for input.numel() == 0, the "
                         "shape is ",
                         x.sizes()));
  const Tensor flat = reshape(x, {-1});
  const Tensor out = call_op(op, {&flat}, dim_attrs(0, false));
  return keepdim ? view(out, Shape(std::vector<int64_t>(x.sizes().size(), 1))) : out;
}

std::tuple<Tensor, Tensor> pair(const Op& op, const Tensor& x, int64_t dim, bool keepdim) {
  Tensor out[2];
  call_op(op, {&x}, dim_attrs(wrap_dim(dim, x.dim(), op.name), keepdim), out);
  return {out[0], out[1]};
}

}  // namespace

Tensor amax(const Tensor& self, const Shape& dim, bool keepdim) {
  return reduce("amax", kMax, self, dim, keepdim);
}
Tensor amin(const Tensor& self, const Shape& dim, bool keepdim) {
  return reduce("amin", kMin, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  Tensor out[2];
  OA_REQUIRE(dim || !self.defined() || self.numel() > 0,
             "aminmax(): cannot compute aminmax over an empty dimension as ",
             "the operation has no identity.");
  const Shape dims = normal_dims("aminmax", self, dim ? Shape{*dim} : Shape{});
  call_op(kBoth, {&self}, dims_attrs(dims, keepdim), out);
  return {out[0], out[1]};
}
Tensor max(const Tensor& self) { return reduce("max", kMax, self, {}, false); }
Tensor min(const Tensor& self) { return reduce("min", kMin, self, {}, false); }
std::tuple<Tensor, Tensor> max(const Tensor& self, int64_t dim, bool keepdim) {
  return pair(kMaxDim, self, dim, keepdim);
}
std::tuple<Tensor, Tensor> min(const Tensor& self, int64_t dim, bool keepdim) {
  return pair(kMinDim, self, dim, keepdim);
}
Tensor argmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return arg(kArgMax, self, dim, keepdim);
}
Tensor argmin(const Tensor& self, std::optional<int64_t> dim, bool keepdim) {
  return arg(kArgMin, self, dim, keepdim);
}
Tensor max(const Tensor& self, const Tensor& other) { return maximum(self, other); }
Tensor min(const Tensor& self, const Tensor& other) { return minimum(self, other); }

OA_OP(extreme, &kMax, &kMin, &kBoth, &kArgMax, &kArgMin, &kMaxDim, &kMinDim)

}  // namespace oneagent
