// Random legal actions for any EnvBatch, drawn per lane so that a lane gets the same actions
// however lanes are cut into batches.
#pragma once

#include <vector>

#include "envs/env_batch.h"

namespace oneagent::testing {

class RandomActions {
 public:
  RandomActions(uint64_t seed, int lanes, int first_lane = 0) {
    for (int i = 0; i < lanes; ++i) streams_.emplace_back(seed, first_lane + i);
  }

  // Draws an action for each lane and steps the batch.
  void step(EnvBatch& batch) {
    draw(batch);
    if (batch.spec().action.discrete()) {
      batch.step(std::span<const int32_t>(discrete_));
    } else {
      batch.step(std::span<const float>(continuous_));
    }
  }

  const std::vector<int32_t>& discrete() const { return discrete_; }

 private:
  void draw(const EnvBatch& batch) {
    const ring::ActionSpec& action = batch.spec().action;
    const auto count = static_cast<size_t>(action.count);
    if (action.discrete()) {
      discrete_.resize(streams_.size());
      for (size_t i = 0; i < streams_.size(); ++i) discrete_[i] = draw_legal(batch, i, count);
      return;
    }
    continuous_.resize(streams_.size() * count);
    for (size_t i = 0; i < continuous_.size(); ++i) {
      const size_t dimension = i % count;
      continuous_[i] = static_cast<float>(
          streams_[i / count].uniform(action.low[dimension], action.high[dimension]));
    }
  }

  int32_t draw_legal(const EnvBatch& batch, size_t lane, size_t count) {
    while (true) {
      const uint32_t action = streams_[lane].below(static_cast<uint32_t>(count));
      if (batch.action_mask().empty() || batch.action_mask()[lane * count + action] != 0)
        return static_cast<int32_t>(action);
    }
  }

  std::vector<Rng> streams_;
  std::vector<int32_t> discrete_;
  std::vector<float> continuous_;
};

}  // namespace oneagent::testing
