// Weights that are published in shards by the ranks that hold them.
#include "services/learner/weights_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "core/io/arrays.h"
#include "core/net/broadcast_publisher.h"
#include "core/ops/ops.h"
#include "services/learner/rank_team.h"
#include "services/learner/weights_client.h"
#include "services/learner/weights_message.h"
#include "tests/services/learner/fixed_learner.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

const Json kOptions = {{"steps", 16}, {"minibatch", 32}, {"normalize_observation", true}};

ring::Weights part(const std::string& name, const Shape& whole, std::vector<int64_t> offsets,
                   const Tensor& values) {
  ring::Weights out;
  out.tensors.add(io::array_from(name, values));
  out.shards.push_back({whole, std::move(offsets), shard_hash(out.tensors.arrays()[0])});
  return out;
}

Result<ring::ArraySet> assembled(const std::vector<ring::Weights>& parts) {
  std::vector<const ring::Weights*> pointers;
  for (const ring::Weights& each : parts) pointers.push_back(&each);
  return assemble_shards(pointers);
}

TEST(WeightsShards, PartsOfBothDimensionsArePutInTheirPlace) {
  const Tensor whole = arange(24, kFloat32).view({4, 6});
  std::vector<ring::Weights> parts;
  for (const auto& [row, rows] : {std::pair{0, 3}, std::pair{3, 1}})
    for (const auto& [column, columns] : {std::pair{0, 2}, std::pair{2, 4}})
      parts.push_back(part("w", {4, 6}, {row, column},
                           whole.narrow(0, row, rows).narrow(1, column, columns).contiguous()));
  const auto result = assembled(parts);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_TRUE(equal(io::tensor_over(result->at("w")), whole));
}

TEST(WeightsShards, WhatDoesNotMakeAWholeIsRefusedByName) {
  const Tensor half = arange(6, kFloat32).view({1, 6});
  const auto reason = [](const std::vector<ring::Weights>& parts) {
    const auto result = assembled(parts);
    return result.ok() ? "" : std::string(result.status().message());
  };
  const ring::Weights first = part("w", {2, 6}, {0, 0}, half),
                      second = part("w", {2, 6}, {1, 0}, half);
  EXPECT_EQ(reason({first, second}), "");
  EXPECT_THAT(reason({first}), HasSubstr("w: parts cover 6 of 12 elements"));
  EXPECT_THAT(reason({first, first}), HasSubstr("w: parts overlap"));
  EXPECT_THAT(reason({first, part("w", {3, 6}, {1, 0}, half)}), HasSubstr("disagree on its shape"));
  EXPECT_THAT(reason({first, part("w", {2, 6}, {2, 0}, half)}), HasSubstr("lies outside of it"));
  ring::Weights damaged = second;
  damaged.shards[0].hash ^= 1;
  EXPECT_THAT(reason({first, damaged}), HasSubstr("w: a part differs from its hash"));
}

