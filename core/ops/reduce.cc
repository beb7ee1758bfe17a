#include "core/ops/reduce.h"

#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_scan.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

std::string rule(Metas in, const Attrs& attrs) {
  return reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(1));
}
std::string whole_rule(Metas in, const Attrs& attrs) {
  return whole_reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(1));
}

template <cpu::Reduce F>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const bool test = F == cpu::Reduce::kAny || F == cpu::Reduce::kAll;
  out.add(reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(1)),
          test && in[0]->dtype == DType::kUInt8 ? DType::kUInt8 : reduce_type(F, in[0]->dtype));
}

template <cpu::Reduce F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_reduce(stream, "reduce", F, out[0], in[0], attrs.list(0));
}

void mean_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_reduce(stream, "mean", cpu::Reduce::kSum, out[0], in[0], attrs.list(0));
  cpu::Params params;
  params.number[0] = count_of(in[0].sizes(), attrs.list(0));
  run_unary(stream, cpu::Unary::kDivNumber, out[0], out[0], params);
}

Samples float_samples() {
  return {{{normal({3, 4})}, dims_attrs({0}, false)},
          {{normal({3, 4})}, dims_attrs({1}, true)},
          {{normal({2, 3, 4})}, dims_attrs({0, 2}, false)},
          {{normal({2, 3, 4})}, dims_attrs({0, 1, 2}, false)},
          {{normal({2, 3, 70})}, dims_attrs({1}, false)},
          {{normal({40, 3})}, dims_attrs({0}, false)},
          {{normal({2, 1, 3, 2})}, dims_attrs({1, 3}, true)},
          {{normal({})}, dims_attrs({}, false)}};
}
Samples sum_samples() {
  Samples samples = float_samples();
  samples.push_back({{ints({3, 4}, -5, 5, DType::kInt32)}, dims_attrs({1}, false)});
  samples.push_back({{mask({2, 50})}, dims_attrs({0, 1}, false)});
  samples.push_back({{normal({0, 3})}, dims_attrs({0}, false)});
  return samples;
}
Samples count_samples() {
  return {{{ints({3, 40}, 0, 3)}, dims_attrs({1}, false)},
          {{ints({3, 4}, 0, 2, DType::kUInt8)}, dims_attrs({0}, false)},
          {{mask({2, 50})}, dims_attrs({0, 1}, false)},
          {{normal({5})}, dims_attrs({0}, false)}};
}
Samples prod_samples() {
  return {
      {{distinct({3, 4})}, dims_attrs({0}, false)}, {{distinct({2, 3, 4})}, dims_attrs({1}, true)},
      {{unit({2, 3})}, dims_attrs({0, 1}, false)},  {{ints({2, 3}, 1, 4)}, dims_attrs({1}, false)},
      {{distinct({7})}, dims_attrs({0}, false)},    {{normal({})}, dims_attrs({}, false)}};
}
Samples mask_samples() {
  return {{{mask({3, 4})}, dims_attrs({0}, false)},
          {{mask({3, 4})}, dims_attrs({0, 1}, true)},
          {{ints({3, 4}, 0, 2, DType::kUInt8)}, dims_attrs({1}, false)},
          {{ints({2, 300}, 0, 200)}, dims_attrs({1}, false)},
          {{mask({0, 2})}, dims_attrs({0}, false)}};
}

void sum_vjp(VjpCall& call) {
  call.set(0, spread(call.grad(), call.input_sizes(0), call.attrs().list(0)));
}
void nansum_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Tensor gradient = spread(call.grad(), x.sizes(), call.attrs().list(0));
  call.set(0, mul(gradient, to(eq(x, x), gradient.dtype())));
}
void mean_vjp(VjpCall& call) {
  const Shape dims = call.attrs().list(0);
  call.set(
      0, spread(div(call.grad(), count_of(call.input_sizes(0), dims)), call.input_sizes(0), dims));
}
// The product of all others, from both sides: without division, so zeros do no harm.
Tensor product_of_others(const Tensor& x, int64_t dim) {
  return mul(cumprod_exclusive(x, dim, false), cumprod_exclusive(x, dim, true));
}
void prod_vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Shape dims = call.attrs().list(0);
  const Tensor gradient = spread(call.grad(), x.sizes(), dims);
  if (dims.empty()) return call.set(0, gradient);
  if (dims.size() == 1) return call.set(0, mul(gradient, product_of_others(x, dims[0])));
  OA_REQUIRE(dims.size() == x.sizes().size(),
             "prod: has a gradient over one or all dimensions, was ", dims);
  // Many factors, none of them 0: the product over each of them, as running products are long.
  constexpr int64_t kMany = 4096;
  if (x.numel() > kMany && !any(eq(x, 0)).item<bool>())
    return call.set(0, mul(gradient, div(prod(x), x)));
  const Tensor flat = product_of_others(reshape(x, {-1}), 0);
  call.set(0, mul(gradient, view(flat, x.sizes())));
}

