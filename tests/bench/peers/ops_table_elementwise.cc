// Unary, binary and ternary arithmetic, comparisons, logic and bits.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {
namespace {

#define OA_UNARY(op, x) OA_BOTH(#op, OA_LEAVES(x), torch::op(x))
#define OA_BINARY(op, x, y) OA_BOTH(#op, OA_LEAVES(x, y), torch::op(x, y))
#define OA_PLAIN(op, type, ...) OA_FORWARD(#op type, torch::op(__VA_ARGS__))

void unary(int64_t n) {
  const Tensor x = number_in(-3, 3, {n});
  const Tensor unit = number_in(-0.9, 0.9, {n});
  const Tensor positive = number_in(0.1, 4, {n});
  const Tensor above = number_in(1.1, 4, {n});
  OA_UNARY(abs, x);
  OA_UNARY(neg, x);
  OA_UNARY(exp, x);
  OA_UNARY(exp2, x);
  OA_UNARY(expm1, x);
  OA_UNARY(log, positive);
  OA_UNARY(log2, positive);
  OA_UNARY(log10, positive);
  OA_UNARY(log1p, positive);
  OA_UNARY(sqrt, positive);
  OA_UNARY(rsqrt, positive);
  OA_UNARY(square, x);
  OA_UNARY(reciprocal, positive);
  OA_UNARY(sin, x);
  OA_UNARY(cos, x);
  OA_UNARY(tan, unit);
  OA_UNARY(asin, unit);
  OA_UNARY(acos, unit);
  OA_UNARY(atan, x);
  OA_UNARY(sinh, x);
  OA_UNARY(cosh, x);
  OA_UNARY(tanh, x);
  OA_UNARY(asinh, x);
  OA_UNARY(acosh, above);
  OA_UNARY(atanh, unit);
  OA_UNARY(sigmoid, x);
  OA_UNARY(floor, x);
  OA_UNARY(ceil, x);
  OA_UNARY(round, x);
  OA_UNARY(trunc, x);
  OA_UNARY(frac, x);
  OA_UNARY(sign, x);
  OA_UNARY(sgn, x);
  OA_UNARY(positive, x);
  OA_UNARY(deg2rad, x);
  OA_UNARY(rad2deg, x);
  OA_UNARY(nan_to_num, x);
  OA_UNARY(angle, x);
  OA_BOTH("pow 2", OA_LEAVES(positive), torch::pow(positive, 2));
  OA_BOTH("pow 3", OA_LEAVES(positive), torch::pow(positive, 3));
  OA_BOTH("pow 0.5", OA_LEAVES(positive), torch::pow(positive, 0.5));
  OA_BOTH("pow -1", OA_LEAVES(positive), torch::pow(positive, -1));
  OA_BOTH("pow 1.7", OA_LEAVES(positive), torch::pow(positive, 1.7));
  OA_BOTH("pow of number", OA_LEAVES(positive), torch::pow(2.5, positive));
  OA_BOTH("float_power", OA_LEAVES(positive), torch::float_power(positive, 1.7));
  OA_BOTH("clamp", OA_LEAVES(x), torch::clamp(x, -1, 1));
  OA_BOTH("clamp_min", OA_LEAVES(x), torch::clamp_min(x, -1));
  OA_BOTH("clamp_max", OA_LEAVES(x), torch::clamp_max(x, 1));
  OA_BOTH("round 2 digits", OA_LEAVES(x), torch::round(x, 2));
  OA_BOTH("add number", OA_LEAVES(x), torch::add(x, 1.5));
  OA_BOTH("sub number", OA_LEAVES(x), torch::sub(x, 1.5));
  OA_BOTH("mul number", OA_LEAVES(x), torch::mul(x, 1.5));
  OA_BOTH("div number", OA_LEAVES(x), torch::div(x, 1.5));
  OA_BOTH("rsub number", OA_LEAVES(x), torch::rsub(x, 1.5));
  OA_BOTH("number / tensor", OA_LEAVES(positive), 1.5 / positive);
  OA_FORWARD("signbit", torch::signbit(x));
  OA_FORWARD("isnan", torch::isnan(x));
  OA_FORWARD("isinf", torch::isinf(x));
  OA_FORWARD("isfinite", torch::isfinite(x));
  OA_FORWARD("isposinf", torch::isposinf(x));
  OA_FORWARD("isneginf", torch::isneginf(x));
  OA_FORWARD("isreal", torch::isreal(x));
  OA_FORWARD("frexp", torch::frexp(x));
  OA_FORWARD("to float64", x.to(torch::kFloat64));
  OA_FORWARD("to int64", x.to(torch::kInt64));
  OA_FORWARD("to bool", x.to(torch::kBool));
  OA_FORWARD("to float16", x.to(torch::kFloat16));
  OA_FORWARD("to bfloat16", x.to(torch::kBFloat16));
}

void binary(int64_t n) {
  const Tensor x = number_in(-3, 3, {n});
  const Tensor y = number_in(0.5, 2, {n});
  const Tensor p = number_in(0.1, 4, {n});
  const Tensor exponent = whole(-3, 3, {n});
  OA_BINARY(add, x, y);
  OA_BINARY(sub, x, y);
  OA_BINARY(mul, x, y);
  OA_BINARY(div, x, y);
  OA_BINARY(pow, p, y);
  OA_BINARY(atan2, x, y);
  OA_BINARY(hypot, x, y);
  OA_BINARY(maximum, x, y);
  OA_BINARY(minimum, x, y);
  OA_BINARY(fmax, x, y);
  OA_BINARY(fmin, x, y);
  OA_BINARY(copysign, x, y);
  OA_BINARY(logaddexp, x, y);
  OA_BINARY(logaddexp2, x, y);
  OA_BINARY(xlogy, x, y);
  OA_BOTH("fmod", OA_LEAVES(x), torch::fmod(x, y));
  OA_BOTH("remainder", OA_LEAVES(x), torch::remainder(x, y));
  OA_BOTH("remainder number", OA_LEAVES(x), torch::remainder(x, 0.7));
  OA_BOTH("fmod number", OA_LEAVES(x), torch::fmod(x, 0.7));
  OA_FORWARD("floor_divide", torch::floor_divide(x, y));
  OA_BOTH("div floor", OA_LEAVES(x), torch::div(x, y, "floor"));
  OA_BOTH("div trunc", OA_LEAVES(x), torch::div(x, y, "trunc"));
  OA_BOTH("add alpha", OA_LEAVES(x, y), torch::add(x, y, 0.5));
  OA_BOTH("sub alpha", OA_LEAVES(x, y), torch::sub(x, y, 0.5));
  OA_BOTH("ldexp", OA_LEAVES(x), torch::ldexp(x, exponent));
  OA_FORWARD("nextafter", torch::nextafter(x, y));
  OA_FORWARD("heaviside", torch::heaviside(x, y));
  OA_BOTH("lerp number", OA_LEAVES(x, y), torch::lerp(x, y, 0.3));
  OA_BOTH("lerp", OA_LEAVES(x, y, p), torch::lerp(x, y, p));
  OA_BOTH("addcmul", OA_LEAVES(x, y, p), torch::addcmul(x, y, p, 0.5));
  OA_BOTH("addcdiv", OA_LEAVES(x, y, p), torch::addcdiv(x, y, p, 0.5));
  OA_BOTH("clamp tensors", OA_LEAVES(x), torch::clamp(x, y, p));
  const Tensor condition = x.gt(0);
  OA_BOTH("where", OA_LEAVES(x, y), torch::where(condition, x, y));
  OA_BOTH("where number", OA_LEAVES(x), torch::where(condition, x, 0));
  OA_BOTH("dist", OA_LEAVES(x, y), torch::dist(x, y));
  OA_FORWARD("isclose", torch::isclose(x, y));
  OA_FORWARD("allclose", torch::allclose(x, x));
  OA_FORWARD("equal", torch::equal(x, x));
  OA_PLAIN(eq, "", x, y);
  OA_PLAIN(ne, "", x, y);
  OA_PLAIN(lt, "", x, y);
  OA_PLAIN(le, "", x, y);
  OA_PLAIN(gt, "", x, y);
  OA_PLAIN(ge, "", x, y);
  OA_PLAIN(eq, " number", x, 1);
  OA_PLAIN(lt, " number", x, 1);
  OA_PLAIN(ge, " number", x, 1);
  OA_FORWARD("logical_and", torch::logical_and(x, y));
  OA_FORWARD("logical_or", torch::logical_or(x, y));
  OA_FORWARD("logical_xor", torch::logical_xor(x, y));
  OA_FORWARD("logical_not", torch::logical_not(x));
}

void broadcast() {
  const int64_t n = pick(8, 1024);
  const Tensor m = number_in(0.5, 2, {n, n});
  const Tensor row = number_in(0.5, 2, {n});
  const Tensor column = number_in(0.5, 2, {n, 1});
  const Tensor bias = number_in(0.5, 2, {pick(4, 64), 1, 1});
  const Tensor planes = number_in(0.5, 2, {4, pick(4, 64), pick(4, 64), pick(4, 64)});
  OA_BOTH("add row", OA_LEAVES(m, row), torch::add(m, row));
  OA_BOTH("add column", OA_LEAVES(m, column), torch::add(m, column));
  OA_BOTH("mul row", OA_LEAVES(m, row), torch::mul(m, row));
  OA_BOTH("mul column", OA_LEAVES(m, column), torch::mul(m, column));
  OA_BOTH("div column", OA_LEAVES(m, column), torch::div(m, column));
  OA_BOTH("outer add", OA_LEAVES(row, column), torch::add(row, column));
  OA_BOTH("add channels", OA_LEAVES(planes, bias), torch::add(planes, bias));
  OA_BOTH("add transposed", OA_LEAVES(m), torch::add(m, m.t()));
  OA_BOTH("exp transposed", OA_LEAVES(m), torch::exp(m.t()));
  OA_FORWARD("add float and int64", torch::add(row, torch::ones({n}, torch::kInt64)));
  OA_FORWARD("add 0-d", torch::add(m, row.select(0, 0)));
}

void doubles(int64_t n) {
  const Tensor x = number_in(0.1, 3, {n}, torch::kFloat64);
  const Tensor y = number_in(0.5, 2, {n}, torch::kFloat64);
  OA_PLAIN(add, " f64", x, y);
  OA_PLAIN(mul, " f64", x, y);
  OA_PLAIN(div, " f64", x, y);
  OA_PLAIN(pow, " f64", x, y);
  OA_PLAIN(exp, " f64", x);
  OA_PLAIN(log, " f64", x);
  OA_PLAIN(sin, " f64", x);
  OA_PLAIN(tanh, " f64", x);
  OA_PLAIN(sigmoid, " f64", x);
  OA_PLAIN(sqrt, " f64", x);
  OA_PLAIN(erf, " f64", x);
  OA_PLAIN(maximum, " f64", x, y);
  OA_PLAIN(lt, " f64", x, y);
  OA_PLAIN(where, " f64", x.gt(1), x, y);
  OA_PLAIN(clamp, " f64", x, 0.5, 2);
  OA_FORWARD("to float32 f64", x.to(torch::kFloat32));
}

void integers(int64_t n) {
  const Tensor i = whole(-100, 100, {n});
  const Tensor j = whole(1, 9, {n});
  const Tensor small = j.to(torch::kInt32);
  const Tensor byte = j.to(torch::kUInt8);
  const Tensor yes = i.gt(0);
  const Tensor no = j.gt(4);
  OA_PLAIN(add, " int64", i, j);
  OA_PLAIN(sub, " int64", i, j);
  OA_PLAIN(mul, " int64", i, j);
  OA_PLAIN(div, " int64", i, j);
  OA_PLAIN(floor_divide, " int64", i, j);
  OA_PLAIN(floor_divide, " int64 number", i, 7);
  OA_PLAIN(remainder, " int64", i, j);
  OA_PLAIN(remainder, " int64 number", i, 7);
  OA_PLAIN(fmod, " int64", i, j);
  OA_PLAIN(pow, " int64", i, 2);
  OA_PLAIN(abs, " int64", i);
  OA_PLAIN(neg, " int64", i);
  OA_PLAIN(sign, " int64", i);
  OA_PLAIN(maximum, " int64", i, j);
  OA_PLAIN(clamp, " int64", i, -5, 5);
  OA_PLAIN(eq, " int64", i, j);
  OA_PLAIN(lt, " int64", i, j);
  OA_PLAIN(gt, " int64 number", i, 3);
  OA_PLAIN(where, " int64", yes, i, j);
  OA_PLAIN(exp, " int64", j);
  OA_PLAIN(sqrt, " int64", j);
  OA_PLAIN(add, " int32", small, small);
  OA_PLAIN(mul, " int32", small, small);
  OA_PLAIN(add, " uint8", byte, byte);
  OA_FORWARD("bitwise_and", torch::bitwise_and(i, j));
  OA_FORWARD("bitwise_or", torch::bitwise_or(i, j));
  OA_FORWARD("bitwise_xor", torch::bitwise_xor(i, j));
  OA_FORWARD("bitwise_not", torch::bitwise_not(i));
  OA_FORWARD("bitwise_left_shift", torch::bitwise_left_shift(i, j));
  OA_FORWARD("bitwise_right_shift", torch::bitwise_right_shift(i, j));
  OA_FORWARD("__lshift__", torch::__lshift__(i, 2));
  OA_FORWARD("gcd", torch::gcd(i, j));
  OA_FORWARD("lcm", torch::lcm(i, j));
  OA_FORWARD("bitwise_and bool", torch::bitwise_and(yes, no));
  OA_FORWARD("logical_and bool", torch::logical_and(yes, no));
  OA_FORWARD("logical_not bool", torch::logical_not(yes));
  OA_FORWARD("to float32 int64", i.to(torch::kFloat32));
  OA_FORWARD("to int32 int64", i.to(torch::kInt32));
  OA_FORWARD("to float32 uint8", byte.to(torch::kFloat32));
  OA_FORWARD("to float32 bool", yes.to(torch::kFloat32));
}

}  // namespace

