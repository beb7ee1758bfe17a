// Elements chosen by a bool mask, in row-major order.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

// How many elements are true.
int64_t count_true(Stream& stream, const Tensor& mask);

// out (contiguous, 1-d, of the right length) = the elements of `in` where the mask, of the same
// shape, holds.
void run_masked_select(Stream& stream, const Tensor& out, const Tensor& in, const Tensor& mask);

// Where the mask holds, out takes the elements of the contiguous `source` one after the other.
void run_masked_scatter(Stream& stream, const Tensor& out, const Tensor& mask,
                        const Tensor& source);

// The coordinates of the true elements: one int64 tensor of shape [count] for each dimension.
std::vector<Tensor> mask_to_indices(Stream& stream, const Tensor& mask);

}  // namespace oneagent
