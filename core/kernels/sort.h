// Stable sorting along one dimension by radix, in the order of PyTorch: a NaN is larger than any
// number, -0 equals 0.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// `indices` may be undefined. values and indices are contiguous and have the shape of `in`.
void run_sort(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t dim, bool descending);

}  // namespace oneagent
