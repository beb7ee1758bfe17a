// Resampling of planes by weights that are separable: a result is a sum over taps of each axis.
// Rows are resampled along their width once and then joined.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

struct ResampleArgs {
  int64_t planes = 0;
  int64_t from[3], to[3];  // of a plane
  int taps[3];
  // Of axes 0 and 1: [to][taps]; of axis 2: [taps][to]. Weights have the tensor's type.
  const int32_t* index[3];
  const void* weight[3];
  // [to[2] / 8] of axis 2: whether the taps of eight results are one window of eight values each.
  const uint8_t* near = nullptr;
  const void* in = nullptr;
  void* out = nullptr;
  void* rows = nullptr;     // scratch [from[0], from[1], to[2]]
  uint8_t* made = nullptr;  // scratch [from[0], from[1]]
};

OA_CPU_KERNEL(void, resample, (DType dtype, const ResampleArgs& args), (dtype, args))
// The transpose: in has the shape `to`, out, which is overwritten, the shape `from`.
OA_CPU_KERNEL(void, resample_backward, (DType dtype, const ResampleArgs& args), (dtype, args))
// One tap of weight 1 an axis, for any type: elements are moved. Needs neither rows nor made.
OA_CPU_KERNEL(void, resample_nearest, (DType dtype, const ResampleArgs& args), (dtype, args))

}  // namespace oneagent::cpu
