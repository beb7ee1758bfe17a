// Sums of products by index notation.
#pragma once

#include <vector>

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

// "ij,jk->ik": letters name the dimensions of each operand; those that the output does not name are
// summed. "..." stands for any dimensions, lined up at the right and broadcast, as are dimensions
// of size 1; a letter twice in one operand takes its diagonal. Without "->" the output has the
// ellipsis, then the letters that appear once, in order ("A" before "a"). Operands are contracted
// two at a time by bmm, from left to right or along `path`: places of pairs among the operands that
// are left, the product going to the end.
Tensor einsum(std::string_view equation, const std::vector<Tensor>& tensors,
              OptionalShape path = std::nullopt);

// Contracts dims_self[i] of self with dims_other[i] of other.
Tensor tensordot(const Tensor& self, const Tensor& other, const Shape& dims_self,
                 const Shape& dims_other);

}  // namespace oneagent
