// Distances and similarities of vectors. p is the power of the norm: 0 counts differing elements,
// infinity takes the largest difference.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Of each row of x1 [..., n, d] to each row of x2 [..., r, d] -> [..., n, r]. compute_mode: 0 or
// none takes Euclidean distances from products of matrices where there are more than 25 rows, 1
// always, 2 never.
Tensor cdist(const Tensor& x1, const Tensor& x2, double p = 2,
             std::optional<int64_t> compute_mode = std::nullopt);

// Of the rows of self [n, d] to the later ones: [n (n - 1) / 2].
Tensor pdist(const Tensor& self, double p = 2);

// Of corresponding vectors, along the last dimension; eps is added to each difference.
Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p = 2, double eps = 1e-06,
                         bool keepdim = false);
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim = 1,
                         double eps = 1e-08);  // lengths are at least eps

}  // namespace oneagent
