// 256-bit vectors of float and double for both builds: where results must not depend on the width
// of registers, or rows are short.
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
struct Vec256;

// load_part and store_part touch the first n elements only, 0 <= n < kWidth; the rest is zero.
template <>
struct Vec256<float> {
  using Reg = __m256;
  static constexpr int kWidth = 8;
  static Reg zero() { return _mm256_setzero_ps(); }
  static Reg splat(float x) { return _mm256_set1_ps(x); }
  static Reg load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Reg v) { _mm256_storeu_ps(p, v); }
  static __m256i mask(int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Reg load_part(const float* p, int64_t n) { return _mm256_maskload_ps(p, mask(n)); }
  static void store_part(float* p, Reg v, int64_t n) {  // masked stores are slow on some processors
    __m128 rest = _mm256_castps256_ps128(v);
    if ((n & 4) != 0) {
      _mm_storeu_ps(p, rest);
      rest = _mm256_extractf128_ps(v, 1);
      p += 4;
    }
    if ((n & 2) != 0) {
      _mm_storel_pi(reinterpret_cast<__m64*>(p), rest);
      rest = _mm_movehl_ps(rest, rest);
      p += 2;
    }
    if ((n & 1) != 0) _mm_store_ss(p, rest);
  }
  static Reg add(Reg a, Reg b) { return _mm256_add_ps(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  // a[0] b[0] a[1] b[1] ...
  static void interleave(Reg a, Reg b, Reg& low, Reg& high) {
    const Reg even = _mm256_unpacklo_ps(a, b), odd = _mm256_unpackhi_ps(a, b);
    low = _mm256_permute2f128_ps(even, odd, 0x20);
    high = _mm256_permute2f128_ps(even, odd, 0x31);
  }
};

template <>
struct Vec256<double> {
  using Reg = __m256d;
  static constexpr int kWidth = 4;
  static Reg zero() { return _mm256_setzero_pd(); }
  static Reg splat(double x) { return _mm256_set1_pd(x); }
  static Reg load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Reg v) { _mm256_storeu_pd(p, v); }
  static __m256i mask(int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Reg load_part(const double* p, int64_t n) { return _mm256_maskload_pd(p, mask(n)); }
  static void store_part(double* p, Reg v, int64_t n) {
    __m128d rest = _mm256_castpd256_pd128(v);
    if ((n & 2) != 0) {
      _mm_storeu_pd(p, rest);
      rest = _mm256_extractf128_pd(v, 1);
      p += 2;
    }
    if ((n & 1) != 0) _mm_store_sd(p, rest);
  }
  static Reg add(Reg a, Reg b) { return _mm256_add_pd(a, b); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_pd(a, b, c); }
  // a[0] b[0] a[1] b[1] ...
  static void interleave(Reg a, Reg b, Reg& low, Reg& high) {
    const Reg even = _mm256_unpacklo_pd(a, b), odd = _mm256_unpackhi_pd(a, b);
    low = _mm256_permute2f128_pd(even, odd, 0x20);
    high = _mm256_permute2f128_pd(even, odd, 0x31);
  }
};

template <class T>
T lanes_sum(typename Vec256<T>::Reg v) {
  constexpr int kWidth = Vec256<T>::kWidth;
  T lanes[kWidth];
  Vec256<T>::store(lanes, v);
  for (int width = kWidth / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
