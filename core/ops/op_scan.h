// Scans that gradients of other ops are made of.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

// The product of the elements before each one (after it, when reversed); 1 for the first.
Tensor cumprod_exclusive(const Tensor& x, int64_t dim, bool reverse);

// y[i] = x[i] + factor[i] y[i - 1] along dim, from the end when reversed.
Tensor linear_scan(const Tensor& x, const Tensor& factor, int64_t dim, bool reverse);

// Elements moved along dim by +1 or -1; zero where nothing moves in.
Tensor shifted(const Tensor& x, int64_t dim, int by);

}  // namespace oneagent
