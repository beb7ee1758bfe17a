// Reductions over any set of dimensions: the tensor is seen as [outer, count, inner], copied first
// where its layout does not allow that.
#pragma once

#include "core/kernels/cpu/reduce.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// `dims` are non-negative and sorted; out is contiguous.
void run_reduce(Stream& stream, const char* what, cpu::Reduce function, const Tensor& out,
                const Tensor& in, const Shape& dims);

// [outer, count, inner] of a contiguous tensor around one dimension.
cpu::ReduceArgs around(const Tensor& contiguous, int64_t dim);

// The shape after reducing.
Shape reduced_sizes(const Shape& sizes, const Shape& dims, bool keepdim);

}  // namespace oneagent
