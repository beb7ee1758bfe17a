// Softmax over the rows of a contiguous [rows, n] array, and its backward.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct SoftmaxArgs {
  const void* in = nullptr;        // forward: x; backward: the forward's result
  const void* gradient = nullptr;  // backward only
  void* out = nullptr;
  int64_t rows = 0, n = 0;
  bool log = false;
};

OA_CPU_KERNEL(void, softmax, (DType dtype, const SoftmaxArgs& args), (dtype, args))
OA_CPU_KERNEL(void, softmax_backward, (DType dtype, const SoftmaxArgs& args), (dtype, args))
OA_CPU_KERNEL(void, logsumexp, (DType dtype, const SoftmaxArgs& args),
              (dtype, args))  // out is [rows]

}  // namespace oneagent::cpu
