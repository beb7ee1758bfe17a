// Reductions over any set of dimensions: dimensions are taken in the order of memory and merged;
// what then has the form [outer, count, inner] is reduced in place, [count, inner, count] in two
// steps, and anything else is copied first.
#pragma once

#include "core/kernels/cpu/reduce.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// What the result holds when the operand holds `dtype`.
DType reduce_type(cpu::Reduce function, DType dtype);

// `dims` are non-negative and sorted; out is contiguous and of reduce_type (bool results may be
// uint8). `power` is kSumPower's.
void run_reduce(Stream& stream, const char* what, cpu::Reduce function, const Tensor& out,
                const Tensor& in, const Shape& dims, double power = 2);

// The shape after reducing.
Shape reduced_sizes(const Shape& sizes, const Shape& dims, bool keepdim);

// The same elements as [outer, count] or [outer, count, inner], copied where the layout needs it,
// for kernels that want all terms of a result at once. args.in keeps pointing into `holder`.
cpu::ReduceArgs reduce_args(Stream& stream, const Tensor& in, const Shape& dims, Tensor& holder);

}  // namespace oneagent
