#include "core/kernels/cpu/bits.h"

#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
struct UnsignedOf {
  using type = T;
};
template <>
struct UnsignedOf<int64_t> {
  using type = uint64_t;
};
template <>
struct UnsignedOf<int32_t> {
  using type = uint32_t;
};
template <>
struct UnsignedOf<int16_t> {
  using type = uint16_t;
};
template <>
struct UnsignedOf<int8_t> {
  using type = uint8_t;
};

#define OA_BITS(Name, expression)                       \
  template <class T>                                    \
  struct Name {                                         \
    explicit Name(const Params&) {}                     \
    T operator()(T a, T b) const { return expression; } \
  };
OA_BITS(And, static_cast<T>(a& b))
OA_BITS(Or, static_cast<T>(a | b))
OA_BITS(Xor, static_cast<T>(a ^ b))

template <class T>
struct Left {
  using Unsigned = typename UnsignedOf<T>::type;
  static constexpr Unsigned kWidth = 8 * sizeof(T);
  explicit Left(const Params&) {}
  T operator()(T a, T b) const {
    const Unsigned shift = static_cast<Unsigned>(b);
    const T y = static_cast<T>(static_cast<Unsigned>(a) << (shift & (kWidth - 1)));
    return shift < kWidth ? y : T(0);
  }
};
template <class T>
struct Right {
  using Unsigned = typename UnsignedOf<T>::type;
  static constexpr Unsigned kWidth = 8 * sizeof(T);
  explicit Right(const Params&) {}
  T operator()(T a, T b) const {
    const Unsigned shift = static_cast<Unsigned>(b);
    const T y = static_cast<T>(a >> (shift & (kWidth - 1)));
    return shift < kWidth ? y : a < T(0) ? T(-1) : T(0);
  }
};
template <class T>
struct Not {
  explicit Not(const Params&) {}
  T operator()(T a) const { return static_cast<T>(~a); }
};
struct NotBool {
  explicit NotBool(const Params&) {}
  uint8_t operator()(uint8_t a) const { return a == 0; }
};

template <template <class> class F>
Inner integral(DType dtype) {
  Inner inner = nullptr;
  with_integral(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}
DType with_bool(DType dtype) { return dtype == DType::kBool ? DType::kUInt8 : dtype; }

}  // namespace

Inner bits(Bits function, DType dtype) {
  switch (function) {
    case Bits::kAnd:
      return integral<And>(with_bool(dtype));
    case Bits::kOr:
      return integral<Or>(with_bool(dtype));
    case Bits::kXor:
      return integral<Xor>(with_bool(dtype));
    case Bits::kLeft:
      return integral<Left>(dtype);
    case Bits::kRight:
      return integral<Right>(dtype);
  }
  return nullptr;
}

Inner bits1(Bits1, DType dtype) {
  if (dtype == DType::kBool) return unary_row<uint8_t, uint8_t, NotBool>;
  Inner inner = nullptr;
  with_integral(dtype, [&]<class T>(Type<T>) { inner = unary_row<T, T, Not<T>>; });
  return inner;
}

}  // namespace oneagent::cpu::OA_ISA
