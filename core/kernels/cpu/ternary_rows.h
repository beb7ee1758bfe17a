// Inner loops of three operands, in the manner of rows.h: the first may be one value for the whole
// row, the others are contiguous in the fast form.
#pragma once

#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T, class F>
void ternary_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  constexpr int64_t kStep = sizeof(T);
  T* out = reinterpret_cast<T*>(data[0]);
  const T* a = reinterpret_cast<const T*>(data[1]);
  const T* b = reinterpret_cast<const T*>(data[2]);
  const T* c = reinterpret_cast<const T*>(data[3]);
  const bool whole = strides[0] == kStep && strides[2] == kStep && strides[3] == kStep;
  if (whole && strides[1] == kStep) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(a[i], b[i], c[i]);
  } else if (whole && strides[1] == 0) {
    const T value = *a;
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = f(value, b[i], c[i]);
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<T*>(data[0] + i * strides[0]) =
          f(*reinterpret_cast<const T*>(data[1] + i * strides[1]),
            *reinterpret_cast<const T*>(data[2] + i * strides[2]),
            *reinterpret_cast<const T*>(data[3] + i * strides[3]));
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
