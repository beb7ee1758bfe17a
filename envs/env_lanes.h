// The batch kernel of one environment class: N lanes as contiguous values, stepped in a plain loop
// that writes into the columns of the batch. EnvKernel is the interface EnvBatch drives, one
// virtual call per range of lanes. Different ranges may run on different threads.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "envs/env.h"

namespace oneagent {

// Columns of a batch, structure of arrays. Borrowed from EnvBatch.
struct EnvColumns {
  float* observation;        // [N, observation]
  float* final_observation;  // [N, observation]; row i is valid where terminated or truncated
  float* reward;             // [N]
  uint8_t* terminated;       // [N]
  uint8_t* truncated;        // [N]
  uint8_t* first;            // [N] 1: the observation starts an episode
  uint8_t* action_mask;      // [N, actions] or nullptr
};

struct EnvActions {
  const int32_t* discrete = nullptr;  // [N]
  const float* continuous = nullptr;  // [N, dimensions]
};

// The counters of one lane.
struct LaneRecord {
  Rng rng;
  int64_t episode = -1;       // of the running episode
  int32_t length = 0;         // steps so far
  double episode_return = 0;  // rewards so far
  int32_t ended_length = 0;   // of the episode that ended in this step
  double ended_return = 0;
};

struct LaneSet {
  uint64_t seed = 0;
  int first_lane = 0;  // number of lane 0 in the whole set
  int total_lanes = 0;
};

class EnvKernel {
 public:
  virtual ~EnvKernel() = default;
  virtual const EnvSpec& spec() const = 0;
  virtual const Json& options() const = 0;  // resolved, defaults included
  virtual void bind(const EnvColumns& columns, const LaneSet& set) = 0;
  virtual void reset(int begin, int end) = 0;  // starts the next episode of each lane
  virtual int step(int begin, int end,
                   const EnvActions& actions) = 0;  // returns how many episodes ended
  virtual const LaneRecord& record(int lane) const = 0;
  virtual std::span<const double> metrics(int lane) const = 0;  // of the last ended episode
  virtual void record_episodes(bool on) = 0;
  // Of the last ended episode; null when there is none.
  virtual const Json& recording(int lane) const = 0;
  virtual void save(int lane, ByteWriter& out) const = 0;
  virtual void load(int lane, ByteReader& in) = 0;
};

namespace env_detail {

template <class Env>
struct SetupOf {
  using type = typename Env::Options;
};
template <class Env>
requires requires { typename Env::Setup; }
struct SetupOf<Env> {
  using type = typename Env::Setup;
};

template <class Env>
inline constexpr bool kDiscrete = std::is_same_v<typename Env::Action, int32_t>;

}  // namespace env_detail

template <class Env>
class EnvLanes final : public EnvKernel {
 public:
  using Options = typename Env::Options;
  using Setup = typename env_detail::SetupOf<Env>::type;

  EnvLanes(std::string name, const Options& options, int lanes)
      : setup_(std::make_unique<const Setup>(options)),
        options_(options_to_json(options)),
        spec_(Env::spec(*setup_)) {
    spec_.name = std::move(name);
    spec_.autoreset = Env::kAutoreset;
    spec_.observation_size = spec_.observation_shape.numel();
    OA_CHECK(spec_.action.discrete() == env_detail::kDiscrete<Env>, spec_.name,
             ": the action type of the class and of its spec differ");
    lanes_.reserve(static_cast<size_t>(lanes));
    for (int i = 0; i < lanes; ++i) lanes_.emplace_back(*setup_);
    records_.resize(static_cast<size_t>(lanes));
    metrics_.resize(static_cast<size_t>(lanes) * spec_.metrics.size());
  }

  const EnvSpec& spec() const override { return spec_; }
  const Json& options() const override { return options_; }
  void bind(const EnvColumns& columns, const LaneSet& set) override {
    columns_ = columns;
    set_ = set;
  }

  void reset(int begin, int end) override {
    for (int i = begin; i < end; ++i) {
      start_episode(i, row(i));
      columns_.reward[i] = 0;
      columns_.terminated[i] = columns_.truncated[i] = 0;
    }
  }

  int step(int begin, int end, const EnvActions& actions) override {
    const EnvColumns columns = columns_;
    const int max_steps =
        spec_.max_steps > 0 ? spec_.max_steps : std::numeric_limits<int32_t>::max();
    int ended = 0;
    for (int i = begin; i < end; ++i) {
      LaneRecord& record = records_[i];
      const EnvRow out = row(i);
      const StepResult result = lanes_[i].step(action(actions, i), record.rng, out);
      record.episode_return += result.reward;
      const bool timed_out = ++record.length >= max_steps;
      const bool truncated = !result.terminated && (result.truncated || timed_out);
      columns.reward[i] = result.reward;
      columns.terminated[i] = result.terminated;
      columns.truncated[i] = truncated;
      columns.first[i] = 0;
      if (result.terminated | truncated) [[unlikely]] {
        end_episode(i, out);
        ++ended;
      }
    }
    return ended;
  }

