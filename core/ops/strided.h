// Views with any sizes, strides and offset into the storage, in elements.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Without an offset: that of `self`. An Error where the view would leave the storage. The gradient
// of elements that are read several times adds up.
Tensor as_strided(const Tensor& self, const Shape& size, const Shape& stride,
                  std::optional<int64_t> storage_offset = std::nullopt);
const Tensor& as_strided_(const Tensor& self, const Shape& size, const Shape& stride,
                          std::optional<int64_t> storage_offset = std::nullopt);
Tensor _reshape_alias(const Tensor& self, const Shape& size, const Shape& stride);

// A contiguous copy of `self` in which `src` stands where such a view of the copy would be.
Tensor as_strided_scatter(const Tensor& self, const Tensor& src, const Shape& size,
                          const Shape& stride,
                          std::optional<int64_t> storage_offset = std::nullopt);

}  // namespace oneagent
