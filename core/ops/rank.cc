#include "core/ops/rank.h"

#include <limits>

#include "core/kernels/copy.h"
#include "core/kernels/rank.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_reduce.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

int64_t size_along(const Shape& sizes, int64_t dim) {
  return sizes.empty() ? 1 : sizes[static_cast<size_t>(dim)];
}
void pair_vjp(VjpCall& call, int64_t dim, bool keepdim) {
  if (!call.grad().defined()) return;
  call.set(0, put_back(call.grad(), call.input_sizes(0), dim, call.output(1), keepdim));
}

constexpr AttrSpec kTopAttrs[] = {{"k", AttrKind::kInt},
                                  {"dim", AttrKind::kInt},
                                  {"largest", AttrKind::kBool},
                                  {"sorted", AttrKind::kBool}};
Attrs top_attrs(int64_t k, int64_t dim, bool largest, bool sorted) {
  return Attrs().add(k).add(dim).add(largest).add(sorted);
}

void top_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[0]->dtype != DType::kBool, "topk: has no meaning for bool");
  Shape sizes = in[0]->sizes;
  const int64_t k = attrs.integer(0), size = size_along(sizes, attrs.integer(1));
  OA_REQUIRE(k >= 0 && k <= size, "topk: selected index k out of range, 0 .. ", size, ", was ", k);
  if (!sizes.empty()) sizes[static_cast<size_t>(attrs.integer(1))] = k;
  out.add(sizes, in[0]->dtype);
  out.add(sizes, DType::kInt64);
}
std::string top_rule(Metas in, const Attrs& attrs) {
  std::string operand, result;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) {
    operand += static_cast<char>('a' + i);
    result += static_cast<int64_t>(i) == attrs.integer(1) ? 'z' : operand.back();
  }
  if (operand.empty()) return "->,";
  return str(operand, "->", result, ",", result, ";",
             operand[static_cast<size_t>(attrs.integer(1))], "z");
}
void top_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_topk(stream, out[0], out[1], in[0], attrs.integer(0), attrs.integer(1), attrs.flag(2),
           attrs.flag(3));
}
void top_vjp(VjpCall& call) { pair_vjp(call, call.attrs().integer(1), true); }

constinit const Op kTopk = {
    .name = "topk",
    .attrs = kTopAttrs,
    .infer = top_infer,
    .rule = {.generate = top_rule},
    .saves = saves_output(1),
    .flops = reduce_flops,
    .vjp = top_vjp,
    .kernels = {top_kernel},
    .samples =
        [] {
          return Samples{{{distinct({3, 4})}, top_attrs(2, 1, true, true)},
                         {{distinct({2, 5, 3})}, top_attrs(3, 1, false, true)},
                         {{distinct({300})}, top_attrs(4, 0, true, true)},
                         {{ints({2, 400}, 0, 9, DType::kInt32)}, top_attrs(5, 1, false, true)},
                         {{ints({50, 2}, 0, 9)}, top_attrs(20, 0, true, true)},
                         {{ints({40}, 0, 9)}, top_attrs(10, 0, true, false)},
                         {{normal({})}, top_attrs(1, 0, true, true)}};
        },
};

constexpr AttrSpec kKthAttrs[] = {
    {"k", AttrKind::kInt}, {"dim", AttrKind::kInt}, {"keepdim", AttrKind::kBool}};

// Values and indices of one element a line.
constexpr char kMedianName[] = "median", kModeName[] = "mode";

void require_elements(const char* op, const TensorMeta& in, int64_t dim) {
  if (size_along(in.sizes, dim) == 0)
    throw IndexError(str(op, ": Expected reduction dim ", dim,
                         " to have non-zero size, the shape is ", in.sizes));
}
void line_infer(const char* op, const TensorMeta& in, int64_t dim, bool keepdim, Inferred& out) {
  OA_REQUIRE(in.dtype != DType::kBool || op == kModeName, op, ": has no meaning for bool");
  require_elements(op, in, dim);
  const Shape sizes = reduced_sizes(in.sizes, one_dim(in, dim), keepdim);
  out.add(sizes, in.dtype);
  out.add(sizes, DType::kInt64);
}
std::string line_rule(const TensorMeta& in, int64_t dim, bool keepdim) {
  const std::string text = reduce_rule(in.sizes, one_dim(in, dim), keepdim, 2);
  return in.sizes.empty() ? text : str(text, ";", static_cast<char>('a' + dim));
}

