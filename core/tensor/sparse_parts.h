// What a sparse tensor holds (libtorch's COO layout): the coordinates of its elements and their
// values. Element k lies at indices[:, k]; where values have further dimensions it is a dense
// block. Coordinates that occur several times count as their sum. `values` may have a graph of its
// own; the sparse tensor has none.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

class SparseParts final : public RefCounted {
 public:
  Tensor indices;          // [sparse dimensions, elements] int64
  Tensor values;           // [elements, dense sizes ...]
  bool coalesced = false;  // coordinates are in order and different
};

// Error: a tensor that is not sparse.
SparseParts& sparse_parts(const Tensor& x);

// Takes the parts as they are; nothing is checked.
Tensor make_sparse(const Tensor& indices, const Tensor& values, const Shape& sizes,
                   bool coalesced = false);

}  // namespace oneagent
