// Views with dimensions in another order.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor permute(const Tensor& self, const Shape& dims);
Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor swapaxes(const Tensor& self, int64_t axis0, int64_t axis1);
Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1);
Tensor t(const Tensor& self);        // of at most 2 dimensions
Tensor numpy_T(const Tensor& self);  // all dimensions in reverse order
Tensor mT(const Tensor& self);       // the last two dimensions exchanged
Tensor mH(const Tensor& self);       // of real types the same as mT
Tensor matrix_H(const Tensor& self);
Tensor adjoint(const Tensor& self);

// source[i] moves to destination[i]; the others keep their order.
Tensor movedim(const Tensor& self, const Shape& source, const Shape& destination);
Tensor movedim(const Tensor& self, int64_t source, int64_t destination);
Tensor moveaxis(const Tensor& self, const Shape& source, const Shape& destination);
Tensor moveaxis(const Tensor& self, int64_t source, int64_t destination);

const Tensor& t_(const Tensor& self);
const Tensor& transpose_(const Tensor& self, int64_t dim0, int64_t dim1);
const Tensor& swapaxes_(const Tensor& self, int64_t axis0, int64_t axis1);
const Tensor& swapdims_(const Tensor& self, int64_t dim0, int64_t dim1);

}  // namespace oneagent
