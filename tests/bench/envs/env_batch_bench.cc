// EnvBatch beside a raw loop: CartPole, random actions, one thread. items_per_second are
// environment steps.
#include <benchmark/benchmark.h>

#include <vector>

#include "envs/env_batch.h"
#include "tests/bench/envs/raw_cartpole.h"

namespace oneagent {
namespace {

constexpr int kActionRows = 1024;

// Random actions of many steps, made before the clock starts, the same for both.
std::vector<int32_t> random_actions(int lanes) {
  std::vector<int32_t> actions(static_cast<size_t>(lanes) * kActionRows);
  Rng rng(7, 0);
  for (int32_t& action : actions) action = static_cast<int32_t>(rng.below(2));
  return actions;
}

void raw_cartpole(benchmark::State& state) {
  const int lanes = static_cast<int>(state.range(0));
  const std::vector<int32_t> actions = random_actions(lanes);
  bench::RawCartpole envs(lanes);
  size_t row = 0;
  for (auto _ : state) {
    envs.step(&actions[row * static_cast<size_t>(lanes)]);
    row = (row + 1) % kActionRows;
    benchmark::DoNotOptimize(envs.observation.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * lanes);
}

void env_batch_cartpole(benchmark::State& state) {
  const int lanes = static_cast<int>(state.range(0));
  const std::vector<int32_t> actions = random_actions(lanes);
  EnvTable table;
  register_all(table);
  EnvBatch batch(table, "cartpole", Json::object(), lanes, 1);
  batch.reset();
  size_t row = 0;
  for (auto _ : state) {
    batch.step(
        std::span(actions).subspan(row * static_cast<size_t>(lanes), static_cast<size_t>(lanes)));
    row = (row + 1) % kActionRows;
    benchmark::DoNotOptimize(batch.observation().data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * lanes);
}

// Repetitions of the two alternate (--benchmark_enable_random_interleaving), so that a slow phase
// of the machine meets both.
BENCHMARK(raw_cartpole)->Arg(8)->Arg(64)->Arg(1024);
BENCHMARK(env_batch_cartpole)->Arg(8)->Arg(64)->Arg(1024);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
