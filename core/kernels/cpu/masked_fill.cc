#include "core/kernels/cpu/masked_fill.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void row(int64_t n, char* const* data, const int64_t* strides, const Params&) {
  constexpr int64_t kWidth = sizeof(T);
  T* out = reinterpret_cast<T*>(data[0]);
  const T* in = reinterpret_cast<const T*>(data[2]);
  const T value = *reinterpret_cast<const T*>(data[3]);
  const uint8_t* mask = reinterpret_cast<const uint8_t*>(data[1]);
  if (strides[0] == kWidth && strides[2] == kWidth && strides[3] == 0 && strides[1] == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = mask[i] != 0 ? value : in[i];
    return;
  }
  if (strides[0] == kWidth && strides[2] == kWidth && strides[3] == 0 && strides[1] == 0) {
    if (*mask != 0)
      for (int64_t i = 0; i < n; ++i) out[i] = value;
    else if (out != in)
      for (int64_t i = 0; i < n; ++i) out[i] = in[i];
    return;
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(data[0] + i * strides[0]) = *reinterpret_cast<const T*>(
        *(data[1] + i * strides[1]) != 0 ? data[3] + i * strides[3] : data[2] + i * strides[2]);
}

}  // namespace

Inner masked_fill(size_t width) {
  switch (width) {
    case 1:
      return row<uint8_t>;
    case 2:
      return row<uint16_t>;
    case 4:
      return row<uint32_t>;
    default:
      return row<uint64_t>;
  }
}

}  // namespace oneagent::cpu::OA_ISA
