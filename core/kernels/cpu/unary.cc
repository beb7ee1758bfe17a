#include "core/kernels/cpu/unary.h"

#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

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
OA_UNARY(Abs, x < T(0) ? static_cast<T>(-x) : x == T(0) ? T(0) : x)
OA_UNARY(Sign, static_cast<T>((x > T(0)) - (x < T(0))))
OA_UNARY(Exp, exp_(x))
OA_UNARY(Log, log_(x))
OA_UNARY(Log1p, std::log1p(x))
OA_UNARY(Expm1, std::expm1(x))
OA_UNARY(Sqrt, sqrt_(x))
OA_UNARY(Rsqrt, T(1) / sqrt_(x))
OA_UNARY(Reciprocal, T(1) / x)
OA_UNARY(Tanh, tanh_(x))
OA_UNARY(Sigmoid, sigmoid_(x))
OA_UNARY(Relu, x < T(0) ? T(0) : x)
OA_UNARY(Gelu, T(0.5) * x * (T(1) + std::erf(x * T(0.70710678118654752440))))
OA_UNARY(Softplus, x > T(20) ? x : std::log1p(exp_(x)))
OA_UNARY(Sin, std::sin(x))
OA_UNARY(Cos, std::cos(x))
OA_UNARY(Erf, std::erf(x))
OA_UNARY(Floor, std::floor(x))
OA_UNARY(Ceil, std::ceil(x))
OA_UNARY(Round, std::nearbyint(x))
OA_UNARY_NUMBER(Elu, x > T(0) ? x : p * (exp_(x) - T(1)))
OA_UNARY_NUMBER(AddNumber, static_cast<T>(x + p))
OA_UNARY_NUMBER(MulNumber, static_cast<T>(x* p))
OA_UNARY_NUMBER(ReverseSub, static_cast<T>(p - x))
OA_UNARY_NUMBER(DivNumber, x / p)
OA_UNARY_NUMBER(ReverseDiv, p / x)
OA_UNARY_NUMBER(PowNumber, std::pow(x, p))
OA_UNARY_NUMBER(Clamp, x<p ? p : x> q ? q : x)

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
    case Unary::kSign:
      return numeric<Sign>(dtype);
    case Unary::kExp:
      return floating<Exp>(dtype);
    case Unary::kLog:
      return floating<Log>(dtype);
    case Unary::kLog1p:
      return floating<Log1p>(dtype);
    case Unary::kExpm1:
      return floating<Expm1>(dtype);
    case Unary::kSqrt:
      return floating<Sqrt>(dtype);
    case Unary::kRsqrt:
      return floating<Rsqrt>(dtype);
    case Unary::kReciprocal:
      return floating<Reciprocal>(dtype);
    case Unary::kTanh:
      return floating<Tanh>(dtype);
    case Unary::kSigmoid:
      return floating<Sigmoid>(dtype);
    case Unary::kRelu:
      return numeric<Relu>(dtype);
    case Unary::kGelu:
      return floating<Gelu>(dtype);
    case Unary::kElu:
      return floating<Elu>(dtype);
    case Unary::kSoftplus:
      return floating<Softplus>(dtype);
    case Unary::kSin:
      return floating<Sin>(dtype);
    case Unary::kCos:
      return floating<Cos>(dtype);
    case Unary::kErf:
      return floating<Erf>(dtype);
    case Unary::kFloor:
      return floating<Floor>(dtype);
    case Unary::kCeil:
      return floating<Ceil>(dtype);
    case Unary::kRound:
      return floating<Round>(dtype);
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
      return floating<PowNumber>(dtype);
    case Unary::kClamp:
      return numeric<Clamp>(dtype);
  }
  return nullptr;
}

Inner test(Test function, DType dtype) {
  switch (function) {
    case Test::kIsNan:
      return to_bool<IsNan>(dtype);
    case Test::kIsFinite:
      return to_bool<IsFinite>(dtype);
    case Test::kIsZero:
      return to_bool<LogicalNot>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
