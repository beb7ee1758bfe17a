// Steps per second of every registered environment through EnvBatch, 64 lanes, one thread, random
// legal actions drawn inside the measured loop. grid_path also on the real map random-64-64-20.
// items_per_second are environment steps.
#include <benchmark/benchmark.h>

#include <bit>
#include <string>
#include <vector>

#include "envs/env_batch.h"

namespace oneagent {
namespace {

constexpr int kLanes = 64;

// The k-th legal action of a lane, k drawn; two lanes share one 64-bit draw.
void draw_discrete(const EnvBatch& batch, Rng& rng, std::vector<int32_t>& actions) {
  const auto count = static_cast<uint32_t>(batch.spec().action.count);
  const uint8_t* mask = batch.action_mask().empty() ? nullptr : batch.action_mask().data();
  for (int i = 0; i < kLanes; i += 2) {
    const uint64_t bits = rng.next_u64();
    for (int half = 0; half < 2; ++half) {
      const auto random = static_cast<uint32_t>(bits >> (32 * half));
      int32_t& action = actions[i + half];
      action = static_cast<int32_t>((static_cast<uint64_t>(random) * count) >> 32);
      if (mask == nullptr) continue;
      const uint8_t* legal = mask + static_cast<size_t>(i + half) * count;
      while (legal[action] == 0) action = action + 1 < static_cast<int32_t>(count) ? action + 1 : 0;
    }
  }
}

void env_steps(benchmark::State& state, const EnvTable& table, const std::string& name,
               const Json& options) {
  EnvBatch batch(table, name, options, kLanes, 1);
  batch.reset();
  Rng rng(7);
  const ring::ActionSpec& action = batch.spec().action;
  std::vector<int32_t> discrete(kLanes);
  std::vector<float> continuous(kLanes * action.count);
  for (auto _ : state) {
    if (action.discrete()) {
      draw_discrete(batch, rng, discrete);
      batch.step(std::span<const int32_t>(discrete));
    } else {
      for (float& value : continuous)
        value = action.low[0] + (action.high[0] - action.low[0]) * rng.uniform();
      batch.step(std::span<const float>(continuous));
    }
    benchmark::DoNotOptimize(batch.observation().data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * kLanes);
}

}  // namespace
}  // namespace oneagent

int main(int argc, char** argv) {
  using namespace oneagent;
  EnvTable table;
  register_all(table);
  const auto add = [&](const std::string& title, const std::string& name, const Json& options) {
    benchmark::RegisterBenchmark(title.c_str(), [&table, name, options](benchmark::State& state) {
      env_steps(state, table, name, options);
    });
  };
  for (const std::string& name : table.names()) add(name, name, Json::object());
  const Json real{{"map", "tests/data/movingai/random-64-64-20.map"}};
  add("grid_path/random-64-64-20", "grid_path", real);
  Json remembering = real;
  remembering["memory_radius"] = 4;
  add("grid_path/random-64-64-20/memory", "grid_path", remembering);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
