// 256-bit vectors of float and double for the kernels that are written with registers in mind.
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::v3 {
namespace {

template <class T>
struct Vec;

template <>
struct Vec<float> {
  using Reg = __m256;
  static constexpr int kWidth = 8;
  static constexpr int kPanel = 2;  // registers across one block of gemm
  static Reg zero() { return _mm256_setzero_ps(); }
  static Reg load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, Reg v) { _mm256_storeu_ps(p, v); }
  static Reg broadcast(const float* p) { return _mm256_broadcast_ss(p); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_ps(a, b, c); }
  static Reg add(Reg a, Reg b) { return _mm256_add_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm256_mul_ps(a, b); }
  static Reg div(Reg a, Reg b) { return _mm256_div_ps(a, b); }
  static Reg splat(float x) { return _mm256_set1_ps(x); }
  static Reg min(Reg a, Reg b) { return _mm256_min_ps(a, b); }  // b where one is NaN
  static Reg max(Reg a, Reg b) { return _mm256_max_ps(a, b); }  // likewise
  // |x| < limit ? x : y
  static Reg small_or(Reg x, Reg limit, Reg y) {
    const Reg size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
    return _mm256_blendv_ps(y, x, _mm256_cmp_ps(size, limit, _CMP_LT_OQ));
  }
};

template <>
struct Vec<double> {
  using Reg = __m256d;
  static constexpr int kWidth = 4;
  static constexpr int kPanel = 2;
  static Reg zero() { return _mm256_setzero_pd(); }
  static Reg load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, Reg v) { _mm256_storeu_pd(p, v); }
  static Reg broadcast(const double* p) { return _mm256_broadcast_sd(p); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm256_fmadd_pd(a, b, c); }
  static Reg add(Reg a, Reg b) { return _mm256_add_pd(a, b); }
};

}  // namespace
}  // namespace oneagent::cpu::v3
