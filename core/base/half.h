// The 16-bit floating types as storage: arithmetic is done in float, rounding to nearest even on
// the way back. Half is IEEE binary16, BFloat16 the upper half of a float.
#pragma once

#include <cstdint>
#include <limits>

namespace oneagent {

// Always inlined: CPU kernels are compiled for two instruction sets, and a shared copy would belong
// to one of them (core/kernels/cpu/isa.h).
#define OA_INLINE __attribute__((always_inline)) inline

#define OA_HALF_ASSIGNMENTS(Type)                                                        \
  OA_INLINE Type& operator+=(float value) { return *this = Type(float{*this} + value); } \
  OA_INLINE Type& operator-=(float value) { return *this = Type(float{*this} - value); } \
  OA_INLINE Type& operator*=(float value) { return *this = Type(float{*this} * value); } \
  OA_INLINE Type& operator/=(float value) { return *this = Type(float{*this} / value); }

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  OA_INLINE BFloat16(float value) {  // NOLINT: implicit like libtorch's
    const auto word = __builtin_bit_cast(uint32_t, value);
    const uint32_t rounded = word + 0x7fff + ((word >> 16) & 1);
    bits = static_cast<uint16_t>((value != value ? word | 0x400000 : rounded) >> 16);
  }
  OA_INLINE operator float() const { return __builtin_bit_cast(float, uint32_t{bits} << 16); }
  static BFloat16 from_bits(uint16_t bits) {
    BFloat16 value;
    value.bits = bits;
    return value;
  }
  OA_HALF_ASSIGNMENTS(BFloat16)
};

struct Half {
  uint16_t bits = 0;

  Half() = default;
  OA_INLINE Half(float value) {  // NOLINT
    const auto word = __builtin_bit_cast(uint32_t, value);
    const uint32_t sign = (word >> 16) & 0x8000, magnitude = word & 0x7fffffff;
    uint32_t out;
    if (magnitude >= 0x7f800000) {  // infinity, NaN
      out = 0x7c00 | (magnitude > 0x7f800000 ? 0x200 : 0);
    } else if (magnitude < 0x38800000) {  // below 2^-14: let the addition round at 2^-24
      const float shifted = __builtin_bit_cast(float, magnitude) + 0.5f;
      out = __builtin_bit_cast(uint32_t, shifted) - 0x3f000000;
    } else {
      const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1) - 0x38000000;
      out = rounded >= 0x0f800000 ? 0x7c00 : rounded >> 13;
    }
    bits = static_cast<uint16_t>(sign | out);
  }
  OA_INLINE operator float() const {
    const uint32_t sign = uint32_t{bits & 0x8000u} << 16, rest = uint32_t{bits & 0x7fffu} << 13;
    uint32_t out;
    if (rest >= 0x0f800000) {
      out = rest + 0x70000000;
    } else if (rest >= 0x00800000) {
      out = rest + 0x38000000;
    } else {
      const float value = __builtin_bit_cast(float, rest + 0x38800000) - 0x1p-14f;
      out = __builtin_bit_cast(uint32_t, value);
    }
    return __builtin_bit_cast(float, sign | out);
  }
  static Half from_bits(uint16_t bits) {
    Half value;
    value.bits = bits;
    return value;
  }
  OA_HALF_ASSIGNMENTS(Half)
};
#undef OA_HALF_ASSIGNMENTS

}  // namespace oneagent

// 11 and 8 bits of significand, as IEEE binary16 and the upper half of binary32 have.
#define OA_HALF_LIMITS(Type, low, high, step, tiny, nan, precision)                     \
  template <>                                                                           \
  class std::numeric_limits<oneagent::Type> {                                           \
   public:                                                                              \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false;  \
    static constexpr bool is_exact = false, has_infinity = true, has_quiet_NaN = true;  \
    static constexpr int digits = precision, radix = 2;                                 \
    static oneagent::Type of(uint16_t bits) { return oneagent::Type::from_bits(bits); } \
    static oneagent::Type lowest() { return of(low); }                                  \
    static oneagent::Type max() { return of(high); }                                    \
    static oneagent::Type min() { return of(tiny); }                                    \
    static oneagent::Type denorm_min() { return of(1); }                                \
    static oneagent::Type epsilon() { return of(step); }                                \
    static oneagent::Type round_error() { return oneagent::Type(0.5f); }                \
    static oneagent::Type infinity() { return of(high + 1); }                           \
    static oneagent::Type quiet_NaN() { return of(nan); }                               \
  };
OA_HALF_LIMITS(Half, 0xfbff, 0x7bff, 0x1400, 0x0400, 0x7e00, 11)
OA_HALF_LIMITS(BFloat16, 0xff7f, 0x7f7f, 0x3c00, 0x0080, 0x7fc0, 8)
#undef OA_HALF_LIMITS
