#include "core/kernels/cpu/unary.h"

#include "core/kernels/cpu/erf_math.h"
#include "core/kernels/cpu/integer_math.h"
#include "core/kernels/cpu/rows.h"
#include "core/kernels/cpu/transcendental.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
OA_INLINE T magnitude_(T x) {
  if constexpr (__is_same(T, float) || __is_same(T, double))
    return abs_(x);
  else
    return x < T(0) ? static_cast<T>(-x) : x;
}

// A NaN stays; q wins where p > q.
template <class T>
OA_INLINE T larger_(T x, T p) {
  return x < p ? p : x;
}
template <class T>
OA_INLINE T smaller_(T x, T q) {
  return x > q ? q : x;
}

#define OA_UNARY(Name, expression)                 \
  template <class T>                               \
  struct Name {                                    \
    explicit Name(const Params&) {}                \
    T operator()(T x) const { return expression; } \
  };
#define OA_UNARY_NUMBER(Name, expression)                                                   \
  template <class T>                                                                        \
  struct Name {                                                                             \
    T p, q;                                                                                 \
    explicit Name(const Params& params) : p(param<T>(params, 0)), q(param<T>(params, 1)) {} \
    T operator()(T x) const { return expression; }                                          \
  };

OA_UNARY(Neg, static_cast<T>(-x))
OA_UNARY(Square, static_cast<T>(x* x))
OA_UNARY(Abs, magnitude_(x))
OA_UNARY(Sign, static_cast<T>((x > T(0) ? T(1) : T(0)) - (x < T(0) ? T(1) : T(0))))
OA_UNARY(Sqrt, sqrt_(x))
OA_UNARY(Rsqrt, T(1) / sqrt_(x))
OA_UNARY(Reciprocal, T(1) / x)
OA_UNARY(ReciprocalSquare, T(1) / (x * x))
OA_UNARY(Cube, static_cast<T>(x* x* x))
OA_UNARY(Relu, x < T(0) ? T(0) : x)
OA_UNARY(Gelu, T(0.5) * x * (T(1) + erf_(x * T(0.70710678118654752440))))
OA_UNARY(Softplus, x > T(20) ? x : log1p_(exp_(x)))
OA_UNARY(Floor, std::floor(x))
OA_UNARY(Ceil, std::ceil(x))
OA_UNARY(Round, std::nearbyint(x))
OA_UNARY(Trunc, std::trunc(x))
OA_UNARY(Frac, x - std::trunc(x))
OA_UNARY(Angle, x < T(0) ? T(3.14159265358979323846) : x == x ? T(0) : x)
OA_UNARY_NUMBER(Elu, x > T(0) ? x : p * (exp_(x) - T(1)))
OA_UNARY_NUMBER(AddNumber, static_cast<T>(x + p))
OA_UNARY_NUMBER(MulNumber, static_cast<T>(x* p))
OA_UNARY_NUMBER(ReverseSub, static_cast<T>(p - x))
OA_UNARY_NUMBER(DivNumber, x / p)
OA_UNARY_NUMBER(ReverseDiv, p / x)
OA_UNARY_NUMBER(Clamp, smaller_(larger_(x, p), q))

template <class T>
struct PowNumber {
  int64_t exponent;
  explicit PowNumber(const Params& params) : exponent(params.integer[0]) {}
  T operator()(T x) const { return power_of_integers(x, exponent); }
};
template <class T>
struct RoundDecimals {
  T scale;
  bool divides;
  explicit RoundDecimals(const Params& params)
      : scale(static_cast<T>(params.number[0])), divides(params.integer[0] != 0) {}
  T operator()(T x) const {
    return divides ? std::nearbyint(x / scale) * scale : std::nearbyint(x * scale) / scale;
  }
};
template <class T>
struct NanToNum {
  T nan, high, low;
  explicit NanToNum(const Params& params)
      : nan(static_cast<T>(params.number[0])),
        high(static_cast<T>(params.number[1])),
        low(static_cast<T>(params.number[2])) {}
  T operator()(T x) const {
    constexpr T kInfinity = static_cast<T>(__builtin_inf());
    T y = x == kInfinity ? high : x;
    y = x == -kInfinity ? low : y;
    return x == x ? y : nan;
  }
};

// x = m 2^e with 1/2 <= |m| < 1, m = x and e = 0 for zeros, infinities and NaN.
template <class T, class Bits, int kDigits, Bits kBias>
struct Parts {
  static constexpr Bits kOnes = (Bits(1) << (8 * sizeof(T) - 1 - kDigits)) - 1;  // of the exponent
  T scaled;
  Bits shift;  // of denormals
  bool plain;
  explicit Parts(T x) {
    const T size = abs_(x);
    const bool small = size < (sizeof(T) == 4 ? T(1.17549435e-38) : T(2.2250738585072014e-308));
    scaled = small ? x * T(Bits(1) << kDigits) : x;
    shift = small ? kDigits : 0;
    plain = (x == T(0)) | (x - x != T(0));
  }
  Bits bits() const { return __builtin_bit_cast(Bits, scaled); }
  T mantissa(T x) const {
    const Bits m = (bits() & ~(kOnes << kDigits)) | ((kBias - 1) << kDigits);
    return plain ? x : __builtin_bit_cast(T, m);
  }
  int32_t exponent() const {
    const Bits e = ((bits() >> kDigits) & kOnes) - (kBias - 1) - shift;
    return plain ? 0 : static_cast<int32_t>(e);
  }
};
inline Parts<float, int32_t, 23, 127> parts_of(float x) {
  return Parts<float, int32_t, 23, 127>(x);
}
inline Parts<double, int64_t, 52, 1023> parts_of(double x) {
  return Parts<double, int64_t, 52, 1023>(x);
}
template <class T>
struct Mantissa {
  explicit Mantissa(const Params&) {}
  T operator()(T x) const { return parts_of(x).mantissa(x); }
};
template <class T>
struct Exponent {
  explicit Exponent(const Params&) {}
  int32_t operator()(T x) const { return parts_of(x).exponent(); }
};

