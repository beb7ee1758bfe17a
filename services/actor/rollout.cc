#include "services/actor/rollout.h"

#include <cstring>

#include "core/graph/context.h"
#include "services/acting.h"

namespace oneagent {

// Grows the arrays of one chunk, row by row.
class Rollout::Recorder {
 public:
  Recorder(const EnvSpec& spec, int64_t steps, int64_t lanes)
      : spec_(spec), steps_(steps), lanes_(lanes) {
    observation_ = make("observation", DType::kFloat32, spec.observation_shape);
    reward_ = make("reward", DType::kFloat32, {});
    terminated_ = make("terminated", DType::kUInt8, {});
    truncated_ = make("truncated", DType::kUInt8, {});
    first_ = make("first", DType::kUInt8, {});
    if (spec.has_action_mask) mask_ = make("action_mask", DType::kUInt8, {spec.action.count});
  }

  void before(int64_t t, const EnvBatch& envs) {
    put(observation_, t, envs.observation());
    put(first_, t, envs.first());
    if (spec_.has_action_mask) put(mask_, t, envs.action_mask());
  }

  void acted(int64_t t, const ActOut& out) {
    put_tensor(t, "action", out.action);
    for (const auto& [name, value] : out.extras)
      put_tensor(t, name == "log_prob" || name == "value" ? name : "extra." + name, value);
  }

  void after(int64_t t, const EnvBatch& envs) {
    put(reward_, t, envs.reward());
    put(terminated_, t, envs.terminated());
    put(truncated_, t, envs.truncated());
    for (const EpisodeEnd& end : envs.ended()) {
      final_rows_.push_back(static_cast<int32_t>(t * lanes_ + end.lane));
      const auto row =
          envs.final_observation().subspan(static_cast<size_t>(end.lane * spec_.observation_size),
                                           static_cast<size_t>(spec_.observation_size));
      finals_.insert(finals_.end(), row.begin(), row.end());
    }
  }

  ring::ArraySet finish(const EnvBatch& envs, const TensorMap& start_state) {
    ring::ArraySet set;
    for (ring::MutableArray* made : {&observation_, &reward_, &terminated_, &truncated_, &first_})
      set.add(made->array);
    if (spec_.has_action_mask) set.add(mask_.array);
    for (auto& [name, made] : acted_) set.add(made.array);
    const Shape row = spec_.observation_shape;
    if (!final_rows_.empty()) {
      const auto count = static_cast<int64_t>(final_rows_.size());
      set.add(ring::array_of<int32_t>("final_row", {count}, final_rows_));
      set.add(ring::array_of<float>("final_observation", with_rows(count, row), finals_));
    }
    set.add(ring::array_of<float>("last_observation", with_rows(lanes_, row), envs.observation()));
    if (spec_.has_action_mask)
      set.add(ring::array_of<uint8_t>("last_action_mask", {lanes_, spec_.action.count},
                                      envs.action_mask()));
    for (const auto& [name, value] : start_state)
      set.add(ring::array_of<float>("state." + name, value.sizes(), value.values<float>()));
    return set;
  }

 private:
  static Shape with_rows(int64_t rows, const Shape& row) {
    Shape shape{rows};
    for (const int64_t size : row) shape.push_back(size);
    return shape;
  }

  ring::MutableArray make(const std::string& name, DType dtype, const Shape& row) const {
    Shape shape{steps_, lanes_};
    for (const int64_t size : row) shape.push_back(size);
    return ring::make_array(name, dtype, shape);
  }

  template <class T>
  void put(ring::MutableArray& into, int64_t t, std::span<const T> values) {
    std::memcpy(into.data + static_cast<size_t>(t) * values.size_bytes(), values.data(),
                values.size_bytes());
  }

