// Copies: with conversion and broadcasting, to contiguous memory, and constants.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out = in, broadcast to out's shape and converted to its dtype. Strides may be negative.
void copy_into(Stream& stream, const Tensor& out, const Tensor& in);

// Bytes that do not overlap.
void copy_bytes(Stream& stream, void* to, const void* from, size_t bytes);

// Rows of `bytes` each from contiguous memory to places `step` bytes apart.
void copy_rows(char* to, size_t step, const char* from, int64_t rows, size_t bytes);

// A fresh contiguous tensor with the same values; no graph.
Tensor contiguous_copy(Stream& stream, const Tensor& in);

// The tensor itself when it is contiguous, else a contiguous copy.
Tensor as_contiguous(Stream& stream, const Tensor& in);

void fill(Stream& stream, const Tensor& out, Scalar value);

}  // namespace oneagent
