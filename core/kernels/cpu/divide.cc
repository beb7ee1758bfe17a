#include "core/kernels/cpu/divide.h"

#include <cmath>

#include "core/kernels/cpu/integer_math.h"
#include "core/kernels/cpu/rare_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

inline float trunc_of(float x) { return __builtin_truncf(x); }
inline double trunc_of(double x) { return __builtin_trunc(x); }
inline float floor_of(float x) { return __builtin_floorf(x); }
inline double floor_of(double x) { return __builtin_floor(x); }
inline float copysign_of(float x, float s) { return __builtin_copysignf(x, s); }
inline double copysign_of(double x, double s) { return __builtin_copysign(x, s); }
inline float fma_of(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma_of(double a, double b, double c) { return __builtin_fma(a, b, c); }

// fmod by one division: the quotient, rounded and cut, is right or one too large in size, and the
// fma is exact, while it has no more bits than a significand. Other operands are rare.
template <class T>
bool rare_fmod(T a, T b) {
  constexpr T kLargest = sizeof(T) == 4 ? T(8388608) : T(4503599627370496);
  const T q = a / b;
  return !(q < kLargest) | !(q > -kLargest) | (b - b != T(0));
}
template <class T>
T quick_fmod(T a, T b) {
  const T r = fma_of(-trunc_of(a / b), b, a);
  const T size = b < T(0) ? -b : b;
  const bool over = a < T(0) ? r > T(0) : r < T(0);
  const T y = over ? (a < T(0) ? r - size : r + size) : r;
  return copysign_of(y, a);
}
template <class T>
T remainder_of(T mod, T b) {
  return (mod != T(0)) & ((b < T(0)) != (mod < T(0))) ? mod + b : mod;
}
// As Python does: the quotient that belongs to remainder_of, and a whole number in spite of
// rounding.
template <class T>
T floor_quotient(T a, T b, T mod) {
  T q = (a - mod) / b;
  q = (mod != T(0)) & ((b < T(0)) != (mod < T(0))) ? q - T(1) : q;
  const T whole = floor_of(q);
  const T near = q - whole > T(0.5) ? whole + T(1) : whole;
  const T y = q != T(0) ? near : copysign_of(T(0), a / b);
  return b == T(0) ? a / b : y;
}

template <class T>
struct Trunc {
  explicit Trunc(const Params&) {}
  T operator()(T a, T b) const { return trunc_of(a / b); }
};
template <class T>
struct Fmod {
  explicit Fmod(const Params&) {}
  static bool rare(T a, T b) { return rare_fmod(a, b); }
  static T slow(T a, T b) { return std::fmod(a, b); }
  T operator()(T a, T b) const { return quick_fmod(a, b); }
};
template <class T>
struct Remainder {
  explicit Remainder(const Params&) {}
  static bool rare(T a, T b) { return rare_fmod(a, b); }
  static T slow(T a, T b) { return remainder_of(std::fmod(a, b), b); }
  T operator()(T a, T b) const { return remainder_of(quick_fmod(a, b), b); }
};
template <class T>
struct Floor {
  explicit Floor(const Params&) {}
  static bool rare(T a, T b) { return rare_fmod(a, b); }
  static T slow(T a, T b) { return floor_quotient(a, b, std::fmod(a, b)); }
  T operator()(T a, T b) const { return floor_quotient(a, b, quick_fmod(a, b)); }
};

// Quotients of up to 32 bits come from a floating division, which rounds the right way: it is
// exact to more bits than the operands have.
template <class T>
T int_trunc(T a, T b) {
  if constexpr (sizeof(T) == 8)
    return b == T(-1) ? static_cast<T>(0 - static_cast<uint64_t>(a)) : a / b;
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(static_cast<double>(a) / static_cast<double>(b));
  else
    return static_cast<T>(static_cast<int32_t>(static_cast<float>(a) / static_cast<float>(b)));
}
template <class T>
T int_fmod(T a, T b) {
  return static_cast<T>(a - int_trunc(a, b) * b);
}

template <class T>
struct IntTrunc {
  explicit IntTrunc(const Params&) {}
  T operator()(T a, T b) const { return int_trunc(a, b); }
};
template <class T>
struct IntFloor {
  explicit IntFloor(const Params&) {}
  T operator()(T a, T b) const {
    const T q = int_trunc(a, b);
    const T rest = static_cast<T>(a - q * b);
    return static_cast<T>(q - ((rest != T(0)) & ((rest < T(0)) != (b < T(0)))));
  }
};
template <class T>
struct IntFmod {
  explicit IntFmod(const Params&) {}
  T operator()(T a, T b) const { return int_fmod(a, b); }
};
template <class T>
struct IntRemainder {
  explicit IntRemainder(const Params&) {}
  T operator()(T a, T b) const {  // without a branch, which random signs would mislead
    const T rest = int_fmod(a, b);
    const int other_sign = (rest != T(0)) & ((rest < T(0)) != (b < T(0)));
    return static_cast<T>(rest + (b & static_cast<T>(-other_sign)));
  }
};
template <class T>
struct Gcd {
  explicit Gcd(const Params&) {}
  T operator()(T a, T b) const { return gcd_of(a, b); }
};
template <class T>
struct Lcm {
  explicit Lcm(const Params&) {}
  T operator()(T a, T b) const {
    const T divisor = gcd_of(a, b);
    if (divisor == T(0)) return T(0);
    const auto product = a / divisor * b;
    return static_cast<T>(product < 0 ? -product : product);
  }
};

template <template <class> class Floating, template <class> class Integral>
Inner quick(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, Floating<T>>; });
  with_integral(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, Integral<T>>; });
  return inner;
}
template <template <class> class Floating, template <class> class Integral>
Inner rare(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = rare_binary_row<T, Floating<T>>; });
  with_integral(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, Integral<T>>; });
  return inner;
}
template <template <class> class F>
Inner integral(DType dtype) {
  Inner inner = nullptr;
  with_integral(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

}  // namespace

Inner divide(Divide function, DType dtype) {
  switch (function) {
    case Divide::kTrunc:
      return quick<Trunc, IntTrunc>(dtype);
    case Divide::kFloor:
      return rare<Floor, IntFloor>(dtype);
    case Divide::kFmod:
      return rare<Fmod, IntFmod>(dtype);
    case Divide::kRemainder:
      return rare<Remainder, IntRemainder>(dtype);
    case Divide::kGcd:
      return integral<Gcd>(dtype);
    case Divide::kLcm:
      return integral<Lcm>(dtype);
  }
  return nullptr;
}

bool has_zero(DType dtype, const void* data, int64_t n) {
  bool found = false;
  with_integral(dtype, [&]<class T>(Type<T>) {
    const T* values = static_cast<const T*>(data);
    for (int64_t begin = 0; begin < n && !found; begin += 4096) {
      const int64_t end = n - begin < 4096 ? n : begin + 4096;
      int zeros = 0;
      for (int64_t i = begin; i < end; ++i) zeros |= values[i] == T(0);
      found = zeros != 0;
    }
  });
  return found;
}

}  // namespace oneagent::cpu::OA_ISA
