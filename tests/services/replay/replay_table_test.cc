#include "services/replay/replay_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/services/replay/chunk_builder.h"

namespace oneagent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A table over chunks that are only counted; chunk i is made for item i.
class TableTest : public testing::Test {
 protected:
  void make(const ring::TableSpec& spec, int64_t ordered_actors = 0) {
    table_ = std::make_unique<ReplayTable>(spec, chunks_, 7, ordered_actors);
  }

  void insert(int64_t mark, uint32_t actor = 0) {
    const ChunkId id = chunks_.add({actor, static_cast<uint64_t>(mark + 1)}, {1, 64, 100, 0});
    table_->enqueue({id, actor, mark, 1, -1, 1.0});
    table_->pump();
  }
  // The marks of the sampled items, after the client is done with them.
  std::vector<int64_t> sample(int64_t n) {
    std::vector<int64_t> marks;
    for (const TableSample& sample : table_->sample(n)) {
      marks.push_back(sample.item.begin);
      chunks_.unuse(sample.item.chunk);
    }
    table_->pump();
    return marks;
  }
  std::unique_ptr<ReplayTable> reloaded(const ring::TableSpec& spec) {
    ByteWriter out;
    std::vector<ChunkId> ids;
    table_->save(out, [&](ChunkId id) {
      ids.push_back(id);
      return static_cast<uint32_t>(ids.size() - 1);
    });
    auto table = std::make_unique<ReplayTable>(spec, chunks_, 7);
    ByteReader in(out.bytes(), "table");
    table->load(in, [&](uint32_t number) { return ids[number]; });
    in.finish();
    return table;
  }

  ChunkStore chunks_{nullptr};
  std::unique_ptr<ReplayTable> table_;
};

TEST_F(TableTest, AQueueOfTenTakesTenInsertsAndTheEleventhWaits) {
  make(queue_table("queue", 10));
  for (int i = 0; i < 11; ++i) insert(i);
  EXPECT_EQ(table_->size(), 10);
  EXPECT_EQ(table_->waiting(), 1u);
  EXPECT_THAT(table_->insert_wait(), HasSubstr("the learner must sample"));
  EXPECT_THAT(sample(1), ElementsAre(0));
  EXPECT_EQ(table_->waiting(), 0u);
}

TEST_F(TableTest, AQueueGivesItsItemsInOrderAndSamplesWaitWhenItIsEmpty) {
  make(queue_table("queue", 10));
  for (int i = 0; i < 3; ++i) insert(i);
  EXPECT_THAT(sample(3), ElementsAre(0, 1, 2));
  EXPECT_FALSE(table_->can_sample(1));
  EXPECT_EQ(table_->sample_wait(1), "limiter: needs 1 item, has 0; actors must insert");
}

TEST_F(TableTest, AnItemIsGoneAfterItsSecondSampleWhenMaxTimesSampledIsTwo) {
  make({"table", "fifo", "fifo", 10, 2, ring::LimiterSpec::minimum(1)});
  insert(5);
  insert(6);
  EXPECT_THAT(sample(2), ElementsAre(5, 5));
  EXPECT_EQ(table_->size(), 1);
  EXPECT_THAT(sample(2), ElementsAre(6, 6));
  EXPECT_EQ(table_->size(), 0);
  EXPECT_EQ(chunks_.count(), 0u);
}

TEST_F(TableTest, FifteenInsertsIntoATableOfTenLeaveTheLastTen) {
  make(uniform_table("table", 10));
  for (int i = 0; i < 15; ++i) insert(i);
  std::set<int64_t> seen;
  for (int i = 0; i < 500; ++i) seen.insert(sample(1)[0]);
  EXPECT_EQ(table_->size(), 10);
  EXPECT_EQ(*seen.begin(), 5);
  EXPECT_EQ(*seen.rbegin(), 14);
  EXPECT_EQ(seen.size(), 10u);
}

TEST_F(TableTest, ALifoSamplerGivesTheNewest) {
  make({"table", "lifo", "fifo", 10, 0, ring::LimiterSpec::minimum(1)});
  for (int i = 0; i < 3; ++i) insert(i);
  EXPECT_THAT(sample(2), ElementsAre(2, 2));
}

TEST_F(TableTest, AWaitingInsertDoesNotUnblockSampling) {
  make({"table", "fifo", "fifo", 10, 0, {1, 2, -10, 1}}, 2);
  insert(0, 1);  // actor 0 is first in order: this one waits
  insert(1, 1);
  EXPECT_EQ(table_->size(), 0);
  EXPECT_EQ(table_->waiting(), 2u);
  EXPECT_FALSE(table_->can_sample(1));
  EXPECT_EQ(table_->insert_wait(), "actor order: the next item must come from actor-0");
}

