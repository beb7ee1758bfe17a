// Views: tensors that share memory with their operand. reshape and flatten copy where no view
// exists.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor view(const Tensor& x,
            const Shape& sizes);  // one size may be -1; an Error where strides do not allow a view
Tensor reshape(const Tensor& x, const Shape& sizes);
Tensor flatten(const Tensor& x, int64_t start_dim = 0, int64_t end_dim = -1);
Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1);
Tensor t(const Tensor& x);  // of a matrix; vectors stay
Tensor permute(const Tensor& x, const Shape& dims);
Tensor expand(const Tensor& x, const Shape& sizes);  // -1 keeps a size
Tensor squeeze(const Tensor& x);
Tensor squeeze(const Tensor& x, int64_t dim);
Tensor unsqueeze(const Tensor& x, int64_t dim);

}  // namespace oneagent
