// Generalised advantage estimation (Schulman et al. 2016, eq. 16) over a rollout with episode
// edges.
//   delta_t = r_t + gamma * V(next_t) - V_t;   A_t = delta_t + gamma * lambda * A_{t+1}
// The recursion never crosses an edge: a terminated step has no next value, a truncated one
// bootstraps from its final observation.
#pragma once

#include <cstdint>
#include <span>

namespace oneagent {

template <class T>
struct GaeInOf {
  int64_t steps;                        // T
  int64_t lanes;                        // N
  std::span<const T> reward;            // [T, N]
  std::span<const T> value;             // [T, N]
  std::span<const uint8_t> terminated;  // [T, N]
  std::span<const uint8_t> truncated;   // [T, N]
  std::span<const T>
      final_value;  // [T, N]: value of the final observation; read where truncated only
  std::span<const T> last_value;  // [N]: value of the observation after the last step
  double gamma;
  double lambda;
};
using GaeIn = GaeInOf<float>;

// Writes advantages and returns (advantage + value), [T, N] each.
void gae(const GaeIn& in, std::span<float> advantage, std::span<float> returns);
void gae(const GaeInOf<double>& in, std::span<double> advantage, std::span<double> returns);

}  // namespace oneagent
