// Packs: short vectors of any element type, written with g++'s vector extension, so that one
// expression serves scalars and vectors. A pack of 32 bytes is one register of both builds, so a
// reduction over fixed packs gives the same bits on both.
#pragma once

#include <immintrin.h>

#include <type_traits>

#include "core/kernels/cpu/isa.h"

// Packs never cross a call between object files.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace oneagent::cpu::OA_ISA {
namespace {

inline constexpr int kPackBytes = 32;

template <class T, int N>
struct PackOf {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T, int N>
using Pack = typename PackOf<T, N>::type;

template <class X>
inline constexpr bool is_scalar = std::is_arithmetic_v<X>;

template <class T>
inline constexpr bool is_real = static_cast<T>(0.5) != T(0);

template <int N, class T>
inline Pack<T, N> load(const T* from) {
  Pack<T, N> out;
  __builtin_memcpy(&out, from, sizeof(out));
  return out;
}
template <class T, class V>
inline void store(T* to, const V& value) {
  __builtin_memcpy(to, &value, sizeof(value));
}
template <int N, class T>
inline Pack<T, N> splat(T value) {
  return value - Pack<T, N>{};
}

// kN elements, adjacent or `stride` apart.
template <int kN, bool kAdjacent, class T>
Pack<T, kN> take(const T* in, int64_t stride) {
  if constexpr (kAdjacent) {
    return load<kN>(in);
  } else {
    Pack<T, kN> out;
    for (int i = 0; i < kN; ++i) out[i] = in[i * stride];
    return out;
  }
}

// Every element as P. g++ 12 would take packs of bytes apart, so these have instructions of their
// own.
template <class P, class X>
inline auto widen(const X& x) {
  if constexpr (is_scalar<X>) {
    return static_cast<P>(x);
  } else if constexpr (__is_same(P, int32_t) && sizeof(x) == 8 && sizeof(x[0]) == 1) {
    int64_t bytes;
    __builtin_memcpy(&bytes, &x, sizeof(bytes));
    const __m128i low = _mm_cvtsi64_si128(bytes);
    constexpr bool kSigned = __is_same(std::decay_t<decltype(x[0])>, int8_t);
    return __builtin_bit_cast(Pack<int32_t, 8>,
                              kSigned ? _mm256_cvtepi8_epi32(low) : _mm256_cvtepu8_epi32(low));
  } else {
    return __builtin_convertvector(x, Pack<P, sizeof(x) / sizeof(x[0])>);
  }
}

// The smallest and the largest value of a type, infinities where it has them.
template <class T>
constexpr T lowest() {
  if constexpr (is_real<T>)
    return -static_cast<T>(__builtin_inf());
  else if constexpr (static_cast<T>(-1) > T(0))
    return T(0);
  else
    return static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1));
}
template <class T>
constexpr T highest() {
  if constexpr (is_real<T>)
    return static_cast<T>(__builtin_inf());
  else
    return static_cast<T>(~lowest<T>());
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