TEST_F(TableTest, OrderedActorsMergeInActorOrderWhateverTheArrival) {
  make(queue_table("queue", 10), 2);
  for (const int mark : {10, 11, 12}) insert(mark, 1);
  for (const int mark : {0, 1, 2}) insert(mark, 0);
  EXPECT_THAT(sample(6), ElementsAre(0, 10, 1, 11, 2, 12));
}

TEST_F(TableTest, OrderOfInsertionIsKeptAfterLoad) {
  make(queue_table("queue", 10));
  for (const int mark : {1, 3, 2}) insert(mark);
  table_ = reloaded(queue_table("queue", 10));
  EXPECT_THAT(sample(3), ElementsAre(1, 3, 2));
}

TEST_F(TableTest, ARestoredUniformTableDrawsTheSameItems) {
  make(uniform_table("table", 8));
  for (int i = 0; i < 20; ++i) insert(i);
  sample(5);
  const auto copy = reloaded(uniform_table("table", 8));
  std::vector<int64_t> copied;
  for (const TableSample& sample : copy->sample(50)) {
    copied.push_back(sample.item.begin);
    chunks_.unuse(sample.item.chunk);
  }
  EXPECT_EQ(sample(50), copied);
}

// reverb#64, #118: the new run's limiter wins, the counts are kept, and the first sample arrives.
TEST_F(TableTest, ARestoreTakesTheLimiterOfTheNewRunAndTheCountsOfTheOldOne) {
  make({"table", "fifo", "fifo", 100, 0, {256, 1, 100, 1e9}});
  insert(0);
  sample(156);
  ASSERT_FALSE(table_->can_sample(1));
  const auto restored = reloaded({"table", "fifo", "fifo", 100, 0, ring::LimiterSpec::minimum(1)});
  EXPECT_EQ(restored->counts().samples, 156u);
  EXPECT_EQ(restored->counts().inserts, 1u);
  EXPECT_EQ(restored->prediction(), "first sample now");
  EXPECT_TRUE(restored->can_sample(1));
}

TEST_F(TableTest, ALatePriorityIsCountedAndNeverAppliedToTheSlotsNextItem) {
  make({"table", "fifo", "fifo", 1, 0, ring::LimiterSpec::minimum(1)});
  insert(0);
  const TableSample old = table_->sample(1)[0];
  chunks_.unuse(old.item.chunk);
  insert(1);  // the same slot
  EXPECT_FALSE(table_->set_priority(old.slot, old.generation, 9.0));
  const TableSample now = table_->sample(1)[0];
  chunks_.unuse(now.item.chunk);
  EXPECT_EQ(now.slot, old.slot);
  EXPECT_EQ(now.item.priority, 1.0);
  EXPECT_EQ(table_->late_priorities(), 1u);
  EXPECT_TRUE(table_->set_priority(now.slot, now.generation, 2.0));
}

TEST_F(TableTest, SamplesThatCanNeverBeAllowedAreNamed) {
  make(queue_table("queue", 4));
  EXPECT_THAT(table_->sample_fault(5), HasSubstr("can never be allowed"));
  EXPECT_EQ(table_->sample_fault(4), "");
  EXPECT_THAT(table_->sample_fault(0), HasSubstr("at least 1"));
}

TEST_F(TableTest, UnknownSelectorsAreRefusedWithTheValidNames) {
  try {
    make({"table", "fifoo", "fifo", 4, 0, {}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean \"fifo\""));
  }
}

// Every selector: what goes in comes out, erased slots are never picked, and its order rebuilds it.
TEST(Selectors, ConformToTheirInterface) {
  for (const std::string& name : selector_names()) {
    const auto selector = make_selector(name);
    Rng rng(3);
    for (uint32_t slot = 0; slot < 20; ++slot) selector->insert(slot, 1.0);
    for (uint32_t slot = 0; slot < 20; slot += 3) selector->erase(slot);
    const auto copy = make_selector(name);
    for (const uint32_t slot : selector->order()) copy->insert(slot, 1.0);
    Rng same(3);
    for (int i = 0; i < 200; ++i) {
      const Pick pick = selector->pick(rng);
      EXPECT_NE(pick.slot % 3, 0u) << name;
      EXPECT_GT(pick.probability, 0) << name;
      EXPECT_EQ(copy->pick(same).slot, pick.slot) << name;
    }
    EXPECT_EQ(selector->order().size(), 13u) << name;
  }
}

}  // namespace
}  // namespace oneagent
