#include "core/ops/compare.h"

#include "core/kernels/elementwise.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("comparison", in);
  out.add(broadcast_sizes("comparison", in[0]->sizes, in[1]->sizes), DType::kBool);
}

template <cpu::Compare F>
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_compare(stream, F, out[0], in[0], in[1]);
}

Samples value_samples() {
  return {{{ints({3, 4}, 0, 3), ints({3, 4}, 0, 3)}},
          {{normal({2, 3}), normal({3})}},
          {{ints({}, 0, 2), ints({4}, 0, 2)}},
          {{normal({0}), normal({1})}}};
}
Samples logic_samples() {
  return {{{mask({3, 4}), mask({3, 4})}},
          {{mask({2, 1}), mask({3})}},
          {{ints({5}, 0, 2), ints({5}, 0, 2)}}};
}

template <cpu::Compare F>
constexpr Op compare_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .infer = infer,
          .rule = {.factors = "...,...->..."},
          .kernels = {kernel<F>},
          .samples = samples};
}

constinit const Op kEqual = compare_op<cpu::Compare::kEqual>("eq", value_samples);
constinit const Op kNotEqual = compare_op<cpu::Compare::kNotEqual>("ne", value_samples);
constinit const Op kLess = compare_op<cpu::Compare::kLess>("lt", value_samples);
constinit const Op kLessEqual = compare_op<cpu::Compare::kLessEqual>("le", value_samples);
constinit const Op kAnd = compare_op<cpu::Compare::kAnd>("logical_and", logic_samples);
constinit const Op kOr = compare_op<cpu::Compare::kOr>("logical_or", logic_samples);
constinit const Op kXor = compare_op<cpu::Compare::kXor>("logical_xor", logic_samples);

void test_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, DType::kBool); }

template <cpu::Test F>
void test_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor* operands[] = {&out[0], &in[0]};
  run_loop(stream, "test", cpu::test(F, in[0].dtype()), operands);
}

template <cpu::Test F>
constexpr Op test_op(const char* name) {
  return {.name = name,
          .infer = test_infer,
          .rule = {.factors = "...->..."},
          .kernels = {test_kernel<F>},
          .samples = [] {
            return Samples{{{ints({3, 4}, 0, 2)}}, {{normal({5})}}, {{mask({})}}};
          }};
}

constinit const Op kLogicalNot = test_op<cpu::Test::kIsZero>("logical_not");
constinit const Op kIsNan = test_op<cpu::Test::kIsNan>("isnan");
constinit const Op kIsFinite = test_op<cpu::Test::kIsFinite>("isfinite");

Tensor promoted(const Op& op, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return call_op(op, {&a, &b});
  const DType dtype = result_type(a, b);
  const Tensor left = to(a, dtype), right = to(b, dtype);
  return call_op(op, {&left, &right});
}

Tensor with_number(const Op& op, const Tensor& a, Scalar b, bool reversed = false) {
  const DType dtype = result_type(a, b);
  const Tensor left = to(a, dtype), right = scalar_tensor(b, dtype);
  return reversed ? call_op(op, {&right, &left}) : call_op(op, {&left, &right});
}

}  // namespace

Tensor eq(const Tensor& a, const Tensor& b) { return promoted(kEqual, a, b); }
Tensor ne(const Tensor& a, const Tensor& b) { return promoted(kNotEqual, a, b); }
Tensor lt(const Tensor& a, const Tensor& b) { return promoted(kLess, a, b); }
Tensor le(const Tensor& a, const Tensor& b) { return promoted(kLessEqual, a, b); }
Tensor gt(const Tensor& a, const Tensor& b) { return promoted(kLess, b, a); }
Tensor ge(const Tensor& a, const Tensor& b) { return promoted(kLessEqual, b, a); }
Tensor eq(const Tensor& a, Scalar b) { return with_number(kEqual, a, b); }
Tensor ne(const Tensor& a, Scalar b) { return with_number(kNotEqual, a, b); }
Tensor lt(const Tensor& a, Scalar b) { return with_number(kLess, a, b); }
Tensor le(const Tensor& a, Scalar b) { return with_number(kLessEqual, a, b); }
Tensor gt(const Tensor& a, Scalar b) { return with_number(kLess, a, b, true); }
Tensor ge(const Tensor& a, Scalar b) { return with_number(kLessEqual, a, b, true); }
Tensor logical_and(const Tensor& a, const Tensor& b) { return promoted(kAnd, a, b); }
Tensor logical_or(const Tensor& a, const Tensor& b) { return promoted(kOr, a, b); }
Tensor logical_xor(const Tensor& a, const Tensor& b) { return promoted(kXor, a, b); }
Tensor logical_not(const Tensor& a) { return call_op(kLogicalNot, {&a}); }
Tensor isnan(const Tensor& a) { return call_op(kIsNan, {&a}); }
Tensor isfinite(const Tensor& a) { return call_op(kIsFinite, {&a}); }

bool equal(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.sizes() == b.sizes() && all(eq(a, b)).item<bool>();
}

bool allclose(const Tensor& a, const Tensor& b, double rtol, double atol) {
  if (!a.is_floating_point()) return all(eq(a, b)).item<bool>();
  const NoGradGuard guard;
  const Tensor near = le(abs(sub(a, b)), add(mul(abs(b), rtol), atol));
  return all(logical_or(near, eq(a, b))).item<bool>();
}

OA_OP(compare, &kEqual, &kNotEqual, &kLess, &kLessEqual, &kAnd, &kOr, &kXor, &kLogicalNot, &kIsNan,
      &kIsFinite)

}  // namespace oneagent
