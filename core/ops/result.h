// Types of results, and results that are written to a tensor that the caller brings.
#pragma once

#include "core/ops/api.h"
#include "core/tensor/promote.h"

namespace oneagent {

// PyTorch's result type of two operands. Tensors with dimensions decide before 0-d tensors, and
// those before numbers, unless the other is of a higher kind (bool, integer, floating).
DType result_type(const Tensor& a, const Tensor& b);
DType result_type(const Tensor& a, Scalar b);
DType result_type(Scalar a, const Tensor& b);
DType result_type(Scalar a, Scalar b);

// Whether values of one type may be written to the other without losing their kind.
bool can_cast(DType from, DType to);

// out = result, resized to its shape first: what name_out() does.
Tensor& write_out(Tensor& out, const Tensor& result);

}  // namespace oneagent
