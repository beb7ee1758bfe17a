// The innermost loop of an elementwise kernel: n elements, operand 0 is the result, strides in
// bytes. The multi-dimensional part is in core/kernels/loop.h.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

// Numbers that come with an op: the exponent of pow, the limits of clamp ... in both kinds.
struct Params {
  double number[4] = {};
  int64_t integer[4] = {};
};

using Inner = void (*)(int64_t n, char* const* data, const int64_t* strides, const Params& params);

}  // namespace oneagent::cpu
