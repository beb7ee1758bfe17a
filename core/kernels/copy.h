// Copies: with conversion and broadcasting, to contiguous memory, and constants.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out = in, broadcast to out's shape and converted to its dtype.
void copy_into(Stream& stream, const Tensor& out, const Tensor& in);

// A fresh contiguous tensor with the same values; no graph.
Tensor contiguous_copy(Stream& stream, const Tensor& in);

// The tensor itself when it is contiguous, else a contiguous copy.
Tensor as_contiguous(Stream& stream, const Tensor& in);

void fill(Stream& stream, const Tensor& out, Scalar value);

}  // namespace oneagent
