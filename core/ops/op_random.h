// How random ops carry the state of a generator in their attrs.
#pragma once

#include <bit>

#include "core/ops/op.h"

namespace oneagent {

// Error: [low, high] does not lie in what the type can hold.
// An Error where a standard deviation is negative.
void check_deviations(const Tensor& std);
void check_random_range(const char* name, int64_t low, int64_t high, DType dtype);
void check_probabilities(const Tensor& p);  // Error: outside [0, 1], or NaN

// Adds seed, stream and offset after reserving `count` blocks.
inline Attrs& add_random_state(Attrs& attrs, std::optional<Generator> given, int64_t count) {
  Generator generator = given.value_or(default_generator());
  const RngState at = generator.state();
  attrs.add(std::bit_cast<int64_t>(at.seed)).add(std::bit_cast<int64_t>(at.stream));
  return attrs.add(std::bit_cast<int64_t>(generator.reserve(static_cast<uint64_t>(count))));
}

// Reads them from position `first` on.
inline RngState random_state(const Attrs& attrs, size_t first) {
  return {std::bit_cast<uint64_t>(attrs.integer(first)),
          std::bit_cast<uint64_t>(attrs.integer(first + 1)),
          std::bit_cast<uint64_t>(attrs.integer(first + 2))};
}

}  // namespace oneagent
