// N environments ("lanes") stepped together: structure of arrays, no allocation per step, automatic
// reset in the same step.
//
//   EnvBatch batch(table, "cartpole", Json::object(), 64, seed_of({run, service, worker}));
//   batch.reset();
//   batch.step(actions);   // int32_t [N] or float [N, dimensions], as std::span
//   batch.observation();   // [N, observation], what the next action is chosen from
//
// When an episode of lane i ends, terminated()[i] or truncated()[i] is 1 (never both),
// final_observation() row i is the last observation of that episode, ended() lists its results, and
// observation() row i already begins the next episode with first()[i] = 1.
//
// Seeds: an episode draws from the stream seed_of({seed, lane, episode}), so lanes start in
// different states, a second reset() differs from the first, and lane k of a set is the same
// however the set is cut into batches (`first_lane`, `total_lanes`) or threads.
//
// Spans are valid until the batch is destroyed; their content until the next step(), reset() or
// load(). One owner, one strand. An illegal action (out of range, masked, NaN) is an Error that
// names the lane; nothing has moved then.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "envs/env.h"

namespace oneagent {

class ThreadPool;

struct EpisodeEnd {
  int lane = 0;
  double episode_return = 0;
  int length = 0;
  bool terminated = false;          // false: truncated
  int64_t episode = 0;              // number of the ended episode in its lane
  std::span<const double> metrics;  // in the order of EnvSpec::metrics
};

class EnvBatch final {
 public:
  // `threads` includes the calling one. `total_lanes` 0 means first_lane + lanes.
  EnvBatch(const EnvTable& table, std::string_view name, const Json& options, int lanes,
           uint64_t seed, int threads = 1, int first_lane = 0, int total_lanes = 0);
  ~EnvBatch();
  EnvBatch(const EnvBatch&) = delete;
  EnvBatch& operator=(const EnvBatch&) = delete;

  const EnvSpec& spec() const { return kernel_->spec(); }
  const Json& options() const { return kernel_->options(); }  // resolved, defaults included
  int lanes() const { return lanes_; }

  void reset();  // starts the next episode in every lane
  void step(std::span<const int32_t> actions);
  void step(std::span<const float> actions);

  std::span<const float> observation() const { return observation_; }  // [N, observation]
  std::span<const float> final_observation() const {
    return final_observation_;
  }                                                                    // [N, observation]
  std::span<const float> reward() const { return reward_; }            // [N]
  std::span<const uint8_t> terminated() const { return terminated_; }  // [N]
  std::span<const uint8_t> truncated() const { return truncated_; }    // [N]
  std::span<const uint8_t> first() const { return first_; }            // [N]
  std::span<const uint8_t> action_mask() const {
    return action_mask_;
  }  // [N, actions]; empty without a mask
  std::span<const EpisodeEnd> ended() const { return ended_; }  // of the last step, by lane

  // Keeps a recording of every episode that ends from now on (allocates); recording() is that of
  // the lane's last ended one, null before.
  void record_episodes(bool on) { kernel_->record_episodes(on); }
  const Json& recording(int lane) const { return kernel_->recording(lane); }

  // Exact continuation, also mid-episode and in a new process. load() needs a batch of the same
  // name, options, lanes and seed, and refuses others with the reason. Everything but
  // final_observation() and ended() is restored.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  void advance(const EnvActions& actions);
  void collect_ended();

  std::unique_ptr<EnvKernel> kernel_;
  int lanes_;
  uint64_t seed_;
  int first_lane_, total_lanes_;
  std::unique_ptr<ThreadPool> pool_;
  bool started_ = false;
  std::vector<float> observation_, final_observation_, reward_;
  std::vector<uint8_t> terminated_, truncated_, first_, action_mask_;
  std::vector<EpisodeEnd> ended_;
};

}  // namespace oneagent
