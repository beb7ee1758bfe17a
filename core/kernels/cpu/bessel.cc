#include "core/kernels/cpu/bessel.h"

#include "core/kernels/cpu/bessel_table.h"
#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/modified_bessel_table.h"
#include "core/kernels/cpu/special_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// exp(-x) I0(x) and exp(-x) I1(x) of x >= 0.
Doubles scaled_i0(Doubles x) {
  return branch(
      x <= 8.0, [&] { return chebyshev(0.5 * x - 2.0, kI0Near); },
      [&] { return chebyshev(32.0 / x - 2.0, kI0Far) / sqrt_(x); });
}
Doubles scaled_i1(Doubles x) {
  return branch(
      x <= 8.0, [&] { return chebyshev(0.5 * x - 2.0, kI1Near) * x; },
      [&] { return chebyshev(32.0 / x - 2.0, kI1Far) / sqrt_(x); });
}
Doubles signed_like(Doubles y, Doubles x) { return choose(x < 0.0, -y, y); }

Doubles i0(Doubles x) { return exp_(abs_(x)) * scaled_i0(abs_(x)); }
Doubles i0e(Doubles x) { return scaled_i0(abs_(x)); }
Doubles i1(Doubles x) { return signed_like(exp_(abs_(x)) * scaled_i1(abs_(x)), x); }
Doubles i1e(Doubles x) { return signed_like(scaled_i1(abs_(x)), x); }

// The same for float: the last terms of the series are all that counts.
template <size_t kFrom, size_t N>
float narrow_chebyshev(float x, const double (&c)[N]) {
  float a = static_cast<float>(c[kFrom]), b = 0.0f, p = 0.0f;
#pragma GCC unroll 32
  for (size_t i = kFrom + 1; i < N; ++i) {
    p = b;
    b = a;
    a = __builtin_fmaf(x, b, static_cast<float>(c[i]) - p);
  }
  return 0.5f * (a - p);
}
template <bool kFirst, bool kScaled>
struct NarrowI {
  explicit NarrowI(const Params&) {}
  float operator()(float x) const {
    const float a = abs_(x);
    const float z = 0.5f * a - 2.0f, w = 32.0f / a - 2.0f;
    const float near =
        kFirst ? narrow_chebyshev<11>(z, kI1Near) * a : narrow_chebyshev<11>(z, kI0Near);
    const float far =
        (kFirst ? narrow_chebyshev<17>(w, kI1Far) : narrow_chebyshev<17>(w, kI0Far)) / sqrt_(a);
    float y = a <= 8.0f ? near : far;
    y = kScaled ? y : y * exp_(a);
    return kFirst ? __builtin_copysignf(y, x) : y;
  }
};

// Functions of the second kind: infinite at 0, undefined below.
Doubles positive_only(Doubles x, Doubles y, double at_zero) {
  y = choose(x == 0.0, doubles(at_zero), y);
  return choose(x < 0.0, doubles(kNan), y);
}
template <bool kScaled>
Doubles k0(Doubles x) {
  const Doubles y = branch(
      x <= 2.0,
      [&] {
        const Doubles near = chebyshev(x * x - 2.0, kK0Near) - log_(0.5 * x) * i0(x);
        return kScaled ? near * exp_(x) : near;
      },
      [&] {
        const Doubles far = chebyshev(8.0 / x - 2.0, kK0Far) / sqrt_(x);
        return kScaled ? far : far * exp_(-x);
      });
  return positive_only(x, y, kInfinity);
}
template <bool kScaled>
Doubles k1(Doubles x) {
  const Doubles y = branch(
      x <= 2.0,
      [&] {
        const Doubles near = log_(0.5 * x) * i1(x) + chebyshev(x * x - 2.0, kK1Near) / x;
        return kScaled ? near * exp_(x) : near;
      },
      [&] {
        const Doubles far = chebyshev(8.0 / x - 2.0, kK1Far) / sqrt_(x);
        return kScaled ? far : far * exp_(-x);
      });
  return positive_only(x, y, kInfinity);
}

constexpr double kSqrtTwoOverPi = 0.797884560802865355879892119868763737;
constexpr double kTwoOverPi = 0.636619772367581343075535053490057448;

// sqrt(2 / (pi x)) (a cos(t) - b sin(t)) and sqrt(2 / (pi x)) (a sin(t) + b cos(t)), far from 0.
template <bool kSecond, class PP, class PQ, class QP, class QQ>
Doubles oscillating(Doubles x, double phase, const PP& pp, const PQ& pq, const QP& qp,
                    const QQ& qq) {
  const Doubles z = 25.0 / (x * x), t = x - phase;
  const Doubles a = polynomial(z, pp) / polynomial(z, pq);
  const Doubles b = 5.0 / x * (polynomial(z, qp) / polynomial(z, qq));
  const Doubles y = kSecond ? a * sin_(t) + b * cos_(t) : a * cos_(t) - b * sin_(t);
  return y * kSqrtTwoOverPi / sqrt_(x);
}
constexpr double kPhase0 = 0.785398163397448309615660845819875721;
constexpr double kPhase1 = 2.356194490192344928846982537459627163;

