// Differences along a dimension, integrals by trapezoids, and numeric gradients.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// The n-th difference of neighbours; of bool: are they different?
Tensor diff(const Tensor& self, int64_t n = 1, int64_t dim = -1,
            const std::optional<Tensor>& prepend = {}, const std::optional<Tensor>& append = {});

// The integral of y over x (or with steps dx), and its running values.
Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
Tensor trapezoid(const Tensor& y, Scalar dx = 1, int64_t dim = -1);
Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim = -1);
Tensor trapz(const Tensor& y, double dx = 1, int64_t dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim = -1);
Tensor cumulative_trapezoid(const Tensor& y, Scalar dx = 1, int64_t dim = -1);

// Second-order differences inside, of order edge_order (1 or 2) at both ends, one result a
// dimension (all without dim). Spacings are steps, or coordinates as 1-d tensors.
std::vector<Tensor> gradient(const Tensor& self, std::optional<Scalar> spacing = std::nullopt,
                             std::optional<int64_t> dim = std::nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, Scalar spacing, const Shape& dim,
                             int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, const Shape& dim, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing,
                             std::optional<int64_t> dim = std::nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, const Shape& dim,
                             int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, const std::vector<Tensor>& spacing,
                             std::optional<int64_t> dim = std::nullopt, int64_t edge_order = 1);
std::vector<Tensor> gradient(const Tensor& self, const std::vector<Tensor>& spacing,
                             const Shape& dim, int64_t edge_order = 1);

}  // namespace oneagent
