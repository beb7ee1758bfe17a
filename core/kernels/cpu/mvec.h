// Vectors of double through glibc's libmvec: registers, its functions by the names of C, and inner
// loops made from functions of whole registers. Errors are below 4 ulp, mostly below 1. The tail of
// a row passes through a padded buffer, so the bits do not depend on how an array is split; they
// may differ between the AVX2 and the AVX-512 build. float has its own polynomials (math.h).
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/inner.h"

#ifdef __AVX512F__
#define OA_MVEC(name) _ZGVeN8v_##name
#define OA_MVEC2(name) _ZGVeN8vv_##name
#define OA_DOUBLES __m512d
#else
#define OA_MVEC(name) _ZGVdN4v_##name
#define OA_MVEC2(name) _ZGVdN4vv_##name
#define OA_DOUBLES __m256d
#endif

#define OA_MVEC_FUNCTION(name)                                         \
  extern "C" OA_DOUBLES OA_MVEC(name)(OA_DOUBLES);                     \
  namespace oneagent::cpu::OA_ISA {                                    \
  namespace {                                                          \
  inline OA_DOUBLES name##_(OA_DOUBLES x) { return OA_MVEC(name)(x); } \
  }                                                                    \
  }
#define OA_MVEC_FUNCTION2(name)                                                          \
  extern "C" OA_DOUBLES OA_MVEC2(name)(OA_DOUBLES, OA_DOUBLES);                          \
  namespace oneagent::cpu::OA_ISA {                                                      \
  namespace {                                                                            \
  inline OA_DOUBLES name##_(OA_DOUBLES x, OA_DOUBLES y) { return OA_MVEC2(name)(x, y); } \
  }                                                                                      \
  }

OA_MVEC_FUNCTION(exp)
OA_MVEC_FUNCTION(exp2)
OA_MVEC_FUNCTION(expm1)
OA_MVEC_FUNCTION(log)
OA_MVEC_FUNCTION(log2)
OA_MVEC_FUNCTION(log10)
OA_MVEC_FUNCTION(log1p)
OA_MVEC_FUNCTION(sin)
OA_MVEC_FUNCTION(cos)
OA_MVEC_FUNCTION(tan)
OA_MVEC_FUNCTION(asin)
OA_MVEC_FUNCTION(acos)
OA_MVEC_FUNCTION(atan)
OA_MVEC_FUNCTION(sinh)
OA_MVEC_FUNCTION(cosh)
OA_MVEC_FUNCTION(tanh)
OA_MVEC_FUNCTION(asinh)
OA_MVEC_FUNCTION(acosh)
OA_MVEC_FUNCTION(atanh)
OA_MVEC_FUNCTION(erf)
OA_MVEC_FUNCTION(erfc)
OA_MVEC_FUNCTION2(pow)
OA_MVEC_FUNCTION2(atan2)
OA_MVEC_FUNCTION2(hypot)

namespace oneagent::cpu::OA_ISA {
namespace {

using Doubles = OA_DOUBLES;
inline constexpr int64_t kDoubles = sizeof(Doubles) / sizeof(double);

inline Doubles doubles(double value) { return Doubles{} + value; }
inline Doubles load_doubles(const double* p) {
  Doubles v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
inline void store_doubles(double* p, Doubles v) { __builtin_memcpy(p, &v, sizeof v); }

// Element functions of doubles. A select takes the mask that a comparison of vectors gives.
template <class Mask>
inline Doubles choose(Mask mask, Doubles yes, Doubles no) {
  return mask ? yes : no;
}
inline Doubles abs_(Doubles x) { return choose(x < 0.0, -x, x + 0.0); }
inline Doubles sqrt_(Doubles x) {
#ifdef __AVX512F__
  return _mm512_maskz_sqrt_pd(0xff, x);
#else
  return _mm256_sqrt_pd(x);
#endif
}

inline constexpr int64_t kDoublesBlock = 64;

// `count` elements at `at`, in place when they are contiguous and whole, else in `buffer`, padded
// with the last one.
inline const double* gather_doubles(const char* at, int64_t stride, int64_t count, double* buffer) {
  if (stride == sizeof(double) && count == kDoublesBlock)
    return reinterpret_cast<const double*>(at);
  for (int64_t j = 0; j < count; ++j) buffer[j] = *reinterpret_cast<const double*>(at + j * stride);
  for (int64_t j = count; j % kDoubles != 0; ++j) buffer[j] = buffer[count - 1];
  return buffer;
}

// F: made from Params, a function of one or two Doubles.
template <class F, int kInputs>
void doubles_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  double buffers[kInputs][kDoublesBlock], results[kDoublesBlock];
  for (int64_t begin = 0; begin < n; begin += kDoublesBlock) {
    const int64_t count = n - begin < kDoublesBlock ? n - begin : kDoublesBlock;
    const double* in[kInputs];
    for (int k = 0; k < kInputs; ++k)
      in[k] =
          gather_doubles(data[k + 1] + begin * strides[k + 1], strides[k + 1], count, buffers[k]);
    char* at = data[0] + begin * strides[0];
    const bool direct = strides[0] == sizeof(double) && count == kDoublesBlock;
    double* out = direct ? reinterpret_cast<double*>(at) : results;
    for (int64_t j = 0; j < count; j += kDoubles) {
      if constexpr (kInputs == 1)
        store_doubles(out + j, f(load_doubles(in[0] + j)));
      else
        store_doubles(out + j, f(load_doubles(in[0] + j), load_doubles(in[1] + j)));
    }
    if (direct) continue;
    for (int64_t j = 0; j < count; ++j)
      *reinterpret_cast<double*>(at + j * strides[0]) = results[j];
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
