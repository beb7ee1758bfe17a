// The regularised incomplete gamma functions, element by element, after Cephes and SciPy: series,
// continued fraction, or Temme's uniform asymptotic expansion where a is large and x near it (DLMF
// 8.7, 8.9, 8.11, 8.12).
#pragma once

#include <cmath>
#include <limits>

#include "core/kernels/cpu/gamma_table.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
inline constexpr T kRounding = std::numeric_limits<T>::epsilon() / 2;
inline constexpr int kMaxTerms = 2000;
inline constexpr double kLanczosG = 6.024680040776729583740234375;

inline double lgamma_of(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}
inline float lgamma_of(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}

// Gamma(x) / e^..., scaled; the quotient of two polynomials, in 1 / x where x is large.
template <class T>
T lanczos_sum(T x) {
  T above = 0, below = 0;
  if (x > 1) {
    const T y = 1 / x;
    for (int i = 12; i >= 0; --i) {
      above = above * y + static_cast<T>(kLanczosNumerator[i]);
      below = below * y + static_cast<T>(kLanczosDenominator[i]);
    }
  } else {
    for (int i = 0; i <= 12; ++i) {
      above = above * x + static_cast<T>(kLanczosNumerator[i]);
      below = below * x + static_cast<T>(kLanczosDenominator[i]);
    }
  }
  return above / below;
}

// x^a exp(-x) / Gamma(a)
template <class T>
T gamma_factor(T a, T x) {
  if (std::fabs(a - x) > T(0.4) * std::fabs(a)) {
    const T exponent = a * std::log(x) - x - lgamma_of(a);
    return std::exp(exponent);
  }
  const T g = static_cast<T>(kLanczosG), shifted = a + g - T(0.5);
  const T scale = std::sqrt(shifted / T(2.718281828459045)) / lanczos_sum(a);
  if (a < 200 && x < 200) return scale * std::exp(a - x) * std::pow(x / shifted, a);
  const T d = (x - a - g + T(0.5)) / shifted;
  return scale * std::exp(a * (std::log1p(d) - d) + x * (T(0.5) - g) / shifted);
}

template <class T>
T lower_series(T a, T x) {
  const T factor = gamma_factor(a, x);
  if (factor == 0) return 0;
  T r = a, term = 1, sum = 1;
  for (int i = 0; i < kMaxTerms; ++i) {
    r += 1;
    term *= x / r;
    sum += term;
    if (term <= kRounding<T> * sum) break;
  }
  return sum * factor / a;
}

template <class T>
T upper_series(T a, T x) {
  T factor = 1, sum = 0;
  for (int n = 1; n < kMaxTerms; ++n) {
    factor *= -x / static_cast<T>(n);
    const T term = factor / (a + static_cast<T>(n));
    sum += term;
    if (std::fabs(term) <= kRounding<T> * std::fabs(sum)) break;
  }
  const T log_x = std::log(x);
  const T first = -std::expm1(a * log_x - lgamma_of(1 + a));
  return first - std::exp(a * log_x - lgamma_of(a)) * sum;
}

template <class T>
T upper_fraction(T a, T x) {
  const T factor = gamma_factor(a, x);
  if (factor == 0) return 0;
  constexpr T kBig = T(1) / std::numeric_limits<T>::epsilon();
  T y = 1 - a, z = x + y + 1, c = 0;
  T p2 = 1, q2 = x, p1 = x + 1, q1 = z * x;
  T value = p1 / q1;
  for (int i = 0; i < kMaxTerms; ++i) {
    c += 1;
    y += 1;
    z += 2;
    const T yc = y * c, p = p1 * z - p2 * yc, q = q1 * z - q2 * yc;
    T change = 1;
    if (q != 0) {
      const T next = p / q;
      change = std::fabs((value - next) / next);
      value = next;
    }
    p2 = p1, p1 = p, q2 = q1, q1 = q;
    if (std::fabs(p) > kBig) p2 /= kBig, p1 /= kBig, q2 /= kBig, q1 /= kBig;
    if (change <= kRounding<T>) break;
  }
  return value * factor;
}

// sign -1: lower, 1: upper.
template <class T>
T uniform_expansion(T a, T x, T sign) {
  const T lambda = x / a, sigma = (x - a) / a;
  T eta = std::sqrt(-2 * (std::log1p(sigma) - sigma));
  eta = lambda > 1 ? eta : lambda < 1 ? -eta : T(0);
  T powers[25] = {1};
  int known = 0;
  T sum = 0, factor = 1, before = std::numeric_limits<T>::infinity();
  for (int k = 0; k < 25; ++k) {
    T c = static_cast<T>(kIncompleteGamma[k][0]);
    for (int n = 1; n < 25; ++n) {
      if (n > known) powers[n] = eta * powers[n - 1], known = n;
      const T term = static_cast<T>(kIncompleteGamma[k][n]) * powers[n];
      c += term;
      if (std::fabs(term) < kRounding<T> * std::fabs(c)) break;
    }
    const T term = c * factor, size = std::fabs(term);
    if (size > before) break;
    sum += term;
    if (size < kRounding<T> * std::fabs(sum)) break;
    before = size;
    factor /= a;
  }
  const T main = T(0.5) * std::erfc(sign * eta * std::sqrt(a / 2));
  const T density = std::exp(T(-0.5) * a * eta * eta) / std::sqrt(T(6.283185307179586) * a);
  return main + sign * density * sum;
}

template <class T>
bool near_transition(T a, T x) {
  const T distance = std::fabs(x - a) / a;
  return (a > 20 && a < 200 && distance < T(0.3)) || (a > 200 && distance < T(4.5) / std::sqrt(a));
}

// The value at the border of the domain, if (a, x) lies there.
template <class T>
bool border_value(T a, T x, bool upper, T& value) {
  constexpr T kNanValue = std::numeric_limits<T>::quiet_NaN();
  const T all = upper ? T(0) : T(1), none = T(1) - all;
  if (!(x >= 0 && a >= 0))
    value = kNanValue;
  else if (a == 0)
    value = x > 0 ? all : kNanValue;
  else if (x == 0)
    value = none;
  else if (std::isinf(a))
    value = std::isinf(x) ? kNanValue : none;
  else if (std::isinf(x))
    value = all;
  else
    return false;
  return true;
}

template <class T>
T upper_gamma(T a, T x) {
  T value;
  if (border_value(a, x, true, value)) return value;
  if (near_transition(a, x)) return uniform_expansion(a, x, T(1));
  if (x > T(1.1)) return x < a ? 1 - lower_series(a, x) : upper_fraction(a, x);
  const bool lower = x <= T(0.5) ? T(-0.4) / std::log(x) < a : x * T(1.1) < a;
  return lower ? 1 - lower_series(a, x) : upper_series(a, x);
}

template <class T>
T lower_gamma(T a, T x) {
  T value;
  if (border_value(a, x, false, value)) return value;
  if (near_transition(a, x)) return uniform_expansion(a, x, T(-1));
  return x > 1 && x > a ? 1 - upper_gamma(a, x) : lower_series(a, x);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
