#include "algorithms/parts/gae.h"

#include <cmath>
#include <vector>

#include "core/base/check.h"

namespace oneagent {
namespace {

template <class T>
void compute(const GaeInOf<T>& in, std::span<T> advantage, std::span<T> returns) {
  const auto lanes = static_cast<size_t>(in.lanes);
  const size_t rows = static_cast<size_t>(in.steps) * lanes;
  OA_REQUIRE(in.reward.size() == rows && in.value.size() == rows && in.terminated.size() == rows &&
                 in.truncated.size() == rows && in.final_value.size() == rows &&
                 in.last_value.size() == lanes && advantage.size() == rows &&
                 returns.size() == rows,
             "gae: all arrays need ", in.steps, " x ", in.lanes, " rows");
  const auto gamma = static_cast<T>(in.gamma);
  const auto decay = static_cast<T>(in.gamma * in.lambda);
  std::vector<T> carried(lanes, T{0});  // A_{t+1} of each lane
  for (int64_t t = in.steps - 1; t >= 0; --t) {
    const size_t row = static_cast<size_t>(t) * lanes;
    const T* after = t + 1 == in.steps ? in.last_value.data() : in.value.data() + row + lanes;
    for (size_t n = 0; n < lanes; ++n) {
      const size_t i = row + n;
      const bool edge = in.terminated[i] != 0 || in.truncated[i] != 0;
      const T next = in.terminated[i] != 0  ? T{0}
                     : in.truncated[i] != 0 ? in.final_value[i]
                                            : after[n];
      const T delta = std::fma(gamma, next, in.reward[i]) - in.value[i];
      carried[n] = edge ? delta : std::fma(decay, carried[n], delta);
      advantage[i] = carried[n];
      returns[i] = carried[n] + in.value[i];
    }
  }
}

}  // namespace

void gae(const GaeIn& in, std::span<float> advantage, std::span<float> returns) {
  compute(in, advantage, returns);
}

void gae(const GaeInOf<double>& in, std::span<double> advantage, std::span<double> returns) {
  compute(in, advantage, returns);
}

}  // namespace oneagent
