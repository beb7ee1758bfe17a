#include "core/kernels/cpu/gamma.h"

#include "core/kernels/cpu/incomplete_gamma.h"
#include "core/kernels/cpu/special_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// sum of B(2k) / (2k (2k - 1) z^(2k-1)): Stirling's series of log Gamma.
constexpr double kStirling[] = {-3617.0 / 122400, 1.0 / 156,    -691.0 / 360360, 1.0 / 1188,
                                -1.0 / 1680,      1.0 / 1260.0, -1.0 / 360,      1.0 / 12};
// log Gamma by Stirling's series at z >= 8, less the logarithm of the steps that lead there, and by
// reflection below 0: Gamma(x) Gamma(-x) = -pi / (x sin(pi x)). For float32: the zeros at 1 and 2
// have absolute errors of double only.
struct Lgamma {
  explicit Lgamma(const Params&) {}
  Doubles operator()(Doubles x) const {
    const Doubles a = abs_(x);
    Doubles z = a, product = doubles(1.0);
    for (int i = 0; i < 8; ++i) {
      const auto small = z < 8.0;
      product = choose(small, product * z, product);
      z = choose(small, z + 1.0, z);
    }
    const Doubles w = 1.0 / z;
    Doubles y = (z - 0.5) * log_(z) - z + 0.91893853320467274178 + w * polynomial(w * w, kStirling);
    y -= log_(product);
    y = choose((a == 1.0) | (a == 2.0), doubles(0.0), y);
    y = choose(a == kInfinity, doubles(kInfinity), y);
    return branch(
        x < 0.0,
        [&] {
          const Doubles s = sin_(kPi * (x - rint_(x)));
          const Doubles reflected = 1.14472988584940017414 - log_(abs_(a * s)) - y;
          const Doubles at_pole = choose(x == rint_(x), doubles(kInfinity), reflected);
          return choose(x < 0.0, at_pole, y);
        },
        [&] { return y; });
  }
};
struct WideLgamma {
  explicit WideLgamma(const Params&) {}
  double operator()(double x) const { return lgamma_of(x); }
};

// sum of B(2k) / (2k z^2k)
constexpr double kDigamma[] = {1.0 / 12,  -691.0 / 32760, 1.0 / 132, -1.0 / 240,
                               1.0 / 252, -1.0 / 120,     1.0 / 12};
// Upwards in steps of two to z >= 10, and the asymptotic series there; below 0 by reflection.
struct Digamma {
  explicit Digamma(const Params&) {}
  static Doubles positive(Doubles x) {
    // A lane below 0 is another branch's; it would take as many steps as its value.
    Doubles z = choose(x < 0.0, doubles(10.0), x), steps = doubles(0.0);
    while (any_of(z < 10.0)) {
      const auto small = z < 10.0;
      steps = choose(small, steps + (2.0 * z + 1.0) / (z * (z + 1.0)), steps);
      z = choose(small, z + 2.0, z);
    }
    const Doubles w = 1.0 / z, ww = w * w;
    return log_(z) - 0.5 * w - ww * polynomial(ww, kDigamma) - steps;
  }
  Doubles operator()(Doubles x) const {
    const Doubles y = branch(
        x < 0.0,
        [&] {
          const Doubles r = kPi * (x - rint_(x));
          const Doubles reflected = positive(1.0 - x) - kPi / tan_(r);
          return choose(x == rint_(x), doubles(kNan), reflected);
        },
        [&] { return positive(x); });
    const Doubles at_zero = choose(1.0 / x < 0.0, doubles(kInfinity), doubles(-kInfinity));
    return choose(x == 0.0, at_zero, choose(x == -kInfinity, doubles(kNan), y));
  }
};

// sum of B(2k) / z^(2k+1), and 1 / z + 1 / (2 z^2) before it.
constexpr double kTrigamma[] = {7.0 / 6,  -691.0 / 2730, 5.0 / 66, -1.0 / 30,
                                1.0 / 42, -1.0 / 30,     1.0 / 6};
struct Trigamma {
  explicit Trigamma(const Params&) {}
  static Doubles positive(Doubles x) {
    // A lane below 0 is another branch's; it would take as many steps as its value.
    Doubles z = choose(x < 0.0, doubles(10.0), x), steps = doubles(0.0);
    while (any_of(z < 10.0)) {
      const auto small = z < 10.0;
      steps = choose(small, steps + 1.0 / (z * z), steps);
      z = choose(small, z + 1.0, z);
    }
    const Doubles w = 1.0 / z, ww = w * w;
    return steps + w + 0.5 * ww + w * ww * polynomial(ww, kTrigamma);
  }
  Doubles operator()(Doubles x) const {
    return branch(
        x < 0.5,
        [&] {
          const Doubles s = sin_(kPi * (x - rint_(x)));
          return kPi * kPi / (s * s) - positive(1.0 - x);
        },
        [&] { return positive(x); });
  }
};