Doubles near_j0(Doubles z) {  // of z = x^2
  return (z - 5.78318596294678452118) * (z - 3.04712623436620863991e1) * polynomial(z, kJ0RP) /
         polynomial(z, kJ0RQ);
}
Doubles near_j1(Doubles x) {
  const Doubles z = x * x;
  return polynomial(z, kJ1RP) / polynomial(z, kJ1RQ) * x * (z - 1.46819706421238932572e1) *
         (z - 4.92184563216946036703e1);
}
Doubles j0(Doubles x) {
  x = abs_(x);
  return branch(
      x <= 5.0, [&] { return near_j0(x * x); },
      [&] { return oscillating<false>(x, kPhase0, kJ0PP, kJ0PQ, kJ0QP, kJ0QQ); });
}
Doubles j1(Doubles x) {
  const Doubles a = abs_(x);
  const Doubles y = branch(
      a <= 5.0, [&] { return near_j1(a); },
      [&] { return oscillating<false>(a, kPhase1, kJ1PP, kJ1PQ, kJ1QP, kJ1QQ); });
  return signed_like(y, x);
}
Doubles y0(Doubles x) {
  const Doubles y = branch(
      x <= 5.0,
      [&] {
        const Doubles z = x * x;
        return polynomial(z, kY0P) / polynomial(z, kY0Q) + kTwoOverPi * log_(x) * near_j0(z);
      },
      [&] { return oscillating<true>(x, kPhase0, kJ0PP, kJ0PQ, kJ0QP, kJ0QQ); });
  return positive_only(x, y, -kInfinity);
}
Doubles y1(Doubles x) {
  const Doubles y = branch(
      x <= 5.0,
      [&] {
        const Doubles z = x * x;
        return x * (polynomial(z, kY1P) / polynomial(z, kY1Q)) +
               kTwoOverPi * (near_j1(x) * log_(x) - 1.0 / x);
      },
      [&] { return oscillating<true>(x, kPhase1, kJ1PP, kJ1PQ, kJ1QP, kJ1QQ); });
  return positive_only(x, y, -kInfinity);
}

constexpr double kSinc[] = {1.0 / 6227020800.0,
                            -1.0 / 39916800.0,
                            1.0 / 362880.0,
                            -1.0 / 5040.0,
                            1.0 / 120.0,
                            -1.0 / 6.0,
                            1.0};
Doubles spherical_j0(Doubles x) {
  const Doubles y = branch(
      abs_(x) < 0.5, [&] { return polynomial(x * x, kSinc); }, [&] { return sin_(x) / x; });
  return choose(abs_(x) == kInfinity, doubles(0.0), y);
}

constexpr double kSqrtOneOverPi = 5.64189583547756286948e-01;

// Ai: trigonometric below -2.09, a power series up to 2.09, exponential above (Cephes airy).
Doubles airy_series(Doubles x) {
  Doubles f = doubles(1.0), g = x, m = f, n = x;
  const Doubles z = x * x * x;
  for (int k = 1; k < 60; k += 3) {
    m *= z * (1.0 / ((k + 1.0) * (k + 2.0)));
    n *= z * (1.0 / ((k + 2.0) * (k + 3.0)));
    f += m;
    g += n;
  }
  return 0.355028053887817239260 * f - 0.258819403792806798405 * g;
}
Doubles airy_below(Doubles x) {
  const Doubles root = sqrt_(-x), t = -2.0 / 3.0 * x * root;
  const Doubles z = 1.0 / t, zz = z * z;
  const Doubles f = polynomial(zz, kAiryAFN) / polynomial(zz, kAiryAFD);
  const Doubles g = polynomial(zz, kAiryAGN) / polynomial(zz, kAiryAGD);
  const Doubles s = t + 0.25 * kPi;
  return kSqrtOneOverPi / sqrt_(root) * (sin_(s) * (1.0 + zz * f) - cos_(s) * (z * g));
}
Doubles airy_above(Doubles x) {
  const Doubles root = sqrt_(x), t = 2.0 / 3.0 * x * root, z = 1.0 / t;
  return kSqrtOneOverPi * (polynomial(z, kAiryAN) / polynomial(z, kAiryAD)) /
         (2.0 * sqrt_(root) * exp_(t));
}
Doubles airy_ai(Doubles x) {
  const Doubles y = branch(
      x < -2.09, [&] { return airy_below(x); },
      [&] {
        return branch(
            x < 2.09, [&] { return airy_series(x); }, [&] { return airy_above(x); });
      });
  return choose(abs_(x) == kInfinity, doubles(kNan), choose(x > 103.892, doubles(0.0), y));
}

template <Doubles (*kFunction)(Doubles)>
struct Of {
  explicit Of(const Params&) {}
  Doubles operator()(Doubles x) const { return kFunction(x); }
};

}  // namespace

Inner bessel(Bessel function, DType dtype) {
  if (dtype == DType::kFloat32) {
    if (function == Bessel::kI0) return unary_row<float, float, NarrowI<false, false>>;
    if (function == Bessel::kI0e) return unary_row<float, float, NarrowI<false, true>>;
    if (function == Bessel::kI1) return unary_row<float, float, NarrowI<true, false>>;
    if (function == Bessel::kI1e) return unary_row<float, float, NarrowI<true, true>>;
  }
  switch (function) {
#define OA_CASE(Name, name) \
  case Bessel::Name:        \
    return special_row<Of<name>, 1>(dtype);
    OA_CASE(kI0, i0)
    OA_CASE(kI0e, i0e)
    OA_CASE(kI1, i1)
    OA_CASE(kI1e, i1e)
    OA_CASE(kK0, k0<false>)
    OA_CASE(kK0e, k0<true>)
    OA_CASE(kK1, k1<false>)
    OA_CASE(kK1e, k1<true>)
    OA_CASE(kJ0, j0)
    OA_CASE(kJ1, j1)
    OA_CASE(kY0, y0)
    OA_CASE(kY1, y1)
    OA_CASE(kSphericalJ0, spherical_j0)
    OA_CASE(kAiryAi, airy_ai)
#undef OA_CASE
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
