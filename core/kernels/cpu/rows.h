// Inner loops made from an element function. The contiguous forms vectorise; exact overlap of
// result and operand is allowed.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
T param(const Params& params, int i) {
  if constexpr (static_cast<T>(0.5) != T(0) && !__is_same(T, bool))
    return static_cast<T>(params.number[i]);
  else
    return static_cast<T>(params.integer[i]);
}

template <class R, class T, class F>
void unary_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  if (strides[0] == sizeof(R) && strides[1] == sizeof(T)) {
    R* out = reinterpret_cast<R*>(data[0]);
    const T* in = reinterpret_cast<const T*>(data[1]);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(in[i]);
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<R*>(data[0] + i * strides[0]) =
        f(*reinterpret_cast<const T*>(data[1] + i * strides[1]));
}

template <class R, class T, class F>
void binary_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  constexpr int64_t kStep = sizeof(T);
  R* out = reinterpret_cast<R*>(data[0]);
  const T* a = reinterpret_cast<const T*>(data[1]);
  const T* b = reinterpret_cast<const T*>(data[2]);
  if (strides[0] == sizeof(R) && strides[1] == kStep && strides[2] == kStep) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i]);
  } else if (strides[0] == sizeof(R) && strides[1] == kStep && strides[2] == 0) {
    const T value = *b;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], value);
  } else if (strides[0] == sizeof(R) && strides[1] == 0 && strides[2] == kStep) {
    const T value = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(value, b[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<R*>(data[0] + i * strides[0]) =
          f(*reinterpret_cast<const T*>(data[1] + i * strides[1]),
            *reinterpret_cast<const T*>(data[2] + i * strides[2]));
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
