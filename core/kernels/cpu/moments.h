// Mean and variance of [outer, count, inner] arrays over the middle dimension, in double: float
// rows in one pass around their first element, double rows in two.
#pragma once

#include "core/kernels/cpu/reduce.h"

namespace oneagent::cpu {

struct MomentArgs {
  ReduceArgs over;         // without `out`
  void* spread = nullptr;  // [outer, inner]: sum of squares / (count - correction)
  void* mean = nullptr;    // [outer, inner], may be null
  double correction = 1;
  bool root = false;  // the square root of the variance
};

OA_CPU_KERNEL(bool, moments, (DType dtype, const MomentArgs& args), (dtype, args))

}  // namespace oneagent::cpu
