#include "core/kernels/cpu/error_function.h"

#include "core/kernels/cpu/erf_math.h"
#include "core/kernels/cpu/quantile_table.h"
#include "core/kernels/cpu/special_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;

// The quantile of N(0, 1) at 1/2 + center; tail is the smaller of the two probabilities beside it.
Doubles quantile(Doubles center, Doubles tail) {
  const auto middle = [&] {
    const Doubles z = center * center;
    const Doubles p = polynomial(z, kQuantileP0) / polynomial(z, kQuantileQ0);
    return (center + center * (z * p)) * 2.50662827463100050242;
  };
  const auto outside = [&] {
    const Doubles x = sqrt_(-2.0 * log_(tail));
    const Doubles z = 1.0 / x;
    const Doubles p = branch(
        x < 8.0, [&] { return polynomial(z, kQuantileP1) / polynomial(z, kQuantileQ1); },
        [&] { return polynomial(z, kQuantileP2) / polynomial(z, kQuantileQ2); });
    const Doubles y = x - log_(x) / x - z * p;
    const Doubles finite = choose(tail == 0.0, doubles(kInfinity), y);
    return choose(center < 0.0, -finite, finite);
  };
  const Doubles y = branch(tail > 0.13533528323661269189, middle, outside);
  return choose(tail >= 0.0, y, doubles(kNan));
}

struct Ndtri {
  explicit Ndtri(const Params&) {}
  Doubles operator()(Doubles x) const { return quantile(x - 0.5, choose(x < 0.5, x, 1.0 - x)); }
};
struct Erfinv {
  explicit Erfinv(const Params&) {}
  Doubles operator()(Doubles x) const {
    return kSqrtHalf * quantile(0.5 * x, 0.5 * (1.0 - abs_(x)));
  }
};

// W. J. Cody, Rational Chebyshev approximations for the error function (1969).
constexpr double kErfcxNear[] = {
    2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594,
    6.61191906371416295e1,  2.98635138197400131e2,  8.81952221241769090e2,
    1.71204761263407058e3,  2.05107837782607147e3,  1.23033935479799725e3};
constexpr double kErfcxNearBelow[] = {1.0,
                                      1.57449261107098347e1,
                                      1.17693950891312499e2,
                                      5.37181101862009858e2,
                                      1.62138957456669019e3,
                                      3.29079923573345963e3,
                                      4.36261909014324716e3,
                                      3.43936767414372164e3,
                                      1.23033935480374942e3};
constexpr double kErfcxFar[] = {1.63153871373020978e-2, 3.05326634961232344e-1,
                                3.60344899949804439e-1, 1.25781726111229246e-1,
                                1.60837851487422766e-2, 6.58749161529837803e-4};
constexpr double kErfcxFarBelow[] = {1.0,
                                     2.56852019228982242,
                                     1.87295284992346725,
                                     5.27905102951428412e-1,
                                     6.05183413124413191e-2,
                                     2.33520497626869185e-3};

Doubles erfcx_positive(Doubles x) {
  return branch(
      x < 0.46875, [&] { return exp_(x * x) * erfc_(x); },
      [&] {
        return branch(
            x <= 4.0, [&] { return polynomial(x, kErfcxNear) / polynomial(x, kErfcxNearBelow); },
            [&] {
              const Doubles z = 1.0 / (x * x);
              const Doubles r = z * (polynomial(z, kErfcxFar) / polynomial(z, kErfcxFarBelow));
              return (5.6418958354775628695e-1 - r) / x;
            });
      });
}
Doubles erfcx(Doubles x) {
  const Doubles y = erfcx_positive(abs_(x));
  return branch(
      x < 0.0, [&] { return 2.0 * exp_(x * x) - y; }, [&] { return y; });
}

struct Erfcx {
  explicit Erfcx(const Params&) {}
  Doubles operator()(Doubles x) const { return erfcx(x); }
};
struct Ndtr {
  explicit Ndtr(const Params&) {}
  float operator()(float x) const { return 0.5f * erfc_(-0.70710678118654752440f * x); }
  Doubles operator()(Doubles x) const { return 0.5 * erfc_(-kSqrtHalf * x); }
};
struct LogNdtr {
  explicit LogNdtr(const Params&) {}
  Doubles operator()(Doubles x) const {
    const Doubles t = kSqrtHalf * x;
    return branch(
        x < -1.0, [&] { return log_(0.5 * erfcx_positive(abs_(t))) - t * t; },
        [&] { return log1p_(-0.5 * erfc_(t)); });
  }
};
struct Entr {
  explicit Entr(const Params&) {}
  float operator()(float x) const {
    const float y = x == 0.0f ? 0.0f : -x * log_(x);
    return x < 0.0f ? -__builtin_inff() : y;
  }
  Doubles operator()(Doubles x) const {
    const Doubles y = -x * log_(choose(x <= 0.0, doubles(1.0), x));
    return choose(x < 0.0, doubles(-kInfinity), choose(x == 0.0, doubles(0.0), y));
  }
};

template <class F>
Inner both(DType dtype) {
  if (dtype == DType::kFloat32) return unary_row<float, float, F>;
  return dtype == DType::kFloat64 ? doubles_row<F, 1> : nullptr;
}

}  // namespace

Inner error_function(ErrorFunction function, DType dtype) {
  switch (function) {
    case ErrorFunction::kErfinv:
      return special_row<Erfinv, 1>(dtype);
    case ErrorFunction::kErfcx:
      return special_row<Erfcx, 1>(dtype);
    case ErrorFunction::kNdtr:
      return both<Ndtr>(dtype);
    case ErrorFunction::kNdtri:
      return special_row<Ndtri, 1>(dtype);
    case ErrorFunction::kLogNdtr:
      return special_row<LogNdtr, 1>(dtype);
    case ErrorFunction::kEntr:
      return both<Entr>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