void elementwise() {
  const int64_t n = pick(64, 1 << 20);
  unary(n);
  binary(n);
  broadcast();
  doubles(n);
  integers(n);
}

void special() {
  const int64_t n = pick(64, 1 << 18);
  const Tensor x = number_in(-3, 3, {n});
  const Tensor unit = number_in(-0.9, 0.9, {n});
  const Tensor half = number_in(0.05, 0.95, {n});
  const Tensor p = number_in(1.1, 4, {n});
  const Tensor y = number_in(1.2, 3, {n});
  OA_UNARY(erf, x);
  OA_UNARY(erfc, x);
  OA_UNARY(erfinv, unit);
  OA_UNARY(lgamma, p);
  OA_UNARY(digamma, p);
  OA_UNARY(i0, x);
  OA_UNARY(sinc, x);
  OA_BOTH("logit", OA_LEAVES(half), torch::logit(half));
  OA_BOTH("logit eps", OA_LEAVES(half), torch::logit(half, 1e-3));
  OA_BOTH("polygamma 1", OA_LEAVES(p), torch::polygamma(1, p));
  OA_BOTH("polygamma 3", OA_LEAVES(p), torch::polygamma(3, p));
  OA_BOTH("mvlgamma", OA_LEAVES(p), torch::mvlgamma(p, 2));
  OA_BOTH("igamma", OA_LEAVES(y), torch::igamma(p, y));
  OA_BOTH("igammac", OA_LEAVES(y), torch::igammac(p, y));
  OA_UNARY(special_entr, half);
  OA_UNARY(special_erfcx, x);
  OA_UNARY(special_i0e, x);
  OA_UNARY(special_i1, x);
  OA_UNARY(special_i1e, x);
  OA_UNARY(special_ndtr, x);
  OA_UNARY(special_ndtri, half);
  OA_UNARY(special_log_ndtr, x);
  OA_BINARY(special_xlog1py, x, p);
  OA_FORWARD("special_zeta", torch::special_zeta(p, y));
  OA_PLAIN(special_airy_ai, "", x);
  OA_PLAIN(special_bessel_j0, "", x);
  OA_PLAIN(special_bessel_j1, "", x);
  OA_PLAIN(special_bessel_y0, "", p);
  OA_PLAIN(special_bessel_y1, "", p);
  OA_PLAIN(special_modified_bessel_i0, "", x);
  OA_PLAIN(special_modified_bessel_i1, "", x);
  OA_PLAIN(special_modified_bessel_k0, "", p);
  OA_PLAIN(special_modified_bessel_k1, "", p);
  OA_PLAIN(special_scaled_modified_bessel_k0, "", p);
  OA_PLAIN(special_scaled_modified_bessel_k1, "", p);
  OA_PLAIN(special_spherical_bessel_j0, "", x);
  OA_PLAIN(special_chebyshev_polynomial_t, "", unit, 5);
  OA_PLAIN(special_chebyshev_polynomial_u, "", unit, 5);
  OA_PLAIN(special_hermite_polynomial_h, "", unit, 5);
  OA_PLAIN(special_hermite_polynomial_he, "", unit, 5);
  OA_PLAIN(special_laguerre_polynomial_l, "", unit, 5);
  OA_PLAIN(special_legendre_polynomial_p, "", unit, 5);
}