TEST(WeightsShards, TravelInTheirMessage) {
  ring::Weights weights = part("w", {2, 6}, {1, 0}, ones({1, 6}));
  weights.version = 7;
  weights.sources = {"tcp://rank-1:5"};
  const auto back = weights_from_message(to_message(weights));
  ASSERT_TRUE(back.ok());
  ASSERT_EQ(back->shards.size(), 1U);
  EXPECT_EQ(back->shards[0].shape, (Shape{2, 6}));
  EXPECT_EQ(back->shards[0].offsets, (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(back->shards[0].hash, weights.shards[0].hash);
  EXPECT_EQ(back->sources, weights.sources);
}

// A publisher that keeps what it was given.
struct Kept {
  std::mutex mutex;
  std::vector<ring::Weights> published;
};
class KeptPublisher final : public ShardPublisher {
 public:
  KeptPublisher(Kept& kept, int rank) : kept_(kept), rank_(rank) {}
  std::string address() const override { return str("inproc://rank-", rank_); }
  void publish(const ring::Weights& weights) override {
    std::lock_guard lock(kept_.mutex);
    kept_.published.push_back(weights);
  }

 private:
  Kept& kept_;
  const int rank_;
};

// Every rank publishes what it holds, and no more; together that is the model.
TEST(WeightsShards, RanksPublishTheirOwnPartsWithoutAGather) {
  const auto chunks = collect("cartpole", kOptions, 2);
  for (const MeshOptions& mesh : {MeshOptions{2, 1}, MeshOptions{1, 2}, MeshOptions{2, 2},
                                  MeshOptions{1, 3}, MeshOptions{1, 1, 2}, MeshOptions{2, 2, 2}}) {
    const std::string where =
        str("data=", mesh.data, " tensor=", mesh.tensor, " pipeline=", mesh.pipeline);
    Kept kept;
    FixedLearner learner("cartpole", kOptions, chunks);
    ring::Weights first, before;
    ring::ArraySet whole;
    {
      RankTeam team(
          mesh, learner.trainer,
          RankProgram{[] { return make_ppo("cartpole", kOptions); }, 7, "fault", true,
                      [&](int rank) { return std::make_unique<KeptPublisher>(kept, rank); }});
      learner.trainer.add_weights(before);
      EXPECT_TRUE(before.shards.empty()) << "nothing is placed yet";
      learner.train(1);
      first.version = 5;
      first.incarnation = 3;
      learner.trainer.add_weights(first);
      whole = learner.trainer.model_state();
    }
    const int holders = mesh.tensor * mesh.pipeline;
    if (holders == 1) {
      EXPECT_TRUE(first.shards.empty() && first.sources.empty() && kept.published.empty()) << where;
      EXPECT_TRUE(ring::equal(first.tensors, whole)) << where;
      continue;
    }
    EXPECT_EQ(first.sources.size(), static_cast<size_t>(holders - 1)) << where;
    ASSERT_EQ(kept.published.size(), first.sources.size()) << where;
    std::vector<const ring::Weights*> parts = {&first};
    size_t bytes = first.tensors.bytes();
    for (const ring::Weights& each : kept.published) {
      EXPECT_EQ(each.version, 5) << where;
      EXPECT_EQ(each.incarnation, 3U) << where;
      parts.push_back(&each);
      bytes += each.tensors.bytes();
    }
    EXPECT_EQ(bytes, whole.bytes()) << where << ": nothing is published twice";
    EXPECT_LT(first.tensors.bytes(), whole.bytes() * 3 / 4) << where;
    const auto result = assemble_shards(parts);
    ASSERT_TRUE(result.ok()) << where << result.status();
    EXPECT_TRUE(ring::equal(*result, whole)) << where;
  }
}

// A version is there when all of it is; one whose shards never come is never seen.
TEST(WeightsShards, AVersionBecomesVisibleWhenItIsComplete) {
  net::Context context;
  WaitBoard board;
  net::BroadcastPublisher first(context, {"learner", net::parse_address("inproc://weights")}),
      second(context, {"rank-1", net::parse_address("inproc://weights-1")});
  const auto publish = [](net::BroadcastPublisher& publisher, int64_t version, int64_t row,
                          uint64_t incarnation, bool leads) {
    ring::Weights weights = part("w", {2, 3}, {row, 0}, full({1, 3}, static_cast<double>(version)));
    weights.version = version;
    weights.incarnation = incarnation;
    if (leads) weights.sources = {"inproc://weights-1"};
    ASSERT_TRUE(publisher.publish(version, to_message(weights)).ok());
  };
  WeightsClient client(context, board, "actor-0", "inproc://weights");
  const auto newer = [&](int64_t ms) {
    return client.wait_newer(Deadline::after_ms(ms), "weights");
  };
  publish(first, 1, 0, 9, true);
  EXPECT_FALSE(newer(300)) << "half of version 1";
  EXPECT_EQ(client.current(), nullptr);
  publish(second, 1, 1, 9, false);
  ASSERT_TRUE(newer(2000));
  EXPECT_EQ(client.current()->version, 1);
  EXPECT_TRUE(equal(io::tensor_over(client.current()->tensors.at("w")), ones({2, 3})));
  // The other rank is ahead; and its shard of another incarnation is none of this version.
  publish(second, 2, 1, 8, false);
  publish(first, 2, 0, 9, true);
  EXPECT_FALSE(newer(300));
  EXPECT_EQ(client.current()->version, 1);
  publish(second, 2, 1, 9, false);
  ASSERT_TRUE(newer(2000));
  EXPECT_EQ(client.current()->version, 2);
}

}  // namespace
}  // namespace oneagent