// (2k)! / B(2k): Cephes' zeta.
constexpr double kZeta[] = {12.0,
                            -720.0,
                            30240.0,
                            -1209600.0,
                            47900160.0,
                            -1.8924375803183791606e9,
                            7.47242496e10,
                            -2.950130727918164224e12,
                            1.1646782814350067249e14,
                            -4.5979787224074726105e15,
                            1.8152105401943546773e17,
                            -7.1661652561756670113e18};

// Ten terms and the rest by Euler and Maclaurin. For q > 0 and x > 1.
Doubles zeta_positive(Doubles x, Doubles q) {
  Doubles sum = pow_(q, -x), a = q, b = sum;
  for (int i = 0; i < 9; ++i) {
    a += 1.0;
    b = pow_(a, -x);
    sum += b;
  }
  sum += b * a / (x - 1.0) - 0.5 * b;
  Doubles factor = doubles(1.0), k = doubles(0.0);
  for (const double coefficient : kZeta) {
    factor *= x + k;
    b /= a;
    const Doubles term = factor * b / coefficient;
    sum += choose(term == term, term, doubles(0.0));
    k += 1.0;
    factor *= x + k;
    b /= a;
    k += 1.0;
  }
  return sum;
}

// q <= 0, where x must be whole: walked up to where the other form holds.
double zeta_negative(double x, double q) {
  if (q == std::floor(q)) return kInfinity;
  if (x != std::floor(x)) return kNan;
  double sum = 0;
  for (; q <= 0.0; q += 1.0) {
    const double term = std::pow(q, -x);
    if (q < -1e6 && std::fabs(term) < 1e-17 * std::fabs(sum)) return sum;
    sum += term;
  }
  double rest[kDoubles];
  store_doubles(rest, zeta_positive(doubles(x), doubles(q)));
  return sum + rest[0];
}

Doubles zeta(Doubles x, Doubles q) {
  Doubles y = zeta_positive(x, choose(q > 0.0, q, doubles(1.0)));
  if (any_of(q <= 0.0)) {
    double values[kDoubles], xs[kDoubles], qs[kDoubles];
    store_doubles(values, y);
    store_doubles(xs, x);
    store_doubles(qs, q);
    for (int64_t i = 0; i < kDoubles; ++i)
      if (qs[i] <= 0.0) values[i] = zeta_negative(xs[i], qs[i]);
    y = load_doubles(values);
  }
  y = choose(x == 1.0, doubles(kInfinity), y);
  return choose(x < 1.0, doubles(kNan), choose(q == q, y, q));
}

struct Zeta {
  explicit Zeta(const Params&) {}
  Doubles operator()(Doubles x, Doubles q) const { return zeta(x, q); }
};

// (-1)^(n+1) n! zeta(n + 1, x)
struct Polygamma {
  double n, factor;
  bool first;
  explicit Polygamma(const Params& params)
      : n(static_cast<double>(params.integer[0])), first(params.integer[0] == 1) {
    factor = std::exp(lgamma_of(n + 1.0));
    if (params.integer[0] % 2 == 0) factor = -factor;
  }
  Doubles operator()(Doubles x) const {
    return first ? Trigamma(Params())(x) : factor * zeta(doubles(n + 1.0), x);
  }
};

template <class T>
struct Igamma {
  explicit Igamma(const Params&) {}
  T operator()(T a, T x) const { return lower_gamma(a, x); }
};
template <class T>
struct Igammac {
  explicit Igammac(const Params&) {}
  T operator()(T a, T x) const { return upper_gamma(a, x); }
};

template <template <class> class F>
Inner each(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

}  // namespace

Inner gamma(Gamma function, DType dtype) {
  switch (function) {
    case Gamma::kLgamma:
      if (dtype == DType::kFloat64) return unary_row<double, double, WideLgamma>;
      return special_row<Lgamma, 1>(dtype);
    case Gamma::kDigamma:
      return special_row<Digamma, 1>(dtype);
    case Gamma::kPolygamma:
      return special_row<Polygamma, 1>(dtype);
  }
  return nullptr;
}

Inner gamma2(Gamma2 function, DType dtype) {
  switch (function) {
    case Gamma2::kZeta:
      return special_row<Zeta, 2>(dtype);
    case Gamma2::kIgamma:
      return each<Igamma>(dtype);
    case Gamma2::kIgammac:
      return each<Igammac>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
