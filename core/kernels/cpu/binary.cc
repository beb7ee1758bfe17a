#include "core/kernels/cpu/binary.h"

#include <immintrin.h>

#include "core/kernels/cpu/erf_math.h"
#include "core/kernels/cpu/integer_math.h"
#include "core/kernels/cpu/lerp.h"
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

inline float copysign_of(float a, float b) { return __builtin_copysignf(a, b); }
inline double copysign_of(double a, double b) { return __builtin_copysign(a, b); }

template <class T, class Bits>
T next_bits(T a, T b) {
  const Bits bits = __builtin_bit_cast(Bits, a);
  const T next = __builtin_bit_cast(T, (a < b) == (a > T(0)) ? bits + 1 : bits - 1);
  const T least = copysign_of(__builtin_bit_cast(T, Bits(1)), b);
  const T moved = a == T(0) ? least : next;
  return a == b ? b : a != a || b != b ? a + b : moved;
}
inline float next_after(float a, float b) { return next_bits<float, int32_t>(a, b); }
inline double next_after(double a, double b) { return next_bits<double, int64_t>(a, b); }

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
OA_BINARY(Pow, T, power_of_integers(a, static_cast<int64_t>(b)))
OA_BINARY(Minimum, T, a != a ? a : (b < a || b != b) ? b : a)
OA_BINARY(Maximum, T, a != a ? a : (b > a || b != b) ? b : a)
OA_BINARY(Fmin, T, a != a ? b : (b < a) ? b : a)
OA_BINARY(Fmax, T, a != a ? b : (b > a) ? b : a)
OA_BINARY(Heaviside, T, a == T(0) ? b : a < T(0) ? T(0) : a == a ? T(1) : T(0))
OA_BINARY(Copysign, T, copysign_of(a, b))
OA_BINARY(Nextafter, T, next_after(a, b))
OA_BINARY(TanhGrad, T, a*(T(1) - b * b))
OA_BINARY(SigmoidGrad, T, a*(T(1) - b) * b)
OA_BINARY(ReluGrad, T, b > T(0) ? a : T(0))
OA_BINARY(GeluGrad, T,
          a*(T(0.5) * (T(1) + erf_(b * T(0.70710678118654752440))) +
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

template <class T>
struct AddScaled {
  T alpha;
  explicit AddScaled(const Params& params) : alpha(param<T>(params, 0)) {}
  T operator()(T a, T b) const { return static_cast<T>(a + alpha * b); }
};
template <class T>
struct Lerp {
  T weight;
  explicit Lerp(const Params& params) : weight(param<T>(params, 0)) {}
  T operator()(T a, T b) const { return lerp_of(a, b, weight); }
};
template <class T>
struct IsClose {
  double rtol, atol;
  bool equal_nan;
  explicit IsClose(const Params& params)
      : rtol(params.number[0]), atol(params.number[1]), equal_nan(params.integer[2] != 0) {}
  bool operator()(T a, T b) const {
    const double x = static_cast<double>(a), y = static_cast<double>(b);
    const double distance = __builtin_fabs(x - y);
    const bool near = (distance <= atol + __builtin_fabs(rtol * y)) & (distance < __builtin_inf());
    return near | (a == b) | (equal_nan & (a != a) & (b != b));
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
Inner integral(DType dtype) {
  Inner inner = nullptr;
  with_integral(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

template <template <class> class F>
Inner to_bool(DType dtype) {
  Inner inner = nullptr;
  with_number_or_bool(dtype, [&]<class T>(Type<T>) { inner = binary_row<bool, T, F<T>>; });
  return inner;
}

template <class T, bool kA, bool kB>
void select_flat(int64_t n, char* const* data) {
  T* out = reinterpret_cast<T*>(data[0]);
  const uint8_t* condition = reinterpret_cast<const uint8_t*>(data[1]);
  const T* a = reinterpret_cast<const T*>(data[2]);
  const T* b = reinterpret_cast<const T*>(data[3]);
  const T a0 = *a, b0 = *b;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) {
    const T yes = kA ? a[i] : a0, no = kB ? b[i] : b0;
    out[i] = condition[i] != 0 ? yes : no;
  }
}

template <class T>
void select_row(int64_t n, char* const* data, const int64_t* strides, const Params&) {
  constexpr int64_t kStep = sizeof(T);
  if (strides[0] == kStep && strides[1] == 1) {
    if (strides[2] == kStep && strides[3] == kStep) return select_flat<T, true, true>(n, data);
    if (strides[2] == 0 && strides[3] == kStep) return select_flat<T, false, true>(n, data);
    if (strides[2] == kStep && strides[3] == 0) return select_flat<T, true, false>(n, data);
    if (strides[2] == 0 && strides[3] == 0) return select_flat<T, false, false>(n, data);
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

// float16 by the processor's own conversion, to nearest.
void half_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  int64_t at = 0;
  if (strides[0] == sizeof(Half) && strides[1] == sizeof(float)) {
    const float* in = reinterpret_cast<const float*>(data[1]);
    Half* out = reinterpret_cast<Half*>(data[0]);
    for (; at + 8 <= n; at += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out + at),
                       _mm256_cvtps_ph(_mm256_loadu_ps(in + at), _MM_FROUND_TO_NEAREST_INT));
  }
  char* rest[2] = {data[0] + at * strides[0], data[1] + at * strides[1]};
  unary_row<Half, float, Cast<Half, float>>(n - at, rest, strides, params);
}

// bfloat16 to the nearest, ties to even; blocks with a NaN element by element.
void brain_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  int64_t at = 0;
  if (strides[0] == sizeof(BFloat16) && strides[1] == sizeof(float)) {
    const float* in = reinterpret_cast<const float*>(data[1]);
    BFloat16* out = reinterpret_cast<BFloat16*>(data[0]);
    const __m256i one = _mm256_set1_epi32(1), half = _mm256_set1_epi32(0x7fff);
    const auto rounded = [&](const float* from, __m256& odd) {
      const __m256 x = _mm256_loadu_ps(from);
      odd = _mm256_or_ps(odd, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
      const __m256i bits = _mm256_castps_si256(x);
      const __m256i even = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
      return _mm256_srli_epi32(_mm256_add_epi32(bits, _mm256_add_epi32(half, even)), 16);
    };
    for (; at + 16 <= n; at += 16) {
      __m256 odd = _mm256_setzero_ps();
      const __m256i a = rounded(in + at, odd), b = rounded(in + at + 8, odd);
      if (_mm256_movemask_ps(odd) != 0) {
        for (int64_t i = at; i < at + 16; ++i) out[i] = BFloat16(in[i]);
        continue;
      }
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + at),
                          _mm256_permute4x64_epi64(_mm256_packus_epi32(a, b), 0xd8));
    }
  }
  char* rest[2] = {data[0] + at * strides[0], data[1] + at * strides[1]};
  unary_row<BFloat16, float, Cast<BFloat16, float>>(n - at, rest, strides, params);
}

template <class To>
Inner cast_from(DType from) {
  Inner inner = nullptr;
  with_any(from, [&]<class From>(Type<From>) {
    // A bool is read as its byte, 0 or 1: conversions of bytes vectorise.
    using Source = std::conditional_t<__is_same(From, bool), uint8_t, From>;
    inner = unary_row<To, Source, Cast<To, Source>>;
    if constexpr (__is_same(To, Half) && __is_same(From, float)) inner = half_row;
    if constexpr (__is_same(To, BFloat16) && __is_same(From, float)) inner = brain_row;
  });
  return inner;
}

// The parts of a complex number.
template <class T>
struct Parts {
  T real, imag;
};
template <class T>
inline constexpr bool kIsParts = false;
template <class T>
inline constexpr bool kIsParts<Parts<T>> = true;

template <class To, class From>
struct CastParts {
  explicit CastParts(const Params&) {}
  To operator()(From x) const {
    if constexpr (kIsParts<To> && kIsParts<From>) {
      using T = decltype(To::real);
      return {static_cast<T>(x.real), static_cast<T>(x.imag)};
    } else if constexpr (kIsParts<To>) {
      using T = decltype(To::real);
      return {Cast<T, From>(Params())(x), T(0)};
    } else if constexpr (__is_same(To, bool)) {
      return (x.real != 0) | (x.imag != 0);
    } else {
      return Cast<To, decltype(From::real)>(Params())(x.real);
    }
  }
};

template <class To, class From>
Inner parts_row() {
  return unary_row<To, From, CastParts<To, From>>;
}

// Where at least one of the types is complex: a real number gets an imaginary part of 0, the
// imaginary part is dropped on the way to a real type.
Inner cast_parts(DType to, DType from) {
  Inner inner = nullptr;
  with_complex(to, [&]<class To>(Type<To>) {
    with_complex(from,
                 [&]<class From>(Type<From>) { inner = parts_row<Parts<To>, Parts<From>>(); });
    with_any(from, [&]<class From>(Type<From>) { inner = parts_row<Parts<To>, From>(); });
  });
  if (inner != nullptr) return inner;
  with_complex(from, [&]<class From>(Type<From>) {
    with_any(to, [&]<class To>(Type<To>) { inner = parts_row<To, Parts<From>>(); });
  });
  return inner;
}

Inner bool_binary(Binary function) {
  switch (function) {
    case Binary::kAdd:
    case Binary::kMaximum:
    case Binary::kFmax:
      return binary_row<bool, uint8_t, Or<uint8_t>>;
    case Binary::kMul:
    case Binary::kMinimum:
    case Binary::kFmin:
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
      return integral<Pow>(dtype);
    case Binary::kMinimum:
      return numeric<Minimum>(dtype);
    case Binary::kMaximum:
      return numeric<Maximum>(dtype);
    case Binary::kFmin:
      return numeric<Fmin>(dtype);
    case Binary::kFmax:
      return numeric<Fmax>(dtype);
    case Binary::kAddScaled:
      return numeric<AddScaled>(dtype);
    case Binary::kCopysign:
      return floating<Copysign>(dtype);
    case Binary::kHeaviside:
      return numeric<Heaviside>(dtype);
    case Binary::kNextafter:
      return floating<Nextafter>(dtype);
    case Binary::kLerp:
      return floating<Lerp>(dtype);
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
    case Compare::kIsClose:
      return to_bool<IsClose>(dtype);
  }
  return nullptr;
}

Inner select(DType dtype) {
  Inner inner = nullptr;
  with_width_of(dtype, [&]<class T>(Type<T>) { inner = select_row<T>; });
  return inner;
}

Inner cast(DType to, DType from) {
  if (is_complex(to) || is_complex(from)) return cast_parts(to, from);
  Inner inner = nullptr;
  with_any(to, [&]<class To>(Type<To>) { inner = cast_from<To>(from); });
  return inner;
}

}  // namespace oneagent::cpu::OA_ISA
