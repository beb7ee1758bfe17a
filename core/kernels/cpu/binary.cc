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
  if (dtype == DType::kFloat32) return binary_row<float, float, F<float>>;
  if (dtype == DType::kFloat64) return binary_row<double, double, F<double>>;
  return nullptr;
}

template <template <class> class F>
Inner numeric(DType dtype) {
  if (dtype == DType::kInt64) return binary_row<int64_t, int64_t, F<int64_t>>;
  if (dtype == DType::kInt32) return binary_row<int32_t, int32_t, F<int32_t>>;
  if (dtype == DType::kUInt8) return binary_row<uint8_t, uint8_t, F<uint8_t>>;
  return floating<F>(dtype);
}

template <template <class> class F>
Inner to_bool(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return binary_row<bool, float, F<float>>;
    case DType::kFloat64:
      return binary_row<bool, double, F<double>>;
    case DType::kInt64:
      return binary_row<bool, int64_t, F<int64_t>>;
    case DType::kInt32:
      return binary_row<bool, int32_t, F<int32_t>>;
    case DType::kUInt8:
    case DType::kBool:
      return binary_row<bool, uint8_t, F<uint8_t>>;
  }
  return nullptr;
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

template <class To, class From>
struct Cast {
  explicit Cast(const Params&) {}
  To operator()(From x) const {
    if constexpr (__is_same(To, bool))
      return x != From(0);
    else if constexpr (__is_same(To, uint8_t) &&
                       (__is_same(From, float) || __is_same(From, double)))
      return static_cast<uint8_t>(static_cast<int64_t>(x));
    else
      return static_cast<To>(x);
  }
};

template <class To>
Inner cast_from(DType from) {
  switch (from) {
    case DType::kFloat32:
      return unary_row<To, float, Cast<To, float>>;
    case DType::kFloat64:
      return unary_row<To, double, Cast<To, double>>;
    case DType::kInt64:
      return unary_row<To, int64_t, Cast<To, int64_t>>;
    case DType::kInt32:
      return unary_row<To, int32_t, Cast<To, int32_t>>;
    case DType::kUInt8:
      return unary_row<To, uint8_t, Cast<To, uint8_t>>;
    case DType::kBool:
      return unary_row<To, bool, Cast<To, bool>>;
  }
  return nullptr;
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
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return select_row<uint32_t>;
    case DType::kFloat64:
    case DType::kInt64:
      return select_row<uint64_t>;
    case DType::kUInt8:
    case DType::kBool:
      return select_row<uint8_t>;
  }
  return nullptr;
}

Inner cast(DType to, DType from) {
  switch (to) {
    case DType::kFloat32:
      return cast_from<float>(from);
    case DType::kFloat64:
      return cast_from<double>(from);
    case DType::kInt64:
      return cast_from<int64_t>(from);
    case DType::kInt32:
      return cast_from<int32_t>(from);
    case DType::kUInt8:
      return cast_from<uint8_t>(from);
    case DType::kBool:
      return cast_from<bool>(from);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
