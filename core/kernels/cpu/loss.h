// Losses of two numbers, x and a target t, with one parameter (params.number[0]).
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

enum class PairLoss : uint8_t {
  kSquared,
  kAbsolute,
  kSmoothL1,            // parameter: beta
  kHuber,               // parameter: delta
  kCrossEntropy,        // of a probability x: -t log x - (1 - t) log(1 - x), logarithms >= -100
  kLogitsCrossEntropy,  // of a logit x
  kSoftMargin,          // log(1 + exp(-t x))
  kDivergence,          // t (log t - x), x being a logarithm
  kLogDivergence        // exp(t) (t - x)
};

// Operands: out, x, t; and out, gradient of the result, x, t, the gradient being scaled by
// params.number[1]. Null for dtypes other than float32 and float64.
OA_CPU_KERNEL(Inner, pair_loss, (PairLoss function, DType dtype), (function, dtype))
OA_CPU_KERNEL(Inner, pair_loss_backward, (PairLoss function, DType dtype), (function, dtype))

// The sum over n contiguous pairs.
struct PairLossArgs {
  const void* x = nullptr;
  const void* t = nullptr;
  int64_t n = 0;
  Params params;
};
OA_CPU_KERNEL(double, pair_loss_sum, (PairLoss function, DType dtype, const PairLossArgs& args),
              (function, dtype, args))

// True if all of n contiguous values lie in [0, 1].
OA_CPU_KERNEL(bool, all_probabilities, (DType dtype, const void* x, int64_t n), (dtype, x, n))

}  // namespace oneagent::cpu
