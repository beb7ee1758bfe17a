#include "core/kernels/cpu/binary.h"

#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

#define OA_BINARY(Name, Result, expression)                  \
  template <class T>                                         \
  struct Name {                                              \
    explicit Name(const Params&) {}                          \
    Result operator()(T a, T b) const { return expression; } \
  };

OA_BINARY(Add, T, static_cast<T>(a + b))
OA_BINARY(Sub, T, static_cast<T>(a - b))
OA_BINARY(Mul, T, static_cast<T>(a* b))
OA_BINARY(Div, T, a / b)
OA_BINARY(Pow, T, std::pow(a, b))
OA_BINARY(Minimum, T, a != a ? a : (b < a || b != b) ? b : a)
OA_BINARY(Maximum, T, a != a ? a : (b > a || b != b) ? b : a)
OA_BINARY(TanhGrad, T, a*(T(1) - b * b))
OA_BINARY(SigmoidGrad, T, a*(T(1) - b) * b)
OA_BINARY(ReluGrad, T, b > T(0) ? a : T(0))
OA_BINARY(GeluGrad, T,
          a*(T(0.5) * (T(1) + std::erf(b * T(0.70710678118654752440))) +
             b * T(0.39894228040143267794) * exp_(T(-0.5) * b * b)))
OA_BINARY(SoftplusGrad, T, b > T(20) ? a : a * sigmoid_(b))
OA_BINARY(Equal, bool, a == b)
OA_BINARY(NotEqual, bool, a != b)
OA_BINARY(Less, bool, a < b)
OA_BINARY(LessEqual, bool, a <= b)
OA_BINARY(And, bool, (a != T(0)) & (b != T(0)))
OA_BINARY(Or, bool, (a != T(0)) | (b != T(0)))
OA_BINARY(Xor, bool, (a != T(0)) ^ (b != T(0)))

template <class T>
struct EluGrad {
  T alpha;
  explicit EluGrad(const Params& params) : alpha(param<T>(params, 0)) {}
  T operator()(T gradient, T result) const {
    return result > T(0) ? gradient : gradient * (result + alpha);
  }
};

template <template <class> class F>
Inner floating(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner numeric(DType dtype) {
  Inner inner = nullptr;
  with_number(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner to_bool(DType dtype) {
  Inner inner = nullptr;
  with_number_or_bool(dtype, [&]<class T>(Type<T>) { inner = binary_row<bool, T, F<T>>; });
  return inner;
}

template <class T>
void select_row(int64_t n, char* const* data, const int64_t* strides, const Params&) {
  if (strides[0] == sizeof(T) && strides[1] == 1 && strides[2] == sizeof(T) &&
      strides[3] == sizeof(T)) {
    T* out = reinterpret_cast<T*>(data[0]);
    const uint8_t* condition = reinterpret_cast<const uint8_t*>(data[1]);
    const T* a = reinterpret_cast<const T*>(data[2]);
    const T* b = reinterpret_cast<const T*>(data[3]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = condition[i] != 0 ? a[i] : b[i];
    return;
  }
  for (int64_t i = 0; i < n; ++i) {
    const bool condition = *(data[1] + i * strides[1]) != 0;
    *reinterpret_cast<T*>(data[0] + i * strides[0]) = *reinterpret_cast<const T*>(
        condition ? data[2] + i * strides[2] : data[3] + i * strides[3]);
  }
}

template <class T>
inline constexpr bool kIsHalf = __is_same(T, Half) || __is_same(T, BFloat16);

template <class To, class From>
struct Cast {
  explicit Cast(const Params&) {}
  To operator()(From x) const {
    if constexpr (__is_same(To, From))
      return x;
    else if constexpr (kIsHalf<From>)
      return Cast<To, float>(Params())(static_cast<float>(x));
    else if constexpr (kIsHalf<To>)
      return To(static_cast<float>(x));
    else if constexpr (__is_same(To, bool))
      return x != From(0);
    else if constexpr (sizeof(To) < 4 && (__is_same(From, float) || __is_same(From, double)))
      return static_cast<To>(static_cast<int64_t>(x));
    else
      return static_cast<To>(x);
  }
};

template <class To>
Inner cast_from(DType from) {
  Inner inner = nullptr;
  with_any(from, [&]<class From>(Type<From>) { inner = unary_row<To, From, Cast<To, From>>; });
  return inner;
}

Inner bool_binary(Binary function) {
  switch (function) {
    case Binary::kAdd:
    case Binary::kMaximum:
      return binary_row<bool, uint8_t, Or<uint8_t>>;
    case Binary::kMul:
    case Binary::kMinimum:
      return binary_row<bool, uint8_t, And<uint8_t>>;
    default:
      return nullptr;
  }
}

}  // namespace

Inner binary(Binary function, DType dtype) {
  if (dtype == DType::kBool) return bool_binary(function);
  switch (function) {
    case Binary::kAdd:
      return numeric<Add>(dtype);
    case Binary::kSub:
      return numeric<Sub>(dtype);
    case Binary::kMul:
      return numeric<Mul>(dtype);
    case Binary::kDiv:
      return floating<Div>(dtype);
    case Binary::kPow:
      return floating<Pow>(dtype);
    case Binary::kMinimum:
      return numeric<Minimum>(dtype);
    case Binary::kMaximum:
      return numeric<Maximum>(dtype);
    case Binary::kTanhGrad:
      return floating<TanhGrad>(dtype);
    case Binary::kSigmoidGrad:
      return floating<SigmoidGrad>(dtype);
    case Binary::kReluGrad:
      return numeric<ReluGrad>(dtype);
    case Binary::kGeluGrad:
      return floating<GeluGrad>(dtype);
    case Binary::kSoftplusGrad:
      return floating<SoftplusGrad>(dtype);
    case Binary::kEluGrad:
      return floating<EluGrad>(dtype);
  }
  return nullptr;
}

Inner compare(Compare function, DType dtype) {
  switch (function) {
    case Compare::kEqual:
      return to_bool<Equal>(dtype);
    case Compare::kNotEqual:
      return to_bool<NotEqual>(dtype);
    case Compare::kLess:
      return to_bool<Less>(dtype);
    case Compare::kLessEqual:
      return to_bool<LessEqual>(dtype);
    case Compare::kAnd:
      return to_bool<And>(dtype);
    case Compare::kOr:
      return to_bool<Or>(dtype);
    case Compare::kXor:
      return to_bool<Xor>(dtype);
  }
  return nullptr;
}

Inner select(DType dtype) {
  Inner inner = nullptr;
  with_width_of(dtype, [&]<class T>(Type<T>) { inner = select_row<T>; });
  return inner;
}

Inner cast(DType to, DType from) {
  Inner inner = nullptr;
  with_any(to, [&]<class To>(Type<To>) { inner = cast_from<To>(from); });
  return inner;
}

}  // namespace oneagent::cpu::OA_ISA