void kth_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_elements("kthvalue", *in[0], attrs.integer(1));
  const int64_t size = size_along(in[0]->sizes, attrs.integer(1));
  OA_REQUIRE(attrs.integer(0) > 0 && attrs.integer(0) <= size,
             "kthvalue: selected number k out of range, 1 .. ", size, ", was ", attrs.integer(0));
  line_infer("kthvalue", *in[0], attrs.integer(1), attrs.flag(2), out);
}
void kth_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_kthvalue(stream, out[0], out[1], in[0], attrs.integer(0), attrs.integer(1));
}

constinit const Op kKthvalue = {
    .name = "kthvalue",
    .attrs = kKthAttrs,
    .infer = kth_infer,
    .rule = {.generate =
                 [](Metas in, const Attrs& attrs) {
                   return line_rule(*in[0], attrs.integer(1), attrs.flag(2));
                 }},
    .saves = saves_output(1),
    .flops = reduce_flops,
    .vjp = [](VjpCall& call) { pair_vjp(call, call.attrs().integer(1), call.attrs().flag(2)); },
    .kernels = {kth_kernel},
    .samples =
        [] {
          return Samples{{{distinct({3, 4})}, Attrs().add(2).add(1).add(false)},
                         {{distinct({2, 5, 3})}, Attrs().add(5).add(1).add(true)},
                         {{ints({200}, 0, 30)}, Attrs().add(60).add(0).add(false)},
                         {{ints({30, 2}, 0, 5, DType::kInt32)}, Attrs().add(9).add(0).add(false)},
                         {{normal({})}, Attrs().add(1).add(0).add(false)}};
        },
};

Attrs dim_attrs(int64_t dim, bool keepdim) { return Attrs().add(dim).add(keepdim); }

template <const char* Name>
void pair_infer(Metas in, const Attrs& attrs, Inferred& out) {
  line_infer(Name, *in[0], attrs.integer(0), attrs.flag(1), out);
}
template <bool IgnoreNan>
void median_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_median(stream, out[0], out[1], in[0], attrs.integer(0), IgnoreNan);
}
void mode_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_mode(stream, out[0], out[1], in[0], attrs.integer(0));
}
Samples median_samples() {
  return {{{distinct({3, 4})}, dim_attrs(1, false)},
          {{distinct({2, 5, 3})}, dim_attrs(1, true)},
          {{ints({200}, 0, 30)}, dim_attrs(0, false)},
          {{ints({30, 2}, 0, 5, DType::kInt32)}, dim_attrs(0, false)},
          {{normal({})}, dim_attrs(0, false)}};
}
Samples mode_samples() {
  return {{{distinct({3, 1})}, dim_attrs(1, false)},
          {{ints({2, 5, 3}, 0, 3)}, dim_attrs(1, true)},
          {{ints({200}, 0, 30)}, dim_attrs(0, false)},
          {{ints({30, 2}, 0, 5, DType::kInt32)}, dim_attrs(0, false)},
          {{normal({})}, dim_attrs(0, false)}};
}

constexpr Op pair_op(const char* name, void (*infer)(Metas, const Attrs&, Inferred&), Kernel kernel,
                     Samples (*samples)()) {
  return {.name = name,
          .attrs = kDimAttrs,
          .infer = infer,
          .rule = {.generate =
                       [](Metas in, const Attrs& attrs) {
                         return line_rule(*in[0], attrs.integer(0), attrs.flag(1));
                       }},
          .saves = saves_output(1),
          .flops = reduce_flops,
          .vjp = [](VjpCall& c) { pair_vjp(c, c.attrs().integer(0), c.attrs().flag(1)); },
          .kernels = {kernel},
          .samples = samples};
}
constinit const Op kMedianDim =
    pair_op("median_dim", pair_infer<kMedianName>, median_kernel<false>, median_samples);
