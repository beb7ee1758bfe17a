#include "services/evaluator/judge.h"

#include <algorithm>

#include "envs/judges/baseline.h"

namespace oneagent {

Judge::Judge(const Registry& registry, const Experiment& experiment)
    : registry_(registry), e_(experiment), episodes_(experiment.evaluator.episodes) {
  const std::unique_ptr<EnvBatch> envs = make_envs(1);
  if (episodes_ == 0) {
    episodes_ = static_cast<int>(envs->spec().official_episodes);
    OA_REQUIRE(episodes_ > 0, "config: [evaluator] episodes = 0 means all official ones, but ",
               e_.env.name,
               " has none with these options; give a number, or for grid_path [evaluator.env] mode "
               "= \"eval\" with scenarios");
  }
  for (const std::string& name : e_.evaluator.baselines)
    make_baseline(registry_.envs, e_.env.name, name, envs->spec(), envs->options());
}

std::unique_ptr<EnvBatch> Judge::make_envs(int lanes) const {
  return std::make_unique<EnvBatch>(
      registry_.envs, e_.env.name, e_.eval_env_options, lanes,
      seed_of({static_cast<uint64_t>(e_.run.seed), hash_text("evaluation")}));
}

Scores Judge::policy(Algorithm& algorithm, const std::function<bool()>& stop) {
  const std::unique_ptr<EnvBatch> envs = make_envs(std::min(e_.evaluator.lanes, episodes_));
  const ActMode mode = e_.evaluator.greedy ? ActMode::kGreedy : ActMode::kSample;
  return play_episodes(
      *envs, policy_player(algorithm, *envs, mode, seed_of({hash_text("evaluation actions")})),
      episodes_, stop);
}

Scores Judge::baseline(const std::string& name, const std::function<bool()>& stop) {
  const std::unique_ptr<EnvBatch> envs = make_envs(std::min(e_.evaluator.lanes, episodes_));
  const std::unique_ptr<ScriptedPolicy> scripted =
      make_baseline(registry_.envs, e_.env.name, name, envs->spec(), envs->options());
  std::vector<int32_t> actions(static_cast<size_t>(envs->lanes()));
  return play_episodes(
      *envs,
      [&](EnvBatch& batch) {
        scripted->act(batch.observation(), batch.action_mask(), actions);
        batch.step(std::span<const int32_t>(actions));
      },
      episodes_, stop);
}

std::vector<Json> Judge::record(Algorithm& algorithm, int episodes) {
  std::vector<Json> out;
  for (int k = 0; k < episodes; ++k) {
    // One lane of the whole set each, spread over it: official queries are sorted by length.
    const int lane = static_cast<int>((2 * int64_t{k} + 1) * episodes_ / (2 * int64_t{episodes}));
    EnvBatch envs(registry_.envs, e_.env.name, e_.eval_env_options, 1,
                  seed_of({static_cast<uint64_t>(e_.run.seed), hash_text("evaluation")}), 1, lane,
                  episodes_);
    envs.record_episodes(true);
    const ActMode mode = e_.evaluator.greedy ? ActMode::kGreedy : ActMode::kSample;
    play_episodes(
        envs, policy_player(algorithm, envs, mode, seed_of({hash_text("evaluation actions")})), 1);
    if (!envs.recording(0).is_null()) out.push_back(envs.recording(0));
  }
  return out;
}

}  // namespace oneagent
