// Connectionist temporal classification (Graves et al. 2006) of one sequence, in log space. A
// position s of the extended target is a blank or a label; a path may stay, advance by one, or skip
// a blank between different labels.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

// now[s] = log(exp(before[s]) + exp(before[s - 1]) + exp(before[s - 2] + skip[s])) + own[s] for s
// in 0..n-1; before[-2] and before[-1] exist. With `backward` the neighbours are s + 1 and s + 2,
// the skip is that of s + 2, and before[n], before[n + 1], skip[n], skip[n + 1] exist.
struct CtcStep {
  const void* before = nullptr;
  const void* skip = nullptr;  // 0 or -infinity
  const void* own = nullptr;   // logarithms of probabilities
  void* now = nullptr;
  int64_t n = 0;
  bool backward = false;
};
OA_CPU_KERNEL(void, ctc_step, (DType dtype, const CtcStep& step), (dtype, step))

// out[s] = exp(alpha[s] + beta[s] - own[s] + loss), 0 where a path is impossible.
struct CtcOccupancy {
  const void* alpha = nullptr;
  const void* beta = nullptr;
  const void* own = nullptr;
  void* out = nullptr;
  int64_t n = 0;
  double loss = 0;
};
OA_CPU_KERNEL(void, ctc_occupancy, (DType dtype, const CtcOccupancy& args), (dtype, args))

}  // namespace oneagent::cpu
