// Uniform, normal and whole numbers from a Philox counter: element i uses block (counter + i), so
// that any split gives the same numbers. `dtype` is float32, float64 or, for whole numbers, int64,
// too.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

struct DrawArgs {
  uint64_t seed = 0, stream = 0, counter = 0;
  int64_t n = 0;
  void* out = nullptr;
  double shift = 0, scale = 1;  // shift + scale * (number in [0, 1), or normal with deviation 1)
};
OA_CPU_KERNEL(void, draw_uniform, (DType dtype, const DrawArgs& args), (dtype, args))
OA_CPU_KERNEL(void, draw_normal, (DType dtype, const DrawArgs& args), (dtype, args))

// low <= value < low + range, with 0 < range < 2^32; `shift` and `scale` are not read.
OA_CPU_KERNEL(void, draw_ints, (DType dtype, const DrawArgs& args, int64_t low, uint64_t range),
              (dtype, args, low, range))

}  // namespace oneagent::cpu
