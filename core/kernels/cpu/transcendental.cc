#include "core/kernels/cpu/transcendental.h"

#include "core/kernels/cpu/erf_math.h"
#include "core/kernels/cpu/mvec.h"
#include "core/kernels/cpu/rare_rows.h"
#include "core/kernels/cpu/tanh_row.h"
#include "core/kernels/cpu/trig_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

#define OA_FUNCTION(Name, expression)                          \
  struct Name {                                                \
    explicit Name(const Params&) {}                            \
    float operator()(float x) const { return expression; }     \
    Doubles operator()(Doubles x) const { return expression; } \
  };
OA_FUNCTION(Exp, exp_(x))
OA_FUNCTION(Exp2, exp2_(x))
OA_FUNCTION(Expm1, expm1_(x))
OA_FUNCTION(Log, log_(x))
OA_FUNCTION(Log2, log2_(x))
OA_FUNCTION(Log10, log10_(x))
OA_FUNCTION(Log1p, log1p_(x))
OA_FUNCTION(Sigmoid, 1.0f / (1.0f + exp_(-x)))
OA_FUNCTION(Tanh, tanh_(x))
OA_FUNCTION(Sinh, sinh_(x))
OA_FUNCTION(Cosh, cosh_(x))
OA_FUNCTION(Asinh, asinh_(x))
OA_FUNCTION(Acosh, acosh_(x))
OA_FUNCTION(Atanh, atanh_(x))
OA_FUNCTION(Asin, asin_(x))
OA_FUNCTION(Acos, acos_(x))
OA_FUNCTION(Atan, atan_(x))
OA_FUNCTION(Erf, erf_(x))
OA_FUNCTION(Erfc, erfc_(x))