  const LaneRecord& record(int lane) const override { return records_[lane]; }
  std::span<const double> metrics(int lane) const override {
    return std::span(metrics_).subspan(lane * spec_.metrics.size(), spec_.metrics.size());
  }

  void record_episodes(bool on) override { recordings_.resize(on ? lanes_.size() : 0); }
  const Json& recording(int lane) const override {
    static const Json kNone;
    return recordings_.empty() ? kNone : recordings_[lane];
  }

  void save(int lane, ByteWriter& out) const override {
    const LaneRecord& record = records_[lane];
    out.put_rng(record.rng);
    out.put(record.episode);
    out.put(record.length);
    out.put(record.episode_return);
    lanes_[lane].save(out);
  }
  void load(int lane, ByteReader& in) override {
    LaneRecord& record = records_[lane];
    record.rng = in.get_rng();
    record.episode = in.get<int64_t>();
    record.length = in.get<int32_t>();
    record.episode_return = in.get<double>();
    lanes_[lane].load(in);
  }

 private:
  EnvRow row(int lane) const {
    const auto size = static_cast<size_t>(spec_.observation_size);
    const auto actions = static_cast<size_t>(spec_.action.count);
    return {{columns_.observation + lane * size, size},
            columns_.action_mask ? std::span(columns_.action_mask + lane * actions, actions)
                                 : std::span<uint8_t>()};
  }

  typename Env::Action action(const EnvActions& actions, int lane) const {
    if constexpr (env_detail::kDiscrete<Env>) {
      return actions.discrete[lane];
    } else {
      const auto dimensions = static_cast<size_t>(spec_.action.count);
      return {actions.continuous + lane * dimensions, dimensions};
    }
  }

  void start_episode(int lane, EnvRow out) {
    LaneRecord& record = records_[lane];
    ++record.episode;
    record.length = 0;
    record.episode_return = 0;
    const int number = set_.first_lane + lane;
    record.rng = Rng(
        seed_of({set_.seed, static_cast<uint64_t>(number), static_cast<uint64_t>(record.episode)}));
    EpisodeStart start{record.rng, record.episode, number, set_.total_lanes};
    lanes_[lane].reset(start, out);
    columns_.first[lane] = 1;
  }

  void end_episode(int lane, EnvRow out) {
    LaneRecord& record = records_[lane];
    record.ended_length = record.length;
    record.ended_return = record.episode_return;
    std::copy(out.observation.begin(), out.observation.end(),
              columns_.final_observation + lane * spec_.observation_size);
    if constexpr (requires(Env & env, std::span<double> values) { env.metrics(values); })
      lanes_[lane].metrics(
          std::span(metrics_).subspan(lane * spec_.metrics.size(), spec_.metrics.size()));
    if constexpr (requires(Env & env) { Json(env.recording()); })
      if (!recordings_.empty()) recordings_[lane] = lanes_[lane].recording();
    start_episode(lane, out);
  }

  std::unique_ptr<const Setup> setup_;
  Json options_;
  EnvSpec spec_;
  EnvColumns columns_{};
  LaneSet set_;
  std::vector<Env> lanes_;
  std::vector<LaneRecord> records_;
  std::vector<double> metrics_;   // [N, metrics]
  std::vector<Json> recordings_;  // [N] or empty
};

template <class Env>
EnvEntry env_entry(std::string name) {
  EnvEntry entry;
  entry.name = std::move(name);
  entry.summary = Env::kSummary;
  entry.autoreset = Env::kAutoreset;
  entry.describe_options = &describe_options<typename Env::Options>;
  entry.samples = [] {
    std::vector<Json> samples{Json::object()};
    if constexpr (requires { Env::samples(); })
      for (Json& sample : Env::samples()) samples.push_back(std::move(sample));
    return samples;
  };
  entry.baselines = []() -> std::vector<EnvBaseline> {
    if constexpr (requires { Env::baselines(); }) return Env::baselines();
    return {};
  };
  entry.make = [](const std::string& name, const Json& options,
                  int lanes) -> std::unique_ptr<EnvKernel> {
    return std::make_unique<EnvLanes<Env>>(
        name, parse_options<typename Env::Options>(options, "[env]"), lanes);
  };
  return entry;
}

}  // namespace oneagent
