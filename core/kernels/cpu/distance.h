// Distances (sum |a - b|^p)^(1/p) between the rows of two contiguous matrices; p = 0 counts the
// elements that differ, p = infinity takes the largest difference.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct DistanceArgs {
  const void* a = nullptr;  // [rows_a, m]
  const void* b = nullptr;  // [rows_b, m]
  int64_t rows_a = 0, rows_b = 0, m = 0;
  double p = 2;
  void* out = nullptr;  // forward: [rows_a, rows_b]
  // Backward adds to out_a [rows_a, m] and subtracts from out_b [rows_b, m].
  const void* gradient = nullptr;  // [rows_a, rows_b]
  const void* distance = nullptr;  // [rows_a, rows_b]
  void* out_a = nullptr;
  void* out_b = nullptr;
};
OA_CPU_KERNEL(void, distances, (DType dtype, const DistanceArgs& args), (dtype, args))
OA_CPU_KERNEL(void, distances_backward, (DType dtype, const DistanceArgs& args), (dtype, args))

}  // namespace oneagent::cpu
