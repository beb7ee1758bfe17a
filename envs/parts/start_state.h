// Where an episode of a control task begins: a state given by the user, or a uniform draw per
// value.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/base/check.h"
#include "core/base/rng.h"

namespace oneagent {

inline void require_start_size(std::string_view name, const std::vector<double>& start,
                               size_t size) {
  OA_REQUIRE(start.empty() || start.size() == size, "[env] start: ", name, " needs ", size,
             " numbers or none, was ", start.size());
}

template <size_t N>
std::array<double, N> start_state(const std::vector<double>& fixed, Rng& rng, double low,
                                  double high) {
  std::array<double, N> state;
  for (size_t i = 0; i < N; ++i) state[i] = fixed.empty() ? rng.uniform(low, high) : fixed[i];
  return state;
}

}  // namespace oneagent
