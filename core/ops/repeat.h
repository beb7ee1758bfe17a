// Copies of a tensor, or of its elements, one beside the other.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// The whole tensor repeats[d] times along dimension d; new dimensions stand in front.
Tensor repeat(const Tensor& self, const Shape& repeats);
Tensor tile(const Tensor& self, const Shape& dims);  // of fewer numbers the first ones are 1

// [2, 0, 1] -> [0, 0, 2]: each position as often as its number says, int32 or int64. output_size:
// their sum, if it is known.
Tensor repeat_interleave(const Tensor& repeats, std::optional<int64_t> output_size = std::nullopt);
// Each slice along dim as often as its number says; without dim of the flat tensor.
Tensor repeat_interleave(const Tensor& self, const Tensor& repeats,
                         std::optional<int64_t> dim = std::nullopt,
                         std::optional<int64_t> output_size = std::nullopt);
Tensor repeat_interleave(const Tensor& self, int64_t repeats,
                         std::optional<int64_t> dim = std::nullopt,
                         std::optional<int64_t> output_size = std::nullopt);

}  // namespace oneagent
