// Activation functions with their parameters in params.number, and their gradients: operands of the
// gradient are the gradient of the result and the operand x.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class NonLinear : uint8_t {
  kElu,  // 0: factor of exp(x) - 1, 1: factor of positive x, 2: factor of x within exp
  kSilu,
  kMish,
  kGelu,
  kGeluTanh,
  kSoftplus,  // 0: beta, 1: threshold
  kLogSigmoid,
  kSoftsign,
  kTanhshrink,
  kLeakyRelu,  // 0: slope
  kHardsigmoid,
  kHardswish,
  kHardtanh,    // 0, 1: limits
  kHardshrink,  // 0: half width
  kSoftshrink,  // 0: half width
  kThreshold    // 0: threshold, 1: value
};

// Null for dtypes other than float32 and float64.
OA_CPU_KERNEL(Inner, activation, (NonLinear function, DType dtype), (function, dtype))
OA_CPU_KERNEL(Inner, activation_backward, (NonLinear function, DType dtype), (function, dtype))

// glu on rows of n: out = a sigmoid(b). Backward: out_a = g s, out_b = g a s (1 - s).
OA_CPU_KERNEL(Inner, glu, (DType dtype), (dtype))                // operands: out, a, b
OA_CPU_KERNEL(Inner, glu_backward_gate, (DType dtype), (dtype))  // operands: out_b, g, a, b

// prelu with the slope as an operand: out, x, slope; and its gradients, operands (out, g, x, slope)
// and (out, g, x).
OA_CPU_KERNEL(Inner, prelu, (DType dtype), (dtype))
OA_CPU_KERNEL(Inner, prelu_backward_input, (DType dtype), (dtype))
OA_CPU_KERNEL(Inner, prelu_backward_slope, (DType dtype), (dtype))

}  // namespace oneagent::cpu
