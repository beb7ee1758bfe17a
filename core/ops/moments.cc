#include "core/ops/moments.h"

#include "core/kernels/cpu/moments.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"dims", AttrKind::kInts}, {"correction", AttrKind::kInt}, {"keepdim", AttrKind::kBool}};

Attrs attrs_of(const Shape& dims, int64_t correction, bool keepdim) {
  return Attrs().add(dims).add(correction).add(keepdim);
}

template <int Results>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("var", *in[0]);
  for (int i = 0; i < Results; ++i)
    out.add(reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(2)), in[0]->dtype);
}
template <int Results>
std::string rule(Metas in, const Attrs& attrs) {
  return whole_reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(2), Results);
}

template <bool Root, int Results>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  Tensor holder;
  cpu::MomentArgs args;
  args.over = reduce_args(stream, in[0], attrs.list(0), holder);
  args.correction = static_cast<double>(attrs.integer(1));
  args.root = Root;
  const auto size = static_cast<int64_t>(in[0].element_size());
  const int64_t row = std::max<int64_t>(args.over.count * args.over.inner, 1);
  stream.parallel_for(
      args.over.outer, std::max<int64_t>(16384 / row, 1), [&](int64_t begin, int64_t end) {
        cpu::MomentArgs part = args;
        part.over.outer = end - begin;
        part.over.in =
            static_cast<const char*>(args.over.in) + begin * args.over.outer_stride * size;
        const int64_t at = begin * args.over.inner * size;
        part.spread = static_cast<char*>(out[0].data_ptr()) + at;
        if (Results > 1) part.mean = static_cast<char*>(out[Results - 1].data_ptr()) + at;
        cpu::moments(in[0].dtype(), part);
      });
}

// d var / d x = 2 (x - mean) / (count - correction)
Tensor var_gradient(VjpCall& call, const Tensor& gradient) {
  const Tensor x = call.input(0);
  const Shape dims = call.attrs().list(0);
  const double divisor = count_of(x.sizes(), dims) - static_cast<double>(call.attrs().integer(1));
  const Tensor centred = dims.empty() ? sub(x, x) : sub(x, mean(x, dims, true));
  return mul(mul(spread(gradient, x.sizes(), dims), 2.0 / divisor), centred);
}
// d std = d var / (2 std); none where all elements are equal.
Tensor std_gradient(VjpCall& call, const Tensor& gradient) {
  const Tensor y = call.output(0);
  return var_gradient(call, masked_fill(div(gradient, mul(y, 2.0)), eq(y, 0.0), 0.0));
}
Tensor mean_gradient(VjpCall& call, const Tensor& gradient) {
  const Shape& sizes = call.input_sizes(0);
  const Shape dims = call.attrs().list(0);
  return spread(div(gradient, count_of(sizes, dims)), sizes, dims);
}
template <bool Root>
void vjp(VjpCall& call) {
  Tensor total;
  if (call.grad(0).defined())
    total = Root ? std_gradient(call, call.grad(0)) : var_gradient(call, call.grad(0));
  call.set(0, total);
}
template <bool Root>
void pair_vjp(VjpCall& call) {
  Tensor total;
  if (call.grad(0).defined())
    total = Root ? std_gradient(call, call.grad(0)) : var_gradient(call, call.grad(0));
  if (call.grad(1).defined()) {
    const Tensor part = mean_gradient(call, call.grad(1));
    total = total.defined() ? add(total, part) : part;
  }
  if (total.defined()) call.set(0, total);
}

Samples samples() {
  return {{{normal({3, 4})}, attrs_of({0}, 1, false)},
          {{normal({3, 40})}, attrs_of({1}, 0, true)},
          {{normal({4, 3, 1})}, attrs_of({0, 2}, 1, false)},
          {{normal({1, 1, 4})}, attrs_of({0, 1, 2}, 2, false)},
          {{normal({2, 3, 35})}, attrs_of({1}, 1, false)}};
}