#define OA_PERIODIC(Name, name)                                                                 \
  struct Name {                                                                                 \
    explicit Name(const Params&) {}                                                             \
    static bool rare(float x) { return (abs_(x) > kTrigLimit) & (abs_(x) < __builtin_inff()); } \
    static float slow(float x) { return static_cast<float>(std::name(double{x})); }             \
    float operator()(float x) const { return name##_(x); }                                      \
    Doubles operator()(Doubles x) const { return name##_(x); }                                  \
  };
OA_PERIODIC(Sin, sin)
OA_PERIODIC(Cos, cos)
OA_PERIODIC(Tan, tan)

struct Sinc {
  explicit Sinc(const Params&) {}
  static bool rare(float x) { return Sin::rare(x * 3.14159265358979323846f); }
  static float slow(float x) {
    const float y = x * 3.14159265358979323846f;
    return Sin::slow(y) / y;
  }
  float operator()(float x) const {
    const float y = x * 3.14159265358979323846f;
    return x == 0.0f ? 1.0f : sin_(y) / y;
  }
  Doubles operator()(Doubles x) const {
    const Doubles y = x * 3.14159265358979323846;
    return choose(x == 0.0, doubles(1.0), sin_(y) / y);
  }
};

struct Pow {
  explicit Pow(const Params&) {}
  float operator()(float x, float y) const { return pow_(x, y); }
  Doubles operator()(Doubles x, Doubles y) const { return pow_(x, y); }
};
struct PowNumber {
  float exponent;
  double wide;
  explicit PowNumber(const Params& params)
      : exponent(static_cast<float>(params.number[0])), wide(params.number[0]) {}
  float operator()(float x) const { return pow_(x, exponent); }
  Doubles operator()(Doubles x) const { return pow_(x, doubles(wide)); }
};
struct Atan2 {
  explicit Atan2(const Params&) {}
  float operator()(float x, float y) const { return atan2_(x, y); }
  Doubles operator()(Doubles x, Doubles y) const { return atan2_(x, y); }
};
struct Hypot {
  explicit Hypot(const Params&) {}
  float operator()(float x, float y) const {
    const double a = x, b = y;
    const float r = static_cast<float>(__builtin_sqrt(a * a + b * b));
    const float inf = __builtin_inff();
    return (abs_(x) == inf) | (abs_(y) == inf) ? inf : r;
  }
  Doubles operator()(Doubles x, Doubles y) const { return hypot_(x, y); }
};

// max + log1p(exp(-|a - b|)); equal infinities have no difference.
struct Logaddexp {
  explicit Logaddexp(const Params&) {}
  float operator()(float a, float b) const {
    const float high = a > b ? a : b, distance = abs_(a - b);
    const float y = high + log1p_(exp_(-distance));
    return (a == b) & (abs_(a) == __builtin_inff()) ? a : y;
  }
  Doubles operator()(Doubles a, Doubles b) const {
    const Doubles y = choose(a > b, a, b) + log1p_(exp_(-abs_(a - b)));
    return choose((a == b) & (abs_(a) == __builtin_inf()), a, y);
  }
};
struct Logaddexp2 {
  explicit Logaddexp2(const Params&) {}
  float operator()(float a, float b) const {
    const float high = a > b ? a : b, distance = abs_(a - b);
    const float y = high + log1p_(exp2_(-distance)) * 1.44269504088896341f;
    return (a == b) & (abs_(a) == __builtin_inff()) ? a : y;
  }
  Doubles operator()(Doubles a, Doubles b) const {
    const Doubles rest = log1p_(exp2_(-abs_(a - b))) * 1.44269504088896340736;
    return choose((a == b) & (abs_(a) == __builtin_inf()), a, choose(a > b, a, b) + rest);
  }
};
struct Xlogy {
  explicit Xlogy(const Params&) {}
  float operator()(float x, float y) const { return (x == 0.0f) & (y == y) ? 0.0f : x * log_(y); }
  Doubles operator()(Doubles x, Doubles y) const {
    const auto zero = (x == 0.0) & (y == y);
    return choose(zero, doubles(0.0), x * log_(choose(zero, doubles(1.0), y)));
  }
};
struct Xlog1py {
  explicit Xlog1py(const Params&) {}
  float operator()(float x, float y) const { return (x == 0.0f) & (y == y) ? 0.0f : x * log1p_(y); }
  Doubles operator()(Doubles x, Doubles y) const {
    const auto zero = (x == 0.0) & (y == y);
    return choose(zero, doubles(0.0), x * log1p_(choose(zero, doubles(1.0), y)));
  }
};
struct Logit {
  double low, high;
  explicit Logit(const Params& params) : low(params.number[0]), high(1.0 - params.number[0]) {
    if (low >= 0) return;
    low = -__builtin_inf();
    high = __builtin_inf();
  }
  float operator()(float x) const {
    const float least = static_cast<float>(low), most = static_cast<float>(high);
    float c = x < least ? least : x;
    c = c > most ? most : c;
    return log_(c / (1.0f - c));
  }
  Doubles operator()(Doubles x) const {
    Doubles c = choose(x < low, doubles(low), x);
    c = choose(c > high, doubles(high), c);
    return log_(c / (1.0 - c));
  }
};

template <class T>
struct LogitGrad {
  T low, high, outside;
  explicit LogitGrad(const Params& params)
      : low(static_cast<T>(params.number[0])),
        high(static_cast<T>(1.0 - params.number[0])),
        outside(T(0)) {
    if (low >= T(0)) return;
    low = T(0);
    high = T(1);
    outside = static_cast<T>(__builtin_nan(""));
  }
  T operator()(T gradient, T x) const {
    const T slope = gradient / (x * (T(1) - x));
    return (x < low) | (x > high) ? outside : slope;
  }
};

template <class F>
Inner both(DType dtype) {
  if (dtype == DType::kFloat32) return unary_row<float, float, F>;
  return dtype == DType::kFloat64 ? doubles_row<F, 1> : nullptr;
}
template <class F>
Inner periodic(DType dtype) {
  if (dtype == DType::kFloat32) return rare_unary_row<float, F>;
  return dtype == DType::kFloat64 ? doubles_row<F, 1> : nullptr;
}
template <class F>
Inner both2(DType dtype) {
  if (dtype == DType::kFloat32) return binary_row<float, float, F>;
  return dtype == DType::kFloat64 ? doubles_row<F, 2> : nullptr;
}

// One base or exponent for all is written to a block first: with a constant in the loop the
// compiler takes its special cases apart, and no loop that is left vectorises.
template <bool Number>
void pow_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  constexpr int64_t kBlock = 256;
  const int64_t steps[3] = {strides[0], strides[1], Number ? 0 : strides[2]};
  const float exponent = static_cast<float>(params.number[0]);
  const char* from[3] = {nullptr, data[1], reinterpret_cast<const char*>(&exponent)};
  if constexpr (!Number) from[2] = data[2];
  float block[3][kBlock];
  for (int p = 1; p < 3; ++p)
    if (steps[p] == 0)
      for (float& value : block[p]) value = *reinterpret_cast<const float*>(from[p]);
  for (int64_t at = 0; at < n; at += kBlock) {
    char* now[3] = {data[0] + at * steps[0], nullptr, nullptr};
    int64_t step[3] = {steps[0], 0, 0};
    for (int p = 1; p < 3; ++p) {
      const bool same = steps[p] == 0;
      now[p] =
          same ? reinterpret_cast<char*>(block[p]) : const_cast<char*>(from[p]) + at * steps[p];
      step[p] = same ? static_cast<int64_t>(sizeof(float)) : steps[p];
    }
    binary_row<float, float, Pow>(n - at < kBlock ? n - at : kBlock, now, step, params);
  }
}

void tanh_loop(int64_t n, char* const* data, const int64_t* steps, const Params& params) {
  constexpr int64_t kStep = sizeof(float);
  if (steps[0] != kStep || steps[1] != kStep)
    return unary_row<float, float, Tanh>(n, data, steps, params);
  tanh_row(reinterpret_cast<const float*>(data[1]), reinterpret_cast<float*>(data[0]), n);
}

}  // namespace

