#include "services/evaluator/evaluation.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include "core/graph/context.h"
#include "services/act_graph.h"
#include "services/acting.h"

namespace oneagent {
namespace {

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0.0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

}  // namespace

double Scores::mean() const { return mean_of(returns); }

double Scores::metric_mean(const std::string& name) const {
  const auto found = metrics.find(name);
  return found == metrics.end() ? 0.0 : mean_of(found->second);
}

std::pair<double, double> Scores::interval() const {
  if (returns.empty()) return {0, 0};
  constexpr int kResamples = 1000;
  Rng rng(0x626F6F74);
  std::vector<double> means;
  for (int i = 0; i < kResamples; ++i) {
    double sum = 0;
    for (size_t k = 0; k < returns.size(); ++k)
      sum += returns[rng.below(static_cast<uint32_t>(returns.size()))];
    means.push_back(sum / static_cast<double>(returns.size()));
  }
  std::sort(means.begin(), means.end());
  return {means[kResamples * 25 / 1000], means[kResamples * 975 / 1000 - 1]};
}

double Scores::interquartile_mean() const {
  std::vector<double> sorted = returns;
  std::sort(sorted.begin(), sorted.end());
  const size_t cut = sorted.size() / 4;
  return mean_of({sorted.begin() + static_cast<std::ptrdiff_t>(cut),
                  sorted.end() - static_cast<std::ptrdiff_t>(cut)});
}

Json Scores::to_json() const {
  const auto [low, high] = interval();
  Json out = {{"episodes", returns.size()},
              {"eval_return", mean()},
              {"ci_low", low},
              {"ci_high", high},
              {"iqm", interquartile_mean()},
              {"length", mean_of(lengths)}};
  for (const auto& [name, values] : metrics) out[name] = mean_of(values);
  return out;
}

Scores play_episodes(EnvBatch& envs, const Player& player, int episodes,
                     const std::function<bool()>& stop) {
  const int lanes = envs.lanes();
  const auto share = [&](int lane) { return (episodes - lane + lanes - 1) / lanes; };
  std::vector<int> done(static_cast<size_t>(lanes), 0);
  std::vector<std::optional<std::pair<double, double>>> scored(static_cast<size_t>(episodes));
  const std::vector<std::string>& names = envs.spec().metrics;
  std::vector<std::vector<double>> metrics(names.size(),
                                           std::vector<double>(static_cast<size_t>(episodes), 0.0));
  envs.reset();
  int left = episodes;
  while (left > 0 && !(stop && stop())) {
    player(envs);
    for (const EpisodeEnd& end : envs.ended()) {
      int& count = done[static_cast<size_t>(end.lane)];
      if (count >= share(end.lane)) continue;
      const auto index = static_cast<size_t>(end.lane + count * lanes);
      scored[index] = {end.episode_return, end.length};
      for (size_t m = 0; m < names.size(); ++m) metrics[m][index] = end.metrics[m];
      ++count;
      --left;
    }
  }
  Scores scores;
  for (size_t i = 0; i < scored.size(); ++i) {
    if (!scored[i]) continue;
    scores.returns.push_back(scored[i]->first);
    scores.lengths.push_back(scored[i]->second);
    for (size_t m = 0; m < names.size(); ++m) scores.metrics[names[m]].push_back(metrics[m][i]);
  }
  return scores;
}

Player policy_player(Algorithm& algorithm, EnvBatch& envs, ActMode mode, uint64_t seed) {
  struct State {
    State(Algorithm& algorithm, ActMode mode, uint64_t seed, int64_t lanes)
        : act(algorithm, mode, Generator(seed)), recurrent(algorithm.initial_state(lanes)) {}
    ActGraph act;
    TensorMap recurrent;
    std::vector<float> clipped;
  };
  auto state = std::make_shared<State>(algorithm, mode, seed, envs.lanes());
  return [state](EnvBatch& batch) {
    ActIn in = act_input(batch);
    in.state = state->recurrent;
    const ActOut out = state->act.act(in);
    step_with(batch, out.action, state->clipped);
    state->recurrent = out.state;
  };
}

}  // namespace oneagent
