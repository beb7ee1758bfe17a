// Padding. A list names the sizes added before and after the last dimension, then those of the one
// before it and so on; negative sizes cut. Lists have at most 8 values.
#pragma once

#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

Tensor constant_pad_nd(const Tensor& input, const Shape& pad, Scalar value = 0);

// mode "constant" (any number of dimensions), "reflect", "replicate" or "circular" (the last one to
// three of a tensor with one or two more); value is for "constant" only.
Tensor pad(const Tensor& input, const Shape& pad, std::string_view mode = "constant",
           std::optional<double> value = std::nullopt);
Tensor _pad_enum(const Tensor& input, const Shape& pad, int64_t mode,
                 std::optional<double> value = std::nullopt);

}  // namespace oneagent
