// Inner loops of functions that are quick for almost all operands: F(x) vectorises, F::rare(x) says
// where it does not hold, F::slow(x) is the answer there. What an element becomes does not depend
// on its neighbours.
#pragma once

#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

inline constexpr int64_t kRareBlock = 128;

template <class T, class F>
void rare_unary_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  const auto one = [&](T x) { return F::rare(x) ? F::slow(x) : f(x); };
  if (strides[0] != sizeof(T) || strides[1] != sizeof(T)) {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<T*>(data[0] + i * strides[0]) =
          one(*reinterpret_cast<const T*>(data[1] + i * strides[1]));
    return;
  }
  for (int64_t begin = 0; begin < n; begin += kRareBlock) {
    const int64_t count = n - begin < kRareBlock ? n - begin : kRareBlock;
    T* out = reinterpret_cast<T*>(data[0]) + begin;
    const T* in = reinterpret_cast<const T*>(data[1]) + begin;
    int rare = 0;
    for (int64_t i = 0; i < count; ++i) rare |= F::rare(in[i]);
    if (rare != 0) {
      for (int64_t i = 0; i < count; ++i) out[i] = one(in[i]);
      continue;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = f(in[i]);
  }
}

template <class T, class F>
void rare_binary_row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  const auto one = [&](T a, T b) { return F::rare(a, b) ? F::slow(a, b) : f(a, b); };
  const auto steps = [&](int k) { return strides[k] == sizeof(T) || strides[k] == 0; };
  if (strides[0] != sizeof(T) || !steps(1) || !steps(2)) {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<T*>(data[0] + i * strides[0]) =
          one(*reinterpret_cast<const T*>(data[1] + i * strides[1]),
              *reinterpret_cast<const T*>(data[2] + i * strides[2]));
    return;
  }
  T fixed[2][kRareBlock];
  for (int k = 0; k < 2; ++k)
    if (strides[k + 1] == 0)
      for (T& value : fixed[k]) value = *reinterpret_cast<const T*>(data[k + 1]);
  for (int64_t begin = 0; begin < n; begin += kRareBlock) {
    const int64_t count = n - begin < kRareBlock ? n - begin : kRareBlock;
    T* out = reinterpret_cast<T*>(data[0]) + begin;
    const T* a = strides[1] == 0 ? fixed[0] : reinterpret_cast<const T*>(data[1]) + begin;
    const T* b = strides[2] == 0 ? fixed[1] : reinterpret_cast<const T*>(data[2]) + begin;
    int rare = 0;
    for (int64_t i = 0; i < count; ++i) rare |= F::rare(a[i], b[i]);
    if (rare != 0) {
      for (int64_t i = 0; i < count; ++i) out[i] = one(a[i], b[i]);
      continue;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) out[i] = f(a[i], b[i]);
  }
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