constinit const Op kNanMedianDim =
    pair_op("nanmedian_dim", pair_infer<kMedianName>, median_kernel<true>, median_samples);
constinit const Op kMode = pair_op("mode", pair_infer<kModeName>, mode_kernel, mode_samples);

// Of all elements.
void all_infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(in[0]->dtype != DType::kBool, "median: has no meaning for bool");
  OA_REQUIRE(in[0]->sizes.numel() > 0, "median: an empty tensor of shape ", in[0]->sizes,
             " has no median");
  out.add({}, in[0]->dtype);
}
std::string all_rule(Metas in, const Attrs&) {
  const std::string text = along_rule(in[0]->sizes, 0);
  const std::string letters = text.substr(0, in[0]->sizes.size());
  return letters + "->;" + letters;
}
template <bool IgnoreNan>
void all_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  TensorMeta meta = x.impl().meta;
  meta.sizes = {x.numel()};
  meta.strides = {1};
  run_median(stream, out[0], Tensor(), alias_of(x, meta), 0, IgnoreNan);
}
void all_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor hit = to(eq(x, call.output()), x.dtype());
  call.set(0, mul(hit, div(call.grad(), sum(hit))));
}
template <bool IgnoreNan>
constexpr Op all_op(const char* name) {
  return {.name = name,
          .infer = all_infer,
          .rule = {.generate = all_rule},
          .saves = saves_input(0) | saves_output(),
          .flops = reduce_flops,
          .vjp = all_vjp,
          .kernels = {all_kernel<IgnoreNan>},
          .samples = [] {
            return Samples{
                {{distinct({3, 4})}}, {{distinct({7})}}, {{ints({100}, 0, 9)}}, {{normal({})}}};
          }};
}
constinit const Op kMedian = all_op<false>("median");
constinit const Op kNanMedian = all_op<true>("nanmedian");

std::tuple<Tensor, Tensor> pair(const Op& op, const Tensor& x, const Attrs& attrs) {
  Tensor out[2];
  call_op(op, {&x}, attrs, out);
  return {out[0], out[1]};
}

}  // namespace

std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim, bool largest,
                                bool sorted) {
  return pair(kTopk, self, top_attrs(k, wrap_dim(dim, self.dim(), "topk"), largest, sorted));
}
// The median of nothing: NaN, or the least integer.
static Tensor nothing_of(const Tensor& self) {
  return full({},
              has_gradient(self.scalar_type()) ? Scalar(std::numeric_limits<double>::quiet_NaN())
                                               : Scalar(std::numeric_limits<int64_t>::min()),
              self.options());
}

std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, int64_t k, int64_t dim, bool keepdim) {
  return pair(kKthvalue, self,
              Attrs().add(k).add(wrap_dim(dim, self.dim(), "kthvalue")).add(keepdim));
}
Tensor median(const Tensor& self) {
  if (self.defined() && self.numel() == 0) return nothing_of(self);
  return call_op(kMedian, {&self});
}
std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim) {
  return pair(kMedianDim, self, dim_attrs(wrap_dim(dim, self.dim(), "median"), keepdim));
}
Tensor nanmedian(const Tensor& self) {
  if (self.defined() && self.numel() == 0) return nothing_of(self);
  return call_op(kNanMedian, {&self});
}
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim) {
  return pair(kNanMedianDim, self, dim_attrs(wrap_dim(dim, self.dim(), "nanmedian"), keepdim));
}
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim, bool keepdim) {
  return pair(kMode, self, dim_attrs(wrap_dim(dim, self.dim(), "mode"), keepdim));
}

OA_OP(rank, &kTopk, &kKthvalue, &kMedian, &kNanMedian, &kMedianDim, &kNanMedianDim, &kMode)

}  // namespace oneagent
