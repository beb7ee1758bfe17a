// A trainer that learns from the same rollouts whatever its ranks, for tests that compare them.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/support/local_ring.h"

namespace oneagent {

inline std::unique_ptr<Algorithm> make_ppo(const std::string& env, const Json& options) {
  const Registry& registry = LocalRing::registry();
  return registry.algorithms.at("ppo").make(policy_spec(registry.envs.spec(env, Json::object())),
                                            options, 3);
}

// Rollouts of the untrained policy, for every trainer the same.
inline std::vector<ring::Chunk> collect(const std::string& env, const Json& options, int count) {
  const auto algorithm = make_ppo(env, options);
  EnvBatch envs(LocalRing::registry().envs, env, Json::object(), 4, 3);
  Rollout rollout(envs, *algorithm, 5);
  std::vector<ring::Chunk> chunks;
  for (int i = 0; i < count; ++i) chunks.push_back(rollout.collect(i));
  return chunks;
}

struct FixedLearner {
  FixedLearner(std::unique_ptr<Algorithm> made, const std::vector<ring::Chunk>& chunks)
      : algorithm(std::move(made)),
        trainer(
            *algorithm, 7,
            [this, &chunks]() -> Result<ring::SampleBatch> {
              const ring::Chunk& chunk = chunks[next++ % chunks.size()];
              const auto items = make_items(chunk, algorithm->needs());
              return ring::SampleBatch{"rollout", {{next, 1, 1.0, items[0], chunk}}};
            },
            [](const Learn::Sample&, const std::vector<double>&) {}, "fault") {}
  FixedLearner(const std::string& env, const Json& options, const std::vector<ring::Chunk>& chunks)
      : FixedLearner(make_ppo(env, options), chunks) {}
  void train(int iterations) {
    for (int i = 0; i < iterations; ++i) {
      const auto metrics = algorithm->learn(trainer);
      ASSERT_TRUE(metrics.ok()) << metrics.status();
    }
  }
  std::unique_ptr<Algorithm> algorithm;
  Trainer trainer;
  size_t next = 0;
};

}  // namespace oneagent
