#include "core/ops/reduce.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kDimsAttrs[] = {{"dims", AttrKind::kInts}, {"keepdim", AttrKind::kBool}};

// Non-negative, sorted, all when empty.
Shape normal_dims(const char* op, const Tensor& x, const Shape& dims) {
  Shape out;
  if (dims.empty()) {
    for (int64_t i = 0; i < x.dim(); ++i) out.push_back(i);
    return out;
  }
  if (x.dim() == 0) return out;
  for (const int64_t dim : dims) out.push_back(wrap_dim(dim, x.dim(), op));
  std::sort(out.begin(), out.end());
  OA_REQUIRE(std::adjacent_find(out.begin(), out.end()) == out.end(), op,
             ": a dimension appears twice in ", dims);
  return out;
}

// "ABC->AC" with the reduced letters only on the left.
std::string reduce_rule(Metas in, const Attrs& attrs) {
  const Shape dims = attrs.list(0);
  std::string operand, result;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    const bool reduced = std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) != dims.end();
    operand += letter;
    if (!reduced)
      result += letter;
    else if (attrs.flag(1))
      result += '1';
  }
  return operand + "->" + result;
}

void same_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(1)), in[0]->dtype);
}
void bool_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(1)), DType::kBool);
}
void extreme_infer(Metas in, const Attrs& attrs, Inferred& out) {
  same_infer(in, attrs, out);
  OA_REQUIRE(in[0]->sizes.numel() > 0 || out[0].sizes.numel() == 0,
             "max: an empty tensor of shape ", in[0]->sizes, " has no largest or smallest element");
}
double reduce_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel());
}

template <cpu::Reduce F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_reduce(stream, "reduce", F, out[0], in[0], attrs.list(0));
}

Attrs dims_attrs(const Shape& dims, bool keepdim) { return Attrs().add(dims).add(keepdim); }

Samples float_samples() {
  return {{{normal({3, 4})}, dims_attrs({0}, false)},
          {{normal({3, 4})}, dims_attrs({1}, true)},
          {{normal({2, 3, 4})}, dims_attrs({0, 2}, false)},
          {{normal({2, 3, 4})}, dims_attrs({0, 1, 2}, false)},
          {{normal({2, 3, 70})}, dims_attrs({1}, false)},
          {{normal({})}, dims_attrs({}, false)}};
}
Samples distinct_samples() {
  return {{{distinct({3, 4})}, dims_attrs({0}, false)},
          {{distinct({2, 3, 4})}, dims_attrs({1}, true)},
          {{distinct({7})}, dims_attrs({0}, false)}};
}
Samples mask_samples() {
  return {{{mask({3, 4})}, dims_attrs({0}, false)},
          {{mask({3, 4})}, dims_attrs({0, 1}, true)},
          {{mask({0, 2})}, dims_attrs({0}, false)}};
}

// The gradient of a reduction, back in the operand's shape (expanded, without copy).
Tensor spread(const Tensor& reduced, const Shape& sizes, const Attrs& attrs) {
  Shape kept = sizes;
  for (const int64_t dim : attrs.list(0)) kept[static_cast<size_t>(dim)] = 1;
  return expand(reduced.sizes() == kept ? reduced : view(contiguous(reduced), kept), sizes);
}

void sum_vjp(VjpCall& call) { call.set(0, spread(call.grad(), call.input_sizes(0), call.attrs())); }

void extreme_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor hit = to(eq(x, spread(call.output(), x.sizes(), call.attrs())), x.dtype());
  const Tensor share = div(hit, sum(hit, call.attrs().list(0), true));
  call.set(0, mul(share, spread(call.grad(), x.sizes(), call.attrs())));
}

void prod_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor scaled = spread(mul(call.grad(), call.output()), x.sizes(), call.attrs());
  call.set(0, div(scaled, x));
}

