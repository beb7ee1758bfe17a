// The largest or smallest element of each line and where it is.
#pragma once

#include "core/kernels/cpu/lines.h"

namespace oneagent::cpu {

struct ExtremeArgs {
  const void* in = nullptr;
  void* values = nullptr;  // one a line, may be null
  int64_t* indices = nullptr;
  Lines lines;
};

// int64 index of the first largest (or smallest) value; a NaN wins. True if the dtype has an order.
OA_CPU_KERNEL(bool, extreme, (bool largest, DType dtype, const ExtremeArgs& args),
              (largest, dtype, args))

}  // namespace oneagent::cpu
