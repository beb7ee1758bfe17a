// 512-bit vectors of float and double for the kernels that are written with registers in mind.
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::v4 {
namespace {

template <class T>
struct Vec;

template <>
struct Vec<float> {
  using Reg = __m512;
  static constexpr int kWidth = 16;
  static constexpr int kPanel = 4;  // registers across one block of gemm
  static Reg zero() { return _mm512_setzero_ps(); }
  static Reg load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, Reg v) { _mm512_storeu_ps(p, v); }
  static Reg broadcast(const float* p) { return _mm512_set1_ps(*p); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_ps(a, b, c); }
  static Reg add(Reg a, Reg b) { return _mm512_add_ps(a, b); }
  static Reg mul(Reg a, Reg b) { return _mm512_mul_ps(a, b); }
  static Reg div(Reg a, Reg b) { return _mm512_div_ps(a, b); }
  static Reg splat(float x) { return _mm512_set1_ps(x); }
  static Reg min(Reg a, Reg b) { return _mm512_maskz_min_ps(0xffff, a, b); }  // b where one is NaN
  static Reg max(Reg a, Reg b) { return _mm512_maskz_max_ps(0xffff, a, b); }  // likewise
  // |x| < limit ? x : y
  static Reg small_or(Reg x, Reg limit, Reg y) {
    return _mm512_mask_mov_ps(y, _mm512_cmp_ps_mask(_mm512_abs_ps(x), limit, _CMP_LT_OQ), x);
  }
};

template <>
struct Vec<double> {
  using Reg = __m512d;
  static constexpr int kWidth = 8;
  static constexpr int kPanel = 4;
  static Reg zero() { return _mm512_setzero_pd(); }
  static Reg load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, Reg v) { _mm512_storeu_pd(p, v); }
  static Reg broadcast(const double* p) { return _mm512_set1_pd(*p); }
  static Reg fma(Reg a, Reg b, Reg c) { return _mm512_fmadd_pd(a, b, c); }
  static Reg add(Reg a, Reg b) { return _mm512_add_pd(a, b); }
};

}  // namespace
}  // namespace oneagent::cpu::v4
