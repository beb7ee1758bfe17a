// Fixed-seed episodes of a policy or of a scripted baseline, and what they scored. No sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/base/json.h"
#include "envs/env_batch.h"

namespace oneagent {

// Chooses an action for every lane from what the batch shows now.
using Player = std::function<void(EnvBatch&)>;  // calls step() itself

struct Scores {
  std::vector<double> returns;  // by episode, in a fixed order
  std::vector<double> lengths;
  std::map<std::string, std::vector<double>> metrics;  // by name of EnvSpec::metrics
  double mean() const;
  double metric_mean(const std::string& name) const;
  // 95% interval of the mean return: percentile bootstrap with 1,000 fixed-seed resamples (Efron
  // 1979).
  std::pair<double, double> interval() const;
  double interquartile_mean() const;  // mean of the middle half (Agarwal et al. 2021)
  Json to_json() const;
};

// Plays until every lane has ended its share of `episodes` (lane l plays episodes l, l + lanes,
// ...), and counts each episode once, also when others end sooner. The batch is reset first. `stop`
// is asked between steps: true ends it early with what is there.
Scores play_episodes(EnvBatch& envs, const Player& player, int episodes,
                     const std::function<bool()>& stop = {});

// A policy as a player: act() with the recurrent state that it carries.
Player policy_player(Algorithm& algorithm, EnvBatch& envs, ActMode mode, uint64_t seed);

}  // namespace oneagent