template <cpu::Reduce F>
constexpr Op reduce_op(const char* name, void (*infer)(Metas, const Attrs&, Inferred&),
                       void (*vjp)(VjpCall&), uint32_t saves, uint32_t linear,
                       Samples (*samples)()) {
  return {.name = name,
          .attrs = kDimsAttrs,
          .infer = infer,
          .rule = {.linear = linear, .generate = reduce_rule},
          .saves = saves,
          .flops = reduce_flops,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}

constinit const Op kSum =
    reduce_op<cpu::Reduce::kSum>("sum", same_infer, sum_vjp, 0, 1, float_samples);
constinit const Op kProd = reduce_op<cpu::Reduce::kProd>(
    "prod", same_infer, prod_vjp, saves_input(0) | saves_output(), 0, distinct_samples);
constinit const Op kMax = reduce_op<cpu::Reduce::kMax>(
    "amax", extreme_infer, extreme_vjp, saves_input(0) | saves_output(), 0, distinct_samples);
constinit const Op kMin = reduce_op<cpu::Reduce::kMin>(
    "amin", extreme_infer, extreme_vjp, saves_input(0) | saves_output(), 0, distinct_samples);
constinit const Op kAny =
    reduce_op<cpu::Reduce::kAny>("any", bool_infer, nullptr, 0, 0, mask_samples);
constinit const Op kAll =
    reduce_op<cpu::Reduce::kAll>("all", bool_infer, nullptr, 0, 0, mask_samples);

constexpr AttrSpec kDimAttrs[] = {{"dim", AttrKind::kInt}, {"keepdim", AttrKind::kBool}};

void arg_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape dims = in[0]->sizes.empty() ? Shape{} : Shape{attrs.integer(0)};
  out.add(reduced_sizes(in[0]->sizes, dims, attrs.flag(1)), DType::kInt64);
  OA_REQUIRE(in[0]->sizes.numel() > 0 || out[0].sizes.numel() == 0,
             "argmax: an empty tensor of shape ", in[0]->sizes,
             " has no largest or smallest element");
}
std::string arg_rule(Metas in, const Attrs& attrs) {
  if (in[0]->sizes.empty()) return "->";
  const std::string text = reduce_rule(in, dims_attrs({attrs.integer(0)}, attrs.flag(1)));
  return text + ";" + static_cast<char>('a' + attrs.integer(0));
}

template <bool Largest>
void arg_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor source = as_contiguous(stream, in[0]);
  cpu::ReduceArgs args = around(source, attrs.integer(0));
  args.out = out[0].data_ptr();
  OA_REQUIRE(cpu::arg_reduce(Largest, source.dtype(), args), "argmax: has no meaning for ",
             name_of(source.dtype()));
}

template <bool Largest>
constexpr Op arg_op(const char* name) {
  return {.name = name,
          .attrs = kDimAttrs,
          .infer = arg_infer,
          .rule = {.generate = arg_rule},
          .flops = reduce_flops,
          .kernels = {arg_kernel<Largest>},
          .samples = [] {
            return Samples{{{distinct({3, 4})}, Attrs().add(1).add(false)},
                           {{distinct({2, 3, 4})}, Attrs().add(0).add(true)},
                           {{ints({9}, 0, 3)}, Attrs().add(0).add(false)}};
          }};
}

constinit const Op kArgMax = arg_op<true>("argmax");
constinit const Op kArgMin = arg_op<false>("argmin");

constexpr AttrSpec kCumsumAttrs[] = {{"dim", AttrKind::kInt}, {"reverse", AttrKind::kBool}};

void cumsum_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }
std::string cumsum_rule(Metas in, const Attrs& attrs) {
  std::string letters;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) letters += static_cast<char>('a' + i);
  return letters + "->" + letters +
         (letters.empty() ? "" : str(";", static_cast<char>('a' + attrs.integer(0))));
}
void cumsum_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor source = as_contiguous(stream, in[0]);
  cpu::ReduceArgs args = around(source, attrs.integer(0));
  args.reversed = attrs.flag(1);
  args.out = out[0].data_ptr();
  OA_REQUIRE(cpu::cumsum(source.dtype(), args), "cumsum: has no meaning for ",
             name_of(source.dtype()));
}
Tensor cumsum_any(const Tensor& x, int64_t dim, bool reverse);
void cumsum_vjp(VjpCall& call) {
  call.set(0, cumsum_any(call.grad(), call.attrs().integer(0), !call.attrs().flag(1)));
}

constinit const Op kCumsum = {
    .name = "cumsum",
    .attrs = kCumsumAttrs,
    .infer = cumsum_infer,
    .rule = {.linear = 1, .generate = cumsum_rule},
    .vjp = cumsum_vjp,
    .kernels = {cumsum_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(1).add(false)},
                         {{normal({2, 3, 4})}, Attrs().add(1).add(true)},
                         {{ints({6}, 0, 5)}, Attrs().add(0).add(false)}};
        },
};

Tensor cumsum_any(const Tensor& x, int64_t dim, bool reverse) {
  return call_op(kCumsum, {&x}, Attrs().add(dim).add(reverse));
}

