// Elementary functions of complex numbers, made of functions of their parts: principal values, as
// in C's complex.h.
#include <cmath>
#include <numbers>

#include "core/ops/op_complex.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using std::numbers::ln10;
using std::numbers::ln2;
using std::numbers::pi;

Tensor by_number(const Tensor& z, double number) { return mul(z, number); }
Tensor times_i(const Tensor& z) {
  const auto [re, im] = parts_of(z);
  return joined(neg(im), re);
}
Tensor over_i(const Tensor& z) {
  const auto [re, im] = parts_of(z);
  return joined(im, neg(re));
}
Tensor one_minus_square(const Tensor& z) { return sub(1.0, mul(z, z)); }

Tensor magnitude(const Tensor& z) {
  return linalg_vector_norm(view_as_real(z), 2, Shape{z.dim()});  // its gradient at 0 is 0
}
Tensor phase(const Tensor& z) {
  const auto [re, im] = parts_of(z);
  return atan2(im, re);
}
Tensor exp_of(const Tensor& z) {
  const auto [re, im] = parts_of(z);
  const Tensor size = exp(re);
  return joined(mul(size, cos(im)), mul(size, sin(im)));
}
Tensor log_of(const Tensor& z) { return joined(log(magnitude(z)), phase(z)); }
// t = sqrt((|re| + |z|) / 2) is one part, im / 2t the other.
Tensor sqrt_of(const Tensor& z) {
  const auto [re, im] = parts_of(z);
  const Tensor t = sqrt(mul(add(abs(re), magnitude(z)), 0.5));
  const Tensor other = where(eq(t, 0.0), zeros_like(t), div(im, mul(t, 2.0)));
  const Tensor right = ge(re, 0.0);
  return joined(where(right, t, abs(other)), where(right, other, copysign(t, im)));
}
Tensor sin_of(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  return joined(mul(sin(a), cosh(b)), mul(cos(a), sinh(b)));
}
Tensor cos_of(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  return joined(mul(cos(a), cosh(b)), neg(mul(sin(a), sinh(b))));
}
Tensor sinh_of(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  return joined(mul(sinh(a), cos(b)), mul(cosh(a), sin(b)));
}
Tensor cosh_of(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  return joined(mul(cosh(a), cos(b)), mul(sinh(a), sin(b)));
}
// (t + i k) / (1 + i t k) with t = tanh(a), k = tan(b): finite for large a.
Tensor tanh_of(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  const Tensor t = tanh(a), k = tan(b), t2 = mul(t, t), k2 = mul(k, k);
  const Tensor scale = add(mul(t2, k2), 1.0);
  return joined(div(mul(t, add(k2, 1.0)), scale), div(mul(k, sub(1.0, t2)), scale));
}
Tensor asin_of(const Tensor& z) {
  return over_i(log_of(add(times_i(z), sqrt_of(one_minus_square(z)))));
}
Tensor atanh_of(const Tensor& z) {
  return by_number(sub(log_of(add(z, 1.0)), log_of(sub(1.0, z))), 0.5);
}
Tensor acosh_of(const Tensor& z) {
  return log_of(add(z, mul(sqrt_of(add(z, 1.0)), sqrt_of(sub(z, 1.0)))));
}
Tensor sign_of(const Tensor& z) {
  const Tensor size = unsqueeze(magnitude(z), -1), zero = eq(size, 0.0);
  const Tensor parts = div(view_as_real(z), masked_fill(size, zero, 1.0));
  return complex_result(parts);
}
Tensor power_of(const Tensor& z, double exponent) {
  if (exponent == 0) return ones_like(z);
  if (exponent == 1) return clone(z);
  if (exponent == 2) return mul(z, z);
  if (exponent == 3) return mul(mul(z, z), z);
  if (exponent == 0.5) return sqrt_of(z);
  if (exponent == -1) return reciprocal(z);
  const Tensor power = exp_of(by_number(log_of(z), exponent));
  return exponent < 0 ? power : where(eq(z, 0.0), zeros_like(z), power);
}

}  // namespace

Tensor complex_product(const Tensor& a, const Tensor& b) {
  const auto [ar, ai] = parts_of(a);
  const auto [br, bi] = parts_of(b);
  return joined(sub(mul(ar, br), mul(ai, bi)), add(mul(ar, bi), mul(ai, br)));
}

// By the larger part of the divisor, whose square could overflow; it is no variable here, as it
// cancels out.
Tensor complex_quotient(const Tensor& a, const Tensor& b) {
  const auto [ar, ai] = parts_of(a);
  const auto [br, bi] = parts_of(b);
  const Tensor largest = maximum(abs(br.detach()), abs(bi.detach()));
  const Tensor scale = masked_fill(largest, logical_or(eq(largest, 0.0), isinf(largest)), 1.0);
  const Tensor cr = div(br, scale), ci = div(bi, scale);
  const Tensor below = add(mul(br, cr), mul(bi, ci));
  return joined(div(add(mul(ar, cr), mul(ai, ci)), below),
                div(sub(mul(ai, cr), mul(ar, ci)), below));
}

Tensor complex_power(const Tensor& z, const Tensor& w) {
  const Tensor power = exp_of(mul(log_of(z), w));
  const Tensor at_zero = to(eq(w, 0.0), z.scalar_type());
  return where(eq(z, 0.0), at_zero, power);
}

Tensor complex_function(std::string_view name, const Tensor& z, double number) {
  if (name == "abs") return magnitude(z);
  if (name == "angle") return phase(z);
  if (name == "exp") return exp_of(z);
  if (name == "exp2") return exp_of(by_number(z, ln2));
  if (name == "expm1") return sub(exp_of(z), 1.0);
  if (name == "log") return log_of(z);
  if (name == "log2") return by_number(log_of(z), 1 / ln2);
  if (name == "log10") return by_number(log_of(z), 1 / ln10);
  if (name == "log1p") return log_of(add(z, 1.0));
  if (name == "sqrt") return sqrt_of(z);
  if (name == "rsqrt") return reciprocal(sqrt_of(z));
  if (name == "square") return mul(z, z);
  if (name == "reciprocal") return div(ones_like(z), z);
  if (name == "sigmoid") return reciprocal(add(exp_of(neg(z)), 1.0));
  if (name == "sin") return sin_of(z);
  if (name == "cos") return cos_of(z);
  if (name == "tan") return over_i(tanh_of(times_i(z)));
  if (name == "sinh") return sinh_of(z);
  if (name == "cosh") return cosh_of(z);
  if (name == "tanh") return tanh_of(z);
  if (name == "asin") return asin_of(z);
  if (name == "acos") return sub(pi / 2, asin_of(z));
  if (name == "atan") return over_i(atanh_of(times_i(z)));
  if (name == "asinh") return over_i(asin_of(times_i(z)));
  if (name == "acosh") return acosh_of(z);
  if (name == "atanh") return atanh_of(z);
  if (name == "sign") return sign_of(z);
  if (name == "pow_number") return power_of(z, number);
  if (name == "add_number") {
    const auto [re, im] = parts_of(z);
    return joined(add(re, number), im);
  }
  if (name == "reverse_sub_number") {
    const auto [re, im] = parts_of(z);
    return joined(sub(number, re), neg(im));
  }
  if (name == "reverse_div_number") return mul(reciprocal(z), number);
  return {};
}

}  // namespace oneagent
