// Softmax over the middle dimension of contiguous [rows, n, inner] arrays.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct SoftmaxArgs {
  const void* in = nullptr;        // forward: x; backward: the forward's result
  const void* gradient = nullptr;  // backward only
  void* out = nullptr;
  int64_t rows = 0, n = 0, inner = 1;
  bool log = false;
};

OA_CPU_KERNEL(void, softmax, (DType dtype, const SoftmaxArgs& args), (dtype, args))
OA_CPU_KERNEL(void, softmax_backward, (DType dtype, const SoftmaxArgs& args), (dtype, args))
OA_CPU_KERNEL(void, logsumexp, (DType dtype, const SoftmaxArgs& args),
              (dtype, args))  // out is [rows, inner]

// out = scale exp(x - shift), scale and shift being [rows, inner]: the gradient of logsumexp.
struct SoftmaxGradArgs {
  const void* x = nullptr;
  const void* shift = nullptr;
  const void* scale = nullptr;
  void* out = nullptr;
  int64_t rows = 0, n = 0, inner = 1;
};
OA_CPU_KERNEL(void, logsumexp_backward, (DType dtype, const SoftmaxGradArgs& args), (dtype, args))

}  // namespace oneagent::cpu
