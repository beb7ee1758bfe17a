// Norms of floating tensors: (sum |x|^p)^(1/p), for p = 0 the number of elements that are not zero,
// for p = inf and -inf the largest and the smallest magnitude. An absent or empty list of
// dimensions means all.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

Tensor linalg_vector_norm(const Tensor& self, Scalar ord = 2, OptionalShape dim = std::nullopt,
                          bool keepdim = false, std::optional<DType> dtype = std::nullopt);

// p = 2 when absent.
Tensor norm(const Tensor& self, Scalar p = 2);
Tensor norm(const Tensor& self, std::optional<Scalar> p, DType dtype);
Tensor norm(const Tensor& self, std::optional<Scalar> p, const Shape& dim, bool keepdim,
            DType dtype);
Tensor norm(const Tensor& self, std::optional<Scalar> p, const Shape& dim, bool keepdim = false);

// The norm of the difference.
Tensor dist(const Tensor& self, const Tensor& other, Scalar p = 2);

// Each slice along dim scaled down to norm maxnorm where its norm is larger; p > 0.
OA_IN_PLACE
Tensor renorm(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm);

}  // namespace oneagent