template <bool Root>
constexpr Op one(const char* name) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<1>,
          .rule = {.generate = rule<1>},
          .saves = saves_input(0) | (Root ? saves_output() : 0),
          .flops = reduce_flops,
          .vjp = vjp<Root>,
          .kernels = {kernel<Root, 1>},
          .samples = samples};
}
template <bool Root>
constexpr Op two(const char* name) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<2>,
          .rule = {.generate = rule<2>},
          .saves = saves_input(0) | (Root ? saves_output() : 0),
          .flops = reduce_flops,
          .vjp = pair_vjp<Root>,
          .kernels = {kernel<Root, 2>},
          .samples = samples};
}
constinit const Op kVar = one<false>("var");
constinit const Op kStd = one<true>("std");
constinit const Op kVarMean = two<false>("var_mean");
constinit const Op kStdMean = two<true>("std_mean");

using Pair = std::tuple<Tensor, Tensor>;

Attrs call_attrs(const Op& op, const Tensor& x, const OptionalShape& dim, int64_t correction,
                 bool keepdim) {
  return attrs_of(normal_dims(op.name, x, dim), correction, keepdim);
}
Tensor reduce(const Op& op, const Tensor& x, const OptionalShape& dim, int64_t correction,
              bool keepdim) {
  return call_op(op, {&x}, call_attrs(op, x, dim, correction, keepdim));
}
Pair reduce_pair(const Op& op, const Tensor& x, const OptionalShape& dim, int64_t correction,
                 bool keepdim) {
  Tensor out[2];
  call_op(op, {&x}, call_attrs(op, x, dim, correction, keepdim), out);
  return {out[0], out[1]};
}

}  // namespace

Tensor var(const Tensor& self, bool unbiased) {
  return reduce(kVar, self, std::nullopt, unbiased ? 1 : 0, false);
}
Tensor var(const Tensor& self, int dim) { return var(self, OptionalShape(dim)); }
Tensor var(const Tensor& self, OptionalShape dim, bool unbiased, bool keepdim) {
  return reduce(kVar, self, dim, unbiased ? 1 : 0, keepdim);
}
Tensor var(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction, bool keepdim) {
  return reduce(kVar, self, dim, correction.value_or(1), keepdim);
}
Tensor std(const Tensor& self, bool unbiased) {
  return reduce(kStd, self, std::nullopt, unbiased ? 1 : 0, false);
}
Tensor std(const Tensor& self, int dim) { return std(self, OptionalShape(dim)); }
Tensor std(const Tensor& self, OptionalShape dim, bool unbiased, bool keepdim) {
  return reduce(kStd, self, dim, unbiased ? 1 : 0, keepdim);
}
Tensor std(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction, bool keepdim) {
  return reduce(kStd, self, dim, correction.value_or(1), keepdim);
}
Pair var_mean(const Tensor& self, bool unbiased) {
  return reduce_pair(kVarMean, self, std::nullopt, unbiased ? 1 : 0, false);
}
Pair var_mean(const Tensor& self, OptionalShape dim, bool unbiased, bool keepdim) {
  return reduce_pair(kVarMean, self, dim, unbiased ? 1 : 0, keepdim);
}
Pair var_mean(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction,
              bool keepdim) {
  return reduce_pair(kVarMean, self, dim, correction.value_or(1), keepdim);
}
Pair std_mean(const Tensor& self, bool unbiased) {
  return reduce_pair(kStdMean, self, std::nullopt, unbiased ? 1 : 0, false);
}
Pair std_mean(const Tensor& self, OptionalShape dim, bool unbiased, bool keepdim) {
  return reduce_pair(kStdMean, self, dim, unbiased ? 1 : 0, keepdim);
}
Pair std_mean(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction,
              bool keepdim) {
  return reduce_pair(kStdMean, self, dim, correction.value_or(1), keepdim);
}

OA_OP(moments, &kVar, &kStd, &kVarMean, &kStdMean)

}  // namespace oneagent
