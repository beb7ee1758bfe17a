#include "core/kernels/cpu/activation.h"

#include "core/kernels/cpu/curve_math.h"
#include "core/kernels/cpu/ternary_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// Both directions of one function; p, q, r are its parameters, s is shared by the expressions.
#define OA_CURVE(Name, shared, value, slope)                                        \
  template <class T>                                                                \
  struct Name {                                                                     \
    T p, q, r;                                                                      \
    explicit Name(const Params& params)                                             \
        : p(param<T>(params, 0)), q(param<T>(params, 1)), r(param<T>(params, 2)) {} \
    T operator()(T x) const {                                                       \
      [[maybe_unused]] const T s = shared;                                          \
      return value;                                                                 \
    }                                                                               \
    T operator()(T g, [[maybe_unused]] T x) const {                                 \
      [[maybe_unused]] const T s = shared;                                          \
      return slope;                                                                 \
    }                                                                               \
  };

constexpr double kRootTwoOverPi = 0.79788456080286535588;

// tanh(log(1 + e)) = e (e + 2) / (e (e + 2) + 2) with e = exp(x).
template <class T>
T tanh_of_softplus(T x) {
  const T e = low_exp_(smaller(x, T(20)));
  const T n = e * (e + T(2));
  return n / (n + T(2));
}
template <class T>
T gelu_tanh_of(T x) {
  return tanh_(T(kRootTwoOverPi) * fma_(T(0.044715) * x * x, x, x));
}

OA_CURVE(Elu, negative_expm1_(smaller(x* r, T(0))) * p, x > T(0) ? x * q : s,
         x > T(0) ? g * q : g * r * (s + p))
OA_CURVE(Silu, logistic_(x), x* s, g* s*(T(1) + x * (T(1) - s)))
OA_CURVE(Mish, tanh_of_softplus(x), x* s, g*(s + x * logistic_(x) * (T(1) - s * s)))
OA_CURVE(Gelu, normal_cdf_(x), x* s, g*(s + x * normal_pdf_(x)))
OA_CURVE(GeluTanh, gelu_tanh_of(x), T(0.5) * x * (T(1) + s),
         g*(T(0.5) * (T(1) + s) +
            T(0.5) * x * (T(1) - s * s) * T(kRootTwoOverPi) * (T(1) + T(3 * 0.044715) * x * x)))
OA_CURVE(Softplus, x* p, s > q ? x : softplus_(s) / p, s > q ? g : g * logistic_(s))
OA_CURVE(LogSigmoid, x, -softplus_(-s), g* logistic_(-s))
OA_CURVE(Softsign, T(1) / (T(1) + abs_(x)), x* s, g* s* s)
OA_CURVE(Tanhshrink, tanh_(x), x - s, g* s* s)
OA_CURVE(LeakyRelu, T(0), x > T(0) ? x : x * p, x > T(0) ? g : g * p)
OA_CURVE(Hardsigmoid, smaller(larger(x + T(3), T(0)), T(6)), s / T(6),
         (x > T(-3)) & (x < T(3)) ? g / T(6) : T(0))
OA_CURVE(Hardswish, smaller(larger(x + T(3), T(0)), T(6)), x* s / T(6),
         x < T(-3)   ? T(0)
         : x <= T(3) ? g * (x / T(3) + T(0.5))
                     : g)
OA_CURVE(Hardtanh, T(0), smaller(larger(x, p), q), (x <= p) | (x >= q) ? T(0) : g)
OA_CURVE(Hardshrink, T(0), (x >= -p) & (x <= p) ? T(0) : x, (x >= -p) & (x <= p) ? T(0) : g)
OA_CURVE(Softshrink, T(0), x > p ? x - p : x < -p ? x + p : T(0), (x >= -p) & (x <= p) ? T(0) : g)
OA_CURVE(Threshold, T(0), x <= p ? q : x, x <= p ? T(0) : g)

struct Forward {
  template <class T, class F>
  static constexpr Inner row = unary_row<T, T, F>;
};
struct Backward {
  template <class T, class F>
  static constexpr Inner row = binary_row<T, T, F>;
};

template <class Direction, template <class> class F>
Inner floating(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = Direction::template row<T, F<T>>; });
  return inner;
}

template <class Direction>
Inner choose(NonLinear function, DType dtype) {
  switch (function) {
    case NonLinear::kElu:
      return floating<Direction, Elu>(dtype);
    case NonLinear::kSilu:
      return floating<Direction, Silu>(dtype);
    case NonLinear::kMish:
      return floating<Direction, Mish>(dtype);
    case NonLinear::kGelu:
      return floating<Direction, Gelu>(dtype);
    case NonLinear::kGeluTanh:
      return floating<Direction, GeluTanh>(dtype);
    case NonLinear::kSoftplus:
      return floating<Direction, Softplus>(dtype);
    case NonLinear::kLogSigmoid:
      return floating<Direction, LogSigmoid>(dtype);
    case NonLinear::kSoftsign:
      return floating<Direction, Softsign>(dtype);
    case NonLinear::kTanhshrink:
      return floating<Direction, Tanhshrink>(dtype);
    case NonLinear::kLeakyRelu:
      return floating<Direction, LeakyRelu>(dtype);
    case NonLinear::kHardsigmoid:
      return floating<Direction, Hardsigmoid>(dtype);
    case NonLinear::kHardswish:
      return floating<Direction, Hardswish>(dtype);
    case NonLinear::kHardtanh:
      return floating<Direction, Hardtanh>(dtype);
    case NonLinear::kHardshrink:
      return floating<Direction, Hardshrink>(dtype);
    case NonLinear::kSoftshrink:
      return floating<Direction, Softshrink>(dtype);
    case NonLinear::kThreshold:
      return floating<Direction, Threshold>(dtype);
  }
  return nullptr;
}

#define OA_PAIR(Name, expression)                       \
  template <class T>                                    \
  struct Name {                                         \
    explicit Name(const Params&) {}                     \
    T operator()(T a, T b) const { return expression; } \
  };
#define OA_TRIPLE(Name, expression)                          \
  template <class T>                                         \
  struct Name {                                              \
    explicit Name(const Params&) {}                          \
    T operator()(T g, T a, T b) const { return expression; } \
  };

OA_PAIR(Glu, a* logistic_(b))
OA_PAIR(Prelu, a > T(0) ? a : a * b)
OA_PAIR(PreluSlope, b > T(0) ? T(0) : a * b)
OA_TRIPLE(GluGate, g* a* logistic_(b) * (T(1) - logistic_(b)))
OA_TRIPLE(PreluInput, a > T(0) ? g : g * b)

template <template <class> class F>
Inner pairs(DType dtype) {
  return floating<Backward, F>(dtype);
}
template <template <class> class F>
Inner triples(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = ternary_row<T, F<T>>; });
  return inner;
}

}  // namespace

Inner activation(NonLinear function, DType dtype) { return choose<Forward>(function, dtype); }
Inner activation_backward(NonLinear function, DType dtype) {
  return choose<Backward>(function, dtype);
}
Inner glu(DType dtype) { return pairs<Glu>(dtype); }
Inner glu_backward_gate(DType dtype) { return triples<GluGate>(dtype); }
Inner prelu(DType dtype) { return pairs<Prelu>(dtype); }
Inner prelu_backward_input(DType dtype) { return triples<PreluInput>(dtype); }
Inner prelu_backward_slope(DType dtype) { return pairs<PreluSlope>(dtype); }

}  // namespace oneagent::cpu::OA_ISA