Tensor reduce(const Op& op, const Tensor& x, const Shape& dims, bool keepdim) {
  return call_op(op, {&x}, dims_attrs(normal_dims(op.name, x, dims), keepdim));
}

double count_of(const Tensor& x, const Shape& dims) {
  double count = 1;
  for (const int64_t dim : normal_dims("mean", x, dims))
    count *= static_cast<double>(x.sizes()[static_cast<size_t>(dim)]);
  return count;
}

Tensor arg(const Op& op, const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  if (!dim) {
    const Tensor flat = reshape(x, {-1});
    return call_op(op, {&flat}, Attrs().add(0).add(false));
  }
  return call_op(op, {&x}, Attrs().add(wrap_dim(*dim, x.dim(), op.name)).add(keepdim));
}

std::tuple<Tensor, Tensor> with_index(const Op& op, const Tensor& x, int64_t dim, bool keepdim) {
  const Tensor index = arg(op, x, dim, x.dim() > 0);
  if (x.dim() == 0) return {x, index};
  const Tensor values = gather(x, dim, index);
  if (keepdim) return {values, index};
  return {squeeze(values, dim), squeeze(index, dim)};
}

}  // namespace

Tensor sum(const Tensor& x) { return sum(x, Shape{}); }
Tensor sum(const Tensor& x, const Shape& dims, bool keepdim) {
  const Tensor operand = x.is_floating_point() ? x : to(x, DType::kInt64);
  return reduce(kSum, operand, dims, keepdim);
}
Tensor mean(const Tensor& x) { return mean(x, Shape{}); }
Tensor mean(const Tensor& x, const Shape& dims, bool keepdim) {
  OA_REQUIRE(x.is_floating_point(), "mean: needs a floating tensor, was ", name_of(x.dtype()));
  return div(reduce(kSum, x, dims, keepdim), count_of(x, dims));
}
Tensor prod(const Tensor& x, const Shape& dims, bool keepdim) {
  return reduce(kProd, x.is_floating_point() ? x : to(x, DType::kInt64), dims, keepdim);
}
Tensor amax(const Tensor& x, const Shape& dims, bool keepdim) {
  return reduce(kMax, x, dims, keepdim);
}
Tensor amin(const Tensor& x, const Shape& dims, bool keepdim) {
  return reduce(kMin, x, dims, keepdim);
}
Tensor max(const Tensor& x) { return amax(x); }
Tensor min(const Tensor& x) { return amin(x); }
std::tuple<Tensor, Tensor> max(const Tensor& x, int64_t dim, bool keepdim) {
  return with_index(kArgMax, x, dim, keepdim);
}
std::tuple<Tensor, Tensor> min(const Tensor& x, int64_t dim, bool keepdim) {
  return with_index(kArgMin, x, dim, keepdim);
}
Tensor argmax(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return arg(kArgMax, x, dim, keepdim);
}
Tensor argmin(const Tensor& x, std::optional<int64_t> dim, bool keepdim) {
  return arg(kArgMin, x, dim, keepdim);
}
Tensor any(const Tensor& x) { return reduce(kAny, x, {}, false); }
Tensor any(const Tensor& x, int64_t dim, bool keepdim) { return reduce(kAny, x, {dim}, keepdim); }
Tensor all(const Tensor& x) { return reduce(kAll, x, {}, false); }
Tensor all(const Tensor& x, int64_t dim, bool keepdim) { return reduce(kAll, x, {dim}, keepdim); }
Tensor cumsum(const Tensor& x, int64_t dim) {
  return cumsum_any(x.is_floating_point() ? x : to(x, DType::kInt64),
                    wrap_dim(dim, x.dim(), "cumsum"), false);
}

Tensor var(const Tensor& x, bool unbiased) { return var(x, Shape{}, unbiased); }
Tensor var(const Tensor& x, const Shape& dims, bool unbiased, bool keepdim) {
  const Tensor centred = sub(x, mean(x, dims, true));
  return div(sum(square(centred), dims, keepdim), count_of(x, dims) - (unbiased ? 1.0 : 0.0));
}
Tensor std(const Tensor& x, bool unbiased) { return sqrt(var(x, unbiased)); }
Tensor std(const Tensor& x, const Shape& dims, bool unbiased, bool keepdim) {
  return sqrt(var(x, dims, unbiased, keepdim));
}
Tensor norm(const Tensor& x) { return sqrt(sum(square(x))); }

OA_OP(reduce, &kSum, &kProd, &kMax, &kMin, &kAny, &kAll, &kArgMax, &kArgMin, &kCumsum)

}  // namespace oneagent
