// Running sums, products, extremes and log-sum-exps along lines, and linear recurrences. Floating
// states are double.
#pragma once

#include "core/kernels/cpu/lines.h"

namespace oneagent::cpu {

enum class Scan : uint8_t { kSum, kProd, kLogSumExp, kLinear };

struct ScanArgs {
  const void* in = nullptr;
  const void* factor = nullptr;  // kLinear: y[i] = in[i] + factor[i] * y[i - 1]
  void* out = nullptr;
  Lines lines;
  bool reversed = false;   // from the end
  bool exclusive = false;  // kProd: without the element itself
};

// True if the dtype has the scan.
OA_CPU_KERNEL(bool, scan, (Scan function, DType dtype, const ScanArgs& args),
              (function, dtype, args))

struct RunningExtremeArgs {
  const void* in = nullptr;
  void* values = nullptr;
  int64_t* indices = nullptr;
  Lines lines;
};

// The largest (or smallest) element so far and the last place where it was; a NaN stays.
OA_CPU_KERNEL(bool, running_extreme, (bool largest, DType dtype, const RunningExtremeArgs& args),
              (largest, dtype, args))

}  // namespace oneagent::cpu
