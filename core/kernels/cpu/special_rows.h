// Inner loops of functions that are written once, for Doubles (core/kernels/cpu/mvec.h): float32
// operands are widened to double on the way in and rounded on the way out. Helpers for such
// functions: polynomials, and branches that are taken by whole registers.
#pragma once

#include "core/kernels/cpu/mvec.h"
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void widen(const char* at, int64_t stride, int64_t count, double* out) {
  if (stride == sizeof(T)) {
    const T* in = reinterpret_cast<const T*>(at);
    for (int64_t j = 0; j < count; ++j) out[j] = static_cast<double>(in[j]);
  } else {
    for (int64_t j = 0; j < count; ++j)
      out[j] = static_cast<double>(*reinterpret_cast<const T*>(at + j * stride));
  }
  for (int64_t j = count; j % kDoubles != 0; ++j) out[j] = out[count - 1];
}

template <class F, int kInputs>
void widened_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  double in[kInputs][kDoublesBlock], out[kDoublesBlock];
  for (int64_t begin = 0; begin < n; begin += kDoublesBlock) {
    const int64_t count = n - begin < kDoublesBlock ? n - begin : kDoublesBlock;
    for (int k = 0; k < kInputs; ++k)
      widen<float>(data[k + 1] + begin * strides[k + 1], strides[k + 1], count, in[k]);
    for (int64_t j = 0; j < count; j += kDoubles) {
      if constexpr (kInputs == 1)
        store_doubles(out + j, f(load_doubles(in[0] + j)));
      else
        store_doubles(out + j, f(load_doubles(in[0] + j), load_doubles(in[1] + j)));
    }
    char* at = data[0] + begin * strides[0];
    if (strides[0] == sizeof(float)) {
      float* to = reinterpret_cast<float*>(at);
      for (int64_t j = 0; j < count; ++j) to[j] = static_cast<float>(out[j]);
    } else {
      for (int64_t j = 0; j < count; ++j)
        *reinterpret_cast<float*>(at + j * strides[0]) = static_cast<float>(out[j]);
    }
  }
}

template <class F, int kInputs>
Inner special_row(DType dtype) {
  if (dtype == DType::kFloat32) return widened_row<F, kInputs>;
  return dtype == DType::kFloat64 ? doubles_row<F, kInputs> : nullptr;
}

// Whether a comparison holds in any element.
template <class Mask>
inline bool any_of(Mask mask) {
#ifdef __AVX512F__
  return _mm512_movepi64_mask((__m512i)mask) != 0;
#else
  return _mm256_movemask_pd((__m256d)mask) != 0;
#endif
}

// `yes` where the mask holds, else `no`; what nobody needs is not computed.
template <class Mask, class Yes, class No>
inline Doubles branch(Mask mask, const Yes& yes, const No& no) {
  if (!any_of(mask)) return no();
  if (!any_of(~mask)) return yes();
  return choose(mask, yes(), no());
}

inline Doubles fma_(Doubles a, Doubles b, Doubles c) {
#ifdef __AVX512F__
  return _mm512_fmadd_pd(a, b, c);
#else
  return _mm256_fmadd_pd(a, b, c);
#endif
}
inline Doubles rint_(Doubles x) {
#ifdef __AVX512F__
  return _mm512_maskz_roundscale_pd(0xff, x, 8);
#else
  return _mm256_round_pd(x, 8);
#endif
}

// c[0] x^(N-1) + ... + c[N-1]
template <size_t N>
inline Doubles polynomial(Doubles x, const double (&c)[N]) {
  Doubles y = doubles(c[0]);
  for (size_t i = 1; i < N; ++i) y = fma_(y, x, doubles(c[i]));
  return y;
}
// Chebyshev series in Cephes' order, of x in [-2, 2].
template <size_t N>
inline Doubles chebyshev(Doubles x, const double (&c)[N]) {
  Doubles a = doubles(c[0]), b = doubles(0), p = b;
  for (size_t i = 1; i < N; ++i) {
    p = b;
    b = a;
    a = fma_(x, b, doubles(c[i]) - p);
  }
  return 0.5 * (a - p);
}

inline constexpr double kPi = 3.14159265358979323846;
inline constexpr double kInfinity = __builtin_inf();
inline constexpr double kNan = __builtin_nan("");

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
