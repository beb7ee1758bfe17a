// Actor, table and learner in one thread and without sockets: environment -> rollout -> items ->
// trainer, for tests of algorithms.
#pragma once

#include <deque>
#include <memory>

#include "algorithms/algorithm.h"
#include "core/base/rng.h"
#include "envs/env_batch.h"
#include "services/actor/rollout.h"
#include "services/experiment.h"
#include "services/learner/trainer.h"

namespace oneagent {

class LocalRing {
 public:
  LocalRing(std::unique_ptr<Algorithm> made, const std::string& env, const Json& env_options,
            int lanes, uint64_t seed, bool graphs = true)
      : algorithm(std::move(made)),
        needs(algorithm->needs()),
        envs(registry().envs, env, env_options, lanes, seed),
        rollout(envs, *algorithm, seed_of({seed, 1}), graphs),
        trainer(
            *algorithm, seed_of({seed, 2}), [this] { return sample(); },
            [](const Learn::Sample&, const std::vector<double>&) {}, "fault", graphs),
        draw_(seed_of({seed, 3})) {}

  static const Registry& registry() {
    static const Registry all;
    return all;
  }

  // One iteration: as many chunks as a sample needs, then learn().
  std::map<std::string, double> iterate() {
    const int64_t chunks =
        needs.item.kind == ItemShape::Kind::kRollout ? needs.items_per_sample : 1;
    do {
      for (int64_t i = 0; i < chunks; ++i) {
        const ring::Chunk chunk = rollout.collect(version++);
        EXPECT_EQ(ring::ingest_fault(chunk), "");
        episodes += rollout.scores().episodes;
        return_sum += rollout.scores().return_sum;
        for (const ring::ItemSpec& item : make_items(chunk, needs))
          items.push_back({next_key++, 1, 1.0, item, chunk});
        while (static_cast<int64_t>(items.size()) > needs.table.max_size) items.pop_front();
      }
    } while (static_cast<int64_t>(items.size()) < needs.table.limiter.min_size);
    Result<std::map<std::string, double>> metrics = algorithm->learn(trainer);
    EXPECT_TRUE(metrics.ok()) << metrics.status();
    return metrics.ok() ? *metrics : std::map<std::string, double>{};
  }

  // Mean return of the episodes since the last call.
  double mean_return() {
    const double mean = episodes > 0 ? return_sum / static_cast<double>(episodes) : 0;
    episodes = 0;
    return_sum = 0;
    return mean;
  }

  std::unique_ptr<Algorithm> algorithm;
  Needs needs;
  EnvBatch envs;
  Rollout rollout;
  Trainer trainer;
  std::deque<ring::SampledItem> items;
  uint64_t next_key = 1;
  int64_t version = 0;
  int64_t episodes = 0;
  double return_sum = 0;

 private:
  Result<ring::SampleBatch> sample() {
    ring::SampleBatch batch;
    batch.table = needs.table.name;
    for (int64_t i = 0; i < needs.items_per_sample; ++i) {
      const size_t at =
          needs.table.sampler == "fifo" ? 0 : draw_.below(static_cast<uint32_t>(items.size()));
      batch.items.push_back(items[at]);
      if (needs.table.max_times_sampled == 1)
        items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return batch;
  }

  Rng draw_;
};

}  // namespace oneagent