void in_place() {
  const int64_t n = pick(64, 1 << 20);
  Tensor x = number_in(0.5, 0.9, {n});
  Tensor i = whole(1, 90, {n});
  const Tensor y = number_in(0.5, 0.9, {n});
  const Tensor j = whole(1, 9, {n});
  const Tensor one = torch::ones({n});
  const Tensor mask = y.gt(0.7);
#define OA_IN(name, ...) OA_FORWARD(name, __VA_ARGS__)
  OA_IN("add_", x.add_(y, 0.0));
  OA_IN("add_ number", x.add_(0.0));
  OA_IN("sub_", x.sub_(y, 0.0));
  OA_IN("mul_", x.mul_(one));
  OA_IN("mul_ number", x.mul_(1.0));
  OA_IN("div_", x.div_(one));
  OA_IN("div_ number", x.div_(1.0));
  OA_IN("pow_", x.pow_(1.0));
  OA_IN("addcmul_", x.addcmul_(y, y, 0.0));
  OA_IN("addcdiv_", x.addcdiv_(y, y, 0.0));
  OA_IN("lerp_", x.lerp_(y, 0.0));
  OA_IN("clamp_", x.clamp_(0.1, 2));
  OA_IN("abs_", x.abs_());
  OA_IN("neg_", x.neg_());
  OA_IN("exp_", torch::mul_out(x, y, y).exp_());
  OA_IN("sqrt_", x.copy_(y).sqrt_());
  OA_IN("tanh_", x.copy_(y).tanh_());
  OA_IN("sigmoid_", x.copy_(y).sigmoid_());
  OA_IN("relu_", x.relu_());
  OA_IN("copy_", x.copy_(y));
  OA_IN("copy_ int64", x.copy_(j));
  OA_IN("fill_", x.fill_(0.5));
  OA_IN("zero_", x.zero_());
  OA_IN("masked_fill_", x.masked_fill_(mask, 0.5));
  OA_IN("eq_", x.eq_(y));
  OA_IN("lt_", x.lt_(y));
  OA_IN("ge_ number", x.ge_(0.5));
  OA_IN("logical_and_", x.logical_and_(y));
  OA_IN("add_ int64", i.add_(j, 0));
  OA_IN("mul_ int64", i.mul_(1));
  OA_IN("bitwise_and_", i.bitwise_and_(j));
  OA_IN("remainder_ int64", i.remainder_(91));
  Tensor m = number_in(0, 1, {pick(8, 1024), pick(8, 1024)});
  const Tensor row = number_in(0, 1, {pick(8, 1024)});
  OA_IN("add_ row", m.add_(row, 0.0));
  OA_IN("mul_ transposed", m.t().mul_(1.0));
  OA_IN("tril_", m.tril_());
  OA_IN("fill_diagonal_", m.fill_diagonal_(1));
  Tensor out = torch::empty({n});
  OA_IN("add_out", torch::add_out(out, y, y));
  OA_IN("exp_out", torch::exp_out(out, y));
}

}  // namespace ops_table
