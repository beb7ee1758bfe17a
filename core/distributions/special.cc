#include "core/distributions/special.h"

#include <cmath>
#include <limits>

#include "core/graph/context.h"
#include "core/graph/custom.h"
#include "core/ops/ops.h"

namespace oneagent::distributions::special {
namespace {

// f of each element, with the gradient that slope(x) gives.
template <class F, class Slope>
Tensor elementwise(const char* name, const Tensor& x, const F& f, const Slope& slope) {
  Tensor out;
  {
    const NoGradGuard no_grad;
    const Tensor in = to(x.detach(), DType::kFloat64).contiguous();
    const Tensor values = empty(in.sizes(), DType::kFloat64);
    const double* from = in.data_ptr<double>();
    double* into = values.data_ptr<double>();
    for (int64_t i = 0; i < in.numel(); ++i) into[i] = f(from[i]);
    out = to(values, x.dtype());
  }
  if (GradMode::is_enabled() && x.requires_grad())
    attach_custom(name, {x}, {out}, [x, slope](const std::vector<Tensor>& gradients) {
      return std::vector<Tensor>{gradients[0] * slope(x)};
    });
  return out;
}

// Bernoulli numbers B2, B4, ... of the asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.11);
// the recurrence takes x to where it converges.
constexpr double kBernoulli[] = {1.0 / 6, -1.0 / 30, 1.0 / 42, -1.0 / 30, 5.0 / 66};

double digamma_at(double x) {
  double out = 0;
  for (; x < 16; x += 1) out -= 1 / x;
  out += std::log(x) - 0.5 / x;
  double power = 1;
  for (int k = 1; k <= 5; ++k) out -= kBernoulli[k - 1] / (2 * k * (power *= x * x));
  return out;
}

double polygamma_at(int64_t order, double x) {
  if (order == 0) return digamma_at(x);
  const auto n = static_cast<double>(order);
  const double factorial = std::tgamma(n + 1);
  double out = 0;
  for (; x < 16 + n; x += 1) out += factorial / std::pow(x, n + 1);
  out += std::tgamma(n) / std::pow(x, n) + factorial / (2 * std::pow(x, n + 1));
  for (int k = 1; k <= 5; ++k)
    out += kBernoulli[k - 1] * std::tgamma(2 * k + n) /
           (std::tgamma(2.0 * k + 1) * std::pow(x, 2 * k + n));
  return order % 2 == 1 ? out : -out;
}

// S. Winitzki's approximation (2008), refined by Newton's method on the smaller tail.
double inverse_erf_at(double p) {
  if (!(std::abs(p) < 1))
    return std::abs(p) == 1 ? std::copysign(std::numeric_limits<double>::infinity(), p)
                            : std::numeric_limits<double>::quiet_NaN();
  const double q = std::abs(p), a = 0.147, log_tail = std::log1p(-q * q);
  const double t = 2 / (M_PI * a) + log_tail / 2;
  double z = std::sqrt(std::sqrt(t * t - log_tail / a) - t);
  for (int i = 0; i < 4; ++i) {
    const double error = q < 0.5 ? std::erf(z) - q : (1 - q) - std::erfc(z);
    z -= error / (M_2_SQRTPI * std::exp(-z * z));
  }
  return std::copysign(z, p);
}

}  // namespace

Tensor log_gamma(const Tensor& x) {
  return elementwise(
      "log_gamma", x, [](double v) { return std::lgamma(v); },
      [](const Tensor& at) { return polygamma_of(0, at); });
}

Tensor polygamma_of(int64_t n, const Tensor& x) {
  return elementwise(
      "polygamma", x, [n](double v) { return polygamma_at(n, v); },
      [n](const Tensor& at) { return polygamma_of(n + 1, at); });
}

Tensor inverse_erf(const Tensor& x) {
  return elementwise("inverse_erf", x, inverse_erf_at, [](const Tensor& at) {
    return exp(square(inverse_erf(at))) * 0.88622692545275801365;  // sqrt(pi) / 2
  });
}

Tensor arctangent(const Tensor& x) {
  return elementwise(
      "arctangent", x, [](double v) { return std::atan(v); },
      [](const Tensor& at) { return reciprocal(square(at) + 1.0); });
}

Tensor tangent(const Tensor& x) { return sin(x) / cos(x); }

Tensor x_log_y(const Tensor& x, const Tensor& y) { return where(eq(x, 0.0), 0.0, x * log(y)); }

}  // namespace oneagent::distributions::special
