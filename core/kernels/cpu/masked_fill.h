// out = mask ? value : in.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

// Operands: out, mask (bool), in, value.
OA_CPU_KERNEL(Inner, masked_fill, (size_t width), (width))

}  // namespace oneagent::cpu
