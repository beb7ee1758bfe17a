// The gradient before an activation and, in the same pass, its sums over rows: the gradient of the
// bias.
#pragma once

#include "core/kernels/cpu/gemm.h"

namespace oneagent::cpu {

// gradient, result (of the activation), out: [rows, columns], rows `stride` elements apart; out may
// be gradient. sums: [columns], each a sum in the order of the rows, with the bits of Reduce::kSum.
struct BiasGradientArgs {
  Activation activation = Activation::kNone;
  int64_t rows = 0, columns = 0, stride = 0;  // columns: a multiple of kBiasGradientColumns
  const void* gradient = nullptr;
  const void* result = nullptr;
  void* out = nullptr;
  void* sums = nullptr;
};
inline constexpr int64_t kBiasGradientColumns = 8;

// float32 or float64
OA_CPU_KERNEL(void, bias_gradient, (DType dtype, const BiasGradientArgs& args), (dtype, args))

}  // namespace oneagent::cpu