template <cpu::Reduce F>
constexpr Op reduce_op(const char* name, void (*vjp)(VjpCall&), uint32_t saves, uint32_t linear,
                       Samples (*samples)()) {
  return {.name = name,
          .attrs = kDimsAttrs,
          .infer = infer<F>,
          .rule = {.linear = linear,
                   .reduce = F == cpu::Reduce::kAny   ? Reduce::kMax
                             : F == cpu::Reduce::kAll ? Reduce::kMin
                                                      : Reduce::kSum,
                   .generate = F == cpu::Reduce::kProd ? whole_rule : rule},
          .saves = saves,
          .flops = reduce_flops,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}

constexpr uint32_t kX = saves_input(0);
constinit const Op kSum = reduce_op<cpu::Reduce::kSum>("sum", sum_vjp, 0, 1, sum_samples);
constinit const Op kNanSum =
    reduce_op<cpu::Reduce::kNanSum>("nansum", nansum_vjp, kX, 0, float_samples);
constinit const Op kProd = reduce_op<cpu::Reduce::kProd>("prod", prod_vjp, kX, 0, prod_samples);
constinit const Op kAny = reduce_op<cpu::Reduce::kAny>("any", nullptr, 0, 0, mask_samples);
constinit const Op kAll = reduce_op<cpu::Reduce::kAll>("all", nullptr, 0, 0, mask_samples);
constinit const Op kCount =
    reduce_op<cpu::Reduce::kCount>("count_nonzero", nullptr, 0, 0, count_samples);
constinit const Op kMean = {.name = "mean",
                            .attrs = kDimsAttrs,
                            .infer = infer<cpu::Reduce::kSum>,
                            .rule = {.linear = 1, .generate = whole_rule},
                            .flops = reduce_flops,
                            .vjp = mean_vjp,
                            .kernels = {mean_kernel},
                            .samples = float_samples};

Tensor reduce(const Op& op, const Tensor& x, const OptionalShape& dims, bool keepdim) {
  return call_op(op, {&x}, dims_attrs(normal_dims(op.name, x, dims), keepdim));
}

// In the wanted type; integers are added as int64 and cut to a narrower one afterwards.
Tensor accumulate(const Op& op, const Tensor& x, const OptionalShape& dims, bool keepdim,
                  std::optional<DType> dtype) {
  if (!dtype || *dtype == x.dtype()) {
    const Tensor out = reduce(op, x, dims, keepdim);
    return dtype ? to(out, *dtype) : out;
  }
  const Tensor operand = to(x, *dtype);
  return to(reduce(op, operand, dims, keepdim), *dtype);
}

}  // namespace

Tensor sum(const Tensor& self, std::optional<DType> dtype) {
  return accumulate(kSum, self, std::nullopt, false, dtype);
}
Tensor sum(const Tensor& self, OptionalShape dim, bool keepdim, std::optional<DType> dtype) {
  return accumulate(kSum, self, dim, keepdim, dtype);
}
Tensor sum_to_size(const Tensor& self, const Shape& size) {
  OA_REQUIRE(size.size() <= self.sizes().size() &&
                 broadcast_sizes("sum_to_size", self.sizes(), size) == self.sizes(),
             "sum_to_size: ", size, " does not broadcast to ", self.sizes());
  return sum_to(self, size);
}
Tensor nansum(const Tensor& self, OptionalShape dim, bool keepdim, std::optional<DType> dtype) {
  return accumulate(self.is_floating_point() ? kNanSum : kSum, self, dim, keepdim, dtype);
}
Tensor mean(const Tensor& self, std::optional<DType> dtype) {
  return mean(self, std::nullopt, false, dtype);
}
Tensor mean(const Tensor& self, OptionalShape dim, bool keepdim, std::optional<DType> dtype) {
  OA_REQUIRE(has_gradient(dtype.value_or(self.dtype())),
             "mean: could not infer output dtype. Input dtype must be either a floating point or "
             "complex dtype. Got: ",
             toString(dtype.value_or(self.dtype())));
  return accumulate(kMean, self, dim, keepdim, dtype);
}
Tensor nanmean(const Tensor& self, OptionalShape dim, bool keepdim, std::optional<DType> dtype) {
  OA_REQUIRE(self.is_floating_point(), "nanmean: needs a floating tensor, was ",
             name_of(self.dtype()));
  const Tensor x = self.detach();
  return div(nansum(self, dim, keepdim, dtype), sum(eq(x, x), dim, keepdim));
}
Tensor prod(const Tensor& self, std::optional<DType> dtype) {
  return accumulate(kProd, self, std::nullopt, false, dtype);
}
Tensor prod(const Tensor& self, int64_t dim, bool keepdim, std::optional<DType> dtype) {
  return accumulate(kProd, self, dim, keepdim, dtype);
}
Tensor any(const Tensor& self) { return reduce(kAny, self, {}, false); }
Tensor any(const Tensor& self, int64_t dim, bool keepdim) {
  return reduce(kAny, self, dim, keepdim);
}
Tensor all(const Tensor& self) { return reduce(kAll, self, {}, false); }
Tensor all(const Tensor& self, int64_t dim, bool keepdim) {
  return reduce(kAll, self, dim, keepdim);
}
Tensor count_nonzero(const Tensor& self, const Shape& dim) {
  return reduce(kCount, self, dim, false);
}
Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim) {
  return reduce(kCount, self, dim ? OptionalShape(*dim) : OptionalShape(), false);
}

OA_OP(reduce, &kSum, &kNanSum, &kMean, &kProd, &kAny, &kAll, &kCount)

}  // namespace oneagent
