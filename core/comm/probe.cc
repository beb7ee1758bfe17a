#include "core/comm/probe.h"

#include <algorithm>
#include <vector>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/comm/traffic.h"

namespace oneagent::comm {
namespace {

double median_seconds(Communicator& communicator, std::vector<float>& data, int rounds) {
  const auto call = [&] {
    communicator.all_reduce(data.data(), data.size(), DType::kFloat32, Reduce::kMax);
  };
  call();  // the first one touches memory
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const int64_t start = steady_ns();
    call();
    seconds.push_back(seconds_since(start));
  }
  const auto middle = seconds.begin() + rounds / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

}  // namespace

ProbedCost probe(Communicator& communicator, const ProbeOptions& options) {
  OA_REQUIRE(options.bytes > kDirectBytes && options.small_rounds > 0 && options.large_rounds > 0,
             "probe: needs rounds, and more than ", kDirectBytes, " bytes, was ", options.bytes);
  if (communicator.size() == 1) return {};
  std::vector<float> small(1), large(options.bytes / sizeof(float));
  double seconds[2] = {median_seconds(communicator, small, options.small_rounds),
                       median_seconds(communicator, large, options.large_rounds)};
  communicator.all_reduce(seconds, 2, DType::kFloat64, Reduce::kMax);
  const auto bytes =
      static_cast<double>(all_reduce_cost(large.size(), sizeof(float), 0, communicator.size()));
  return {seconds[0], std::max(0.0, seconds[1] - seconds[0]) / bytes};
}

}  // namespace oneagent::comm
