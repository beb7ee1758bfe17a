// One pass over a parameter, its gradient and its state: each element is read and written once.
// float32 and float64.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

struct UpdateArrays {
  void* parameter = nullptr;
  const void* gradient = nullptr;
  void* state[3] = {};  // absent ones null
  int64_t n = 0;
};

// Adam and its relatives. state: running mean m of gradients, running mean v of squares, largest v
// so far (AMSGrad) or null. x -= (step m + gradient_step g) / (sqrt(v) root + epsilon).
struct AdamArgs : UpdateArrays {
  double step = 0;           // lr / (1 - beta1^t)
  double gradient_step = 0;  // of NAdam
  double beta1 = 0.9, beta2 = 0.999;
  double root = 1;  // 1 / sqrt(1 - beta2^t)
  double epsilon = 1e-8;
  double weight_decay = 0;  // added to the gradient (Adam)
  double shrink = 1;        // the parameter is multiplied by this first (AdamW)
  bool plain = false;       // no division: x -= step m (RAdam's first steps)
};
OA_CPU_KERNEL(void, adam, (DType dtype, const AdamArgs& args), (dtype, args))

// state: running mean m, running maximum u = max(beta2 u, |g| + epsilon). x -= step m / u.
struct AdamaxArgs : UpdateArrays {
  double step = 0, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weight_decay = 0;
};
OA_CPU_KERNEL(void, adamax, (DType dtype, const AdamaxArgs& args), (dtype, args))

// state: momentum buffer or null.
struct SgdArgs : UpdateArrays {
  double lr = 0, momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
  bool first_step = false;    // the buffer starts as the gradient
  double gradient_scale = 1;  // of gradient and decay (LARS)
};
OA_CPU_KERNEL(void, sgd, (DType dtype, const SgdArgs& args), (dtype, args))

// state: sum of squares.
struct AdagradArgs : UpdateArrays {
  double step = 0, epsilon = 1e-10, weight_decay = 0;
};
OA_CPU_KERNEL(void, adagrad, (DType dtype, const AdagradArgs& args), (dtype, args))

// state: running mean of squares, momentum buffer or null, running mean of gradients or null.
struct RmspropArgs : UpdateArrays {
  double lr = 0, alpha = 0.99, epsilon = 1e-8, weight_decay = 0, momentum = 0;
};
OA_CPU_KERNEL(void, rmsprop, (DType dtype, const RmspropArgs& args), (dtype, args))

// state: running mean of squared gradients, running mean of squared steps.
struct AdadeltaArgs : UpdateArrays {
  double lr = 1, rho = 0.9, epsilon = 1e-6, weight_decay = 0;
};
OA_CPU_KERNEL(void, adadelta, (DType dtype, const AdadeltaArgs& args), (dtype, args))

// LAMB in two passes, with r = m root1 / (sqrt(v) root2 + epsilon) + weight_decay x. The first
// updates m and v and returns the sums of squares of x and r, the second sets x -= step r.
struct LambArgs : UpdateArrays {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-6, weight_decay = 0;
  double root1 = 1, root2 = 1;  // 1 / (1 - beta1^t), 1 / sqrt(1 - beta2^t)
  double step = 0;
};
struct SquareSums {
  double parameter = 0, other = 0;
};
OA_CPU_KERNEL(SquareSums, lamb_moments, (DType dtype, const LambArgs& args), (dtype, args))
OA_CPU_KERNEL(void, lamb_step, (DType dtype, const LambArgs& args), (dtype, args))

// Sums of squares of the parameter and the gradient.
OA_CPU_KERNEL(SquareSums, square_sums, (DType dtype, const UpdateArrays& args), (dtype, args))

}  // namespace oneagent::cpu
