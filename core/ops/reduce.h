// Sums, products, means and tests over dimensions. Sums and products of bool and integers are
// int64. An absent or empty list of dimensions means all. Results do not depend on the number of
// threads.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"
#include "core/ops/extreme.h"
#include "core/ops/moments.h"
#include "core/ops/norm.h"
#include "core/ops/scan.h"

namespace oneagent {

Tensor sum(const Tensor& self, std::optional<DType> dtype = std::nullopt);
Tensor sum(const Tensor& self, OptionalShape dim, bool keepdim = false,
           std::optional<DType> dtype = std::nullopt);
// Over the dimensions that broadcasting `size` to self's shape would add or stretch.
Tensor sum_to_size(const Tensor& self, const Shape& size);
// NaN counts as zero.
Tensor nansum(const Tensor& self, OptionalShape dim = std::nullopt, bool keepdim = false,
              std::optional<DType> dtype = std::nullopt);
// Of floating tensors.
Tensor mean(const Tensor& self, std::optional<DType> dtype = std::nullopt);
Tensor mean(const Tensor& self, OptionalShape dim, bool keepdim = false,
            std::optional<DType> dtype = std::nullopt);
Tensor nanmean(const Tensor& self, OptionalShape dim = std::nullopt, bool keepdim = false,
               std::optional<DType> dtype = std::nullopt);
// The gradient holds where elements are zero, too.
Tensor prod(const Tensor& self, std::optional<DType> dtype = std::nullopt);
Tensor prod(const Tensor& self, int64_t dim, bool keepdim = false,
            std::optional<DType> dtype = std::nullopt);

// bool, of uint8 uint8.
Tensor any(const Tensor& self);
Tensor any(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor all(const Tensor& self);
Tensor all(const Tensor& self, int64_t dim, bool keepdim = false);

// How many elements are not zero, int64.
Tensor count_nonzero(const Tensor& self, const Shape& dim);
Tensor count_nonzero(const Tensor& self, std::optional<int64_t> dim = std::nullopt);

}  // namespace oneagent
