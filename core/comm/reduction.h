// The arithmetic of reductions.
#pragma once

#include <span>

#include "core/comm/communicator.h"

namespace oneagent::comm {

// out[i] = parts[0][i] (+) parts[1][i] (+) ... in this order, for `count` elements. `out` may be
// one of the parts. Throws Error for a dtype that has no such reduction.
void reduce_in_order(void* out, std::span<const void* const> parts, size_t count, DType dtype,
                     Reduce reduce);
// Throws what reduce_in_order would.
void require_reducible(DType dtype, Reduce reduce);

}  // namespace oneagent::comm
