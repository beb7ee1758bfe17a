// The lines of an array along one dimension: element i of line (o, j) is at o * jump + i * step +
// j.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct Lines {
  int64_t outer = 1, count = 1, inner = 1;
  int64_t jump = 1, step = 1;
};

}  // namespace oneagent::cpu