Inner transcendental(Transcendental function, DType dtype) {
  switch (function) {
    case Transcendental::kTanh:
      return dtype == DType::kFloat32 ? tanh_loop : both<Tanh>(dtype);
#define OA_CASE(Name)           \
  case Transcendental::k##Name: \
    return both<Name>(dtype);
      OA_CASE(Exp)
      OA_CASE(Exp2)
      OA_CASE(Expm1)
      OA_CASE(Log)
      OA_CASE(Log2)
      OA_CASE(Log10)
      OA_CASE(Log1p)
      OA_CASE(Sigmoid)
      OA_CASE(Sinh)
      OA_CASE(Cosh)
      OA_CASE(Asinh)
      OA_CASE(Acosh)
      OA_CASE(Atanh)
      OA_CASE(Asin)
      OA_CASE(Acos)
      OA_CASE(Atan)
      OA_CASE(Erf)
      OA_CASE(Erfc)
#undef OA_CASE
    case Transcendental::kSin:
      return periodic<Sin>(dtype);
    case Transcendental::kCos:
      return periodic<Cos>(dtype);
    case Transcendental::kTan:
      return periodic<Tan>(dtype);
    case Transcendental::kSinc:
      return periodic<Sinc>(dtype);
  }
  return nullptr;
}

Inner transcendental2(Transcendental2 function, DType dtype) {
  switch (function) {
    case Transcendental2::kPow:
      return dtype == DType::kFloat32 ? pow_row<false> : both2<Pow>(dtype);
    case Transcendental2::kAtan2:
      return both2<Atan2>(dtype);
    case Transcendental2::kHypot:
      return both2<Hypot>(dtype);
    case Transcendental2::kLogaddexp:
      return both2<Logaddexp>(dtype);
    case Transcendental2::kLogaddexp2:
      return both2<Logaddexp2>(dtype);
    case Transcendental2::kXlogy:
      return both2<Xlogy>(dtype);
    case Transcendental2::kXlog1py:
      return both2<Xlog1py>(dtype);
  }
  return nullptr;
}

Inner logit(DType dtype) { return both<Logit>(dtype); }
Inner logit_backward(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, LogitGrad<T>>; });
  return inner;
}

Inner power(DType dtype) {
  return dtype == DType::kFloat32 ? pow_row<true> : both<PowNumber>(dtype);
}

}  // namespace oneagent::cpu::OA_ISA