  void put_tensor(int64_t t, const std::string& name, const Tensor& value) {
    OA_CHECK(value.dim() >= 1 && value.size(0) == lanes_, "act() returned ", name, " of shape ",
             value.sizes(), " for ", lanes_, " lanes");
    auto found = acted_.find(name);
    if (found == acted_.end()) {
      Shape row = value.sizes();
      row.erase(0);
      found = acted_.emplace(name, make(name, value.dtype(), row)).first;
    }
    const Tensor dense = value.contiguous();
    std::memcpy(found->second.data + static_cast<size_t>(t) * dense.nbytes(), dense.data_ptr(),
                dense.nbytes());
  }

  const EnvSpec& spec_;
  int64_t steps_, lanes_;
  ring::MutableArray observation_, reward_, terminated_, truncated_, first_, mask_;
  std::map<std::string, ring::MutableArray> acted_;
  std::vector<int32_t> final_rows_;
  std::vector<float> finals_;
};

Rollout::Rollout(EnvBatch& envs, Algorithm& algorithm, uint64_t seed, bool graphs)
    : envs_(envs),
      algorithm_(algorithm),
      generator_(seed),
      act_(algorithm, ActMode::kSample, generator_, graphs),
      state_(algorithm.initial_state(envs.lanes())) {
  envs_.reset();
}

ring::Chunk Rollout::collect(int64_t version) {
  const NoGradGuard no_grad;
  ring::Chunk chunk;
  chunk.steps = algorithm_.needs().chunk_steps;
  chunk.lanes = envs_.lanes();
  chunk.first_step = time_;
  chunk.weights_version = version;
  Recorder recorder(envs_.spec(), chunk.steps, chunk.lanes);
  scores_ = {0, 0, 0, std::vector<double>(envs_.spec().metrics.size(), 0.0)};
  TensorMap start_state;
  for (const auto& [name, value] : state_) start_state[name] = value.clone();
  for (int64_t t = 0; t < chunk.steps; ++t) {
    recorder.before(t, envs_);
    ActIn in = act_input(envs_);
    in.state = state_;
    const ActOut out = act_.act(in);
    recorder.acted(t, out);
    step_with(envs_, out.action, clipped_);
    recorder.after(t, envs_);
    state_ = out.state;
    for (const EpisodeEnd& end : envs_.ended()) {
      ++scores_.episodes;
      scores_.return_sum += end.episode_return;
      scores_.length_sum += end.length;
      for (size_t m = 0; m < end.metrics.size(); ++m) scores_.metric_sums[m] += end.metrics[m];
    }
  }
  time_ += chunk.steps;
  chunk.arrays = recorder.finish(envs_, start_state);
  return chunk;
}

void Rollout::save(ByteWriter& out) const {
  envs_.save(out);
  out.put(generator_.state());
  out.put(time_);
  out.put<uint64_t>(state_.size());
  for (const auto& [name, value] : state_) {
    out.put_text(name);
    out.put_span(std::span<const float>(value.contiguous().values<float>()));
  }
}

void Rollout::load(ByteReader& in) {
  envs_.load(in);
  generator_.set_state(in.get<RngState>());
  time_ = in.get<int64_t>();
  const auto count = in.get<uint64_t>();
  OA_REQUIRE(count == state_.size(), "actor state: holds ", count,
             " recurrent states, the policy has ", state_.size());
  state_ = algorithm_.initial_state(envs_.lanes());
  for (uint64_t i = 0; i < count; ++i) {
    const std::string name = in.get_text();
    const auto found = state_.find(name);
    OA_REQUIRE(found != state_.end(), "actor state: the policy has no recurrent state \"", name,
               "\"");
    in.get_into(found->second.values<float>());
  }
}

std::vector<ring::ItemSpec> make_items(const ring::Chunk& chunk, const Needs& needs) {
  const std::string& table = needs.table.name;
  if (needs.item.kind == ItemShape::Kind::kRollout) return {{table, 0, chunk.steps, -1, 1.0}};
  std::vector<ring::ItemSpec> items;
  for (int64_t begin = 0; begin + needs.item.length <= chunk.steps; begin += needs.item.period)
    for (int64_t lane = 0; lane < chunk.lanes; ++lane)
      items.push_back({table, begin, needs.item.length, lane, 1.0});
  return items;
}

}  // namespace oneagent
