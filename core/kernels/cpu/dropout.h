// Dropout from a Philox counter: element i uses the first number of block (counter + i), as uniform
// draws do, so that any split gives the same mask.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct DropoutArgs {
  uint64_t seed = 0, stream = 0, counter = 0;
  double keep = 1;   // the probability of keeping an element
  double scale = 1;  // of kept elements
  int64_t n = 0;
  const void* in = nullptr;  // null: ones
  void* out = nullptr;       // scale in where kept, else 0; or null
  bool* mask = nullptr;      // or null
};
OA_CPU_KERNEL(void, dropout, (DType dtype, const DropoutArgs& args), (dtype, args))

// out = mask ? scale in : 0
struct MaskedScaleArgs {
  const void* in = nullptr;
  const bool* mask = nullptr;
  void* out = nullptr;
  int64_t n = 0;
  double scale = 1;
};
OA_CPU_KERNEL(void, masked_scale, (DType dtype, const MaskedScaleArgs& args), (dtype, args))

}  // namespace oneagent::cpu
