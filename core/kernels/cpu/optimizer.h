// One pass over a parameter and its state: each element is read and written once.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct AdamArgs {
  void* parameter = nullptr;
  const void* gradient = nullptr;
  void* first = nullptr;   // running mean of gradients
  void* second = nullptr;  // running mean of squares
  int64_t n = 0;
  double step_size = 0;  // lr / (1 - beta1^t)
  double beta1 = 0.9, beta2 = 0.999;
  double root_correction = 1;  // sqrt(1 - beta2^t)
  double epsilon = 1e-8;
  double weight_decay = 0;  // added to the gradient (Adam)
  double shrink = 1;  // the parameter is multiplied by this first (AdamW: 1 - lr * weight_decay)
};
OA_CPU_KERNEL(void, adam, (DType dtype, const AdamArgs& args), (dtype, args))

struct SgdArgs {
  void* parameter = nullptr;
  const void* gradient = nullptr;
  void* momentum_buffer = nullptr;  // null without momentum
  int64_t n = 0;
  double lr = 0, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool first_step = false;  // the buffer starts as the gradient
};
OA_CPU_KERNEL(void, sgd, (DType dtype, const SgdArgs& args), (dtype, args))

}  // namespace oneagent::cpu
