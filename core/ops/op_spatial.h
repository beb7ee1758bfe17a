// What convolutions, pooling and resampling share: lists with one value for every spatial
// dimension, images without a batch dimension.
#pragma once

#include "core/ops/op.h"

namespace oneagent {

// One value for each of `dims` dimensions; a list of one value serves all.
Shape spatial_list(const char* op, const char* what, const Shape& list, size_t dims);

// Three sizes, of which the last ones are the list's and the others `fill`.
void fill_three(const Shape& list, int64_t fill, int64_t* to);

// [channels, spatial...] or [n, channels, spatial...] -> the latter; an Error for other ranks.
Tensor with_batch(const char* op, const Tensor& input, size_t dims);
// Takes the batch dimension away again if the operand had none.
Tensor without_batch(const Tensor& result, const Tensor& input, size_t dims);

}  // namespace oneagent
