// Joining tensors after giving them enough dimensions, and products of lists.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

Tensor hstack(const std::vector<Tensor>& tensors);  // along dimension 1, of vectors 0
Tensor vstack(const std::vector<Tensor>& tensors);  // as rows
Tensor row_stack(const std::vector<Tensor>& tensors);
Tensor dstack(const std::vector<Tensor>& tensors);        // along dimension 2
Tensor column_stack(const std::vector<Tensor>& tensors);  // vectors as columns

// All tuples of elements of 1-d tensors, one a row.
Tensor cartesian_prod(const std::vector<Tensor>& tensors);
// All r-tuples of elements of a 1-d tensor in their order, one a row.
Tensor combinations(const Tensor& self, int64_t r = 2, bool with_replacement = false);

}  // namespace oneagent
