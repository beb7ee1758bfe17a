// Steps an EnvBatch with a policy and records columnar chunks (core/data/trajectory.h). No sockets:
// a test drives it alone. One strand. Everything that decides the next chunk is in save():
// environments, random stream, recurrent state.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/base/bytes.h"
#include "core/data/trajectory.h"
#include "envs/env_batch.h"
#include "services/act_graph.h"

namespace oneagent {

// What the episodes that ended in a chunk scored.
struct EpisodeScores {
  int64_t episodes = 0;
  double return_sum = 0;
  double length_sum = 0;
  std::vector<double> metric_sums;  // in the order of EnvSpec::metrics
};

class Rollout final {
 public:
  // Borrows the environments and the algorithm, whose weights the owner swaps between chunks.
  Rollout(EnvBatch& envs, Algorithm& algorithm, uint64_t seed, bool graphs = true);

  // Steps every lane needs().chunk_steps times. `version` is the weights version that acts.
  ring::Chunk collect(int64_t version);
  const EpisodeScores& scores() const { return scores_; }  // of the last chunk

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  class Recorder;

  EnvBatch& envs_;
  Algorithm& algorithm_;
  Generator generator_;
  ActGraph act_;
  TensorMap state_;
  std::vector<float> clipped_;  // scratch of step_with()
  int64_t time_ = 0;            // steps so far: the time index of the next chunk
  EpisodeScores scores_;
};

// Items of a chunk in the shape that the algorithm asks for.
std::vector<ring::ItemSpec> make_items(const ring::Chunk& chunk, const Needs& needs);

}  // namespace oneagent