template <class T>
struct LogicalNot {
  explicit LogicalNot(const Params&) {}
  bool operator()(T x) const { return x == T(0); }
};
template <class T>
struct IsNan {
  explicit IsNan(const Params&) {}
  bool operator()(T x) const { return x != x; }
};
template <class T>
struct IsFinite {
  explicit IsFinite(const Params&) {}
  bool operator()(T x) const { return x - x == T(0); }
};

template <class T>
struct IsInf {
  explicit IsInf(const Params&) {}
  bool operator()(T x) const { return (x - x != T(0)) & (x == x); }
};
template <class T>
struct IsPosInf {
  explicit IsPosInf(const Params&) {}
  bool operator()(T x) const { return (x - x != T(0)) & (x > T(0)); }
};
template <class T>
struct IsNegInf {
  explicit IsNegInf(const Params&) {}
  bool operator()(T x) const { return (x - x != T(0)) & (x < T(0)); }
};
template <class T>
struct SignBit {
  explicit SignBit(const Params&) {}
  bool operator()(T x) const {
    if constexpr (__is_same(T, float))
      return __builtin_bit_cast(int32_t, x) < 0;
    else if constexpr (__is_same(T, double))
      return __builtin_bit_cast(int64_t, x) < 0;
    else
      return x < T(0);
  }
};

template <template <class> class F>
Inner floating(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = unary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner numeric(DType dtype) {
  Inner inner = nullptr;
  with_number(dtype, [&]<class T>(Type<T>) { inner = unary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner integral(DType dtype) {
  Inner inner = nullptr;
  with_integral(dtype, [&]<class T>(Type<T>) { inner = unary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner to_bool(DType dtype) {
  Inner inner = nullptr;
  with_number_or_bool(dtype, [&]<class T>(Type<T>) { inner = unary_row<bool, T, F<T>>; });
  return inner;
}

}  // namespace

Inner unary(Unary function, DType dtype) {
  switch (function) {
    case Unary::kNeg:
      return numeric<Neg>(dtype);
    case Unary::kAbs:
      return numeric<Abs>(dtype);
    case Unary::kSquare:
      return numeric<Square>(dtype);
    case Unary::kCube:
      return numeric<Cube>(dtype);
    case Unary::kSign:
      return numeric<Sign>(dtype == DType::kBool ? DType::kUInt8 : dtype);
    case Unary::kSqrt:
      return floating<Sqrt>(dtype);
    case Unary::kRsqrt:
      return floating<Rsqrt>(dtype);
    case Unary::kReciprocal:
      return floating<Reciprocal>(dtype);
    case Unary::kReciprocalSquare:
      return floating<ReciprocalSquare>(dtype);
    case Unary::kRelu:
      return numeric<Relu>(dtype);
    case Unary::kGelu:
      return floating<Gelu>(dtype);
    case Unary::kElu:
      return floating<Elu>(dtype);
    case Unary::kSoftplus:
      return floating<Softplus>(dtype);
    case Unary::kFloor:
      return floating<Floor>(dtype);
    case Unary::kCeil:
      return floating<Ceil>(dtype);
    case Unary::kRound:
      return floating<Round>(dtype);
    case Unary::kTrunc:
      return floating<Trunc>(dtype);
    case Unary::kFrac:
      return floating<Frac>(dtype);
    case Unary::kRoundDecimals:
      return floating<RoundDecimals>(dtype);
    case Unary::kNanToNum:
      return floating<NanToNum>(dtype);
    case Unary::kAngle:
      return floating<Angle>(dtype);
    case Unary::kMantissa:
      return floating<Mantissa>(dtype);
    case Unary::kAddNumber:
      return numeric<AddNumber>(dtype);
    case Unary::kMulNumber:
      return numeric<MulNumber>(dtype);
    case Unary::kReverseSub:
      return numeric<ReverseSub>(dtype);
    case Unary::kDivNumber:
      return floating<DivNumber>(dtype);
    case Unary::kReverseDiv:
      return floating<ReverseDiv>(dtype);
    case Unary::kPowNumber:
      return is_floating(dtype) ? power(dtype) : integral<PowNumber>(dtype);
    case Unary::kClamp:
      return numeric<Clamp>(dtype);
  }
  return nullptr;
}

Inner exponent(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = unary_row<int32_t, T, Exponent<T>>; });
  return inner;
}

Inner test(Test function, DType dtype) {
  switch (function) {
    case Test::kIsNan:
      return to_bool<IsNan>(dtype);
    case Test::kIsFinite:
      return to_bool<IsFinite>(dtype);
    case Test::kIsInf:
      return to_bool<IsInf>(dtype);
    case Test::kIsPosInf:
      return to_bool<IsPosInf>(dtype);
    case Test::kIsNegInf:
      return to_bool<IsNegInf>(dtype);
    case Test::kIsZero:
      return to_bool<LogicalNot>(dtype);
    case Test::kSignBit:
      return to_bool<SignBit>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
