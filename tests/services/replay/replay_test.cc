// A replay without sockets: durability, epochs, credits, quarantine.
#include "services/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <set>

#include "services/replay/epoch_file.h"
#include "services/replay/sealed_file.h"
#include "tests/services/replay/chunk_builder.h"

namespace oneagent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Verdict = Offer::Verdict;

class ReplayTest : public testing::Test {
 protected:
  ReplayTest() { options_.segment_bytes = 1 << 16; }

  // Drops the replay as SIGKILL does (nothing is written on the way out) and starts another on the
  // same folder.
  void open(std::vector<ring::TableSpec> tables = {queue_table("queue", 100)},
            const std::string& run = "run") {
    replay_.reset();
    replay_ = std::make_unique<Replay>(options_, ReplayFolders::of_run(folder_.path()), run,
                                       std::move(tables));
  }
  Verdict offer(uint32_t actor, uint64_t sequence, int64_t bytes = 0,
                const std::string& table = "queue") {
    return replay_
        ->offer(make_chunk(actor, sequence, value(actor, sequence), 2, bytes), whole(table))
        .verdict;
  }
  static float value(uint32_t actor, uint64_t sequence) {
    return static_cast<float>(actor * 1000 + sequence);
  }
  std::vector<float> sample(int64_t n, const std::string& table = "queue") {
    return sample_as({"learner", 1, ++request_}, n, table);
  }
  std::vector<float> sample_as(const SampleTicket& ticket, int64_t n,
                               const std::string& table = "queue") {
    const Result<ring::SampleBatch> batch = replay_->sample(ticket, table, n);
    EXPECT_TRUE(batch.ok()) << batch.status();
    std::vector<float> values;
    if (batch.ok())
      for (const ring::SampledItem& item : batch->items) values.push_back(value_of(item.chunk));
    return values;
  }
  std::vector<float> drain() {
    std::vector<float> values;
    while (replay_->can_sample("queue", 1)) values.push_back(sample(1)[0]);
    return values;
  }
  // Tables, limiter counts, random streams and ledger, byte for byte.
  Bytes image() const {
    ByteWriter out;
    const ReplayState& state = replay_->state();
    for (const auto& table : state.tables())
      table->save(
          out, [&](ChunkId id) { return static_cast<uint32_t>(state.chunks().key(id).sequence); });
    state.accepted().save(out);
    return out.take();
  }
  fs::path segments() const { return folder_.path() / "segments"; }
  fs::path only_file(const std::string& prefix) const {
    fs::path found;
    for (const auto& entry : fs::directory_iterator(segments()))
      if (entry.path().filename().string().starts_with(prefix)) found = entry.path();
    return found;
  }

  TemporaryFolder folder_;
  ReplayOptions options_;
  std::unique_ptr<Replay> replay_;
  uint64_t request_ = 0;
};

TEST_F(ReplayTest, AChunkThatWasAcceptedIsThereAfterARestart) {
  open();
  for (uint64_t i = 0; i < 5; ++i) EXPECT_EQ(offer(0, i), Verdict::kAccepted);
  EXPECT_THAT(sample(2), ElementsAre(0, 1));
  open();
  EXPECT_EQ(replay_->report().tables[0].samples, 2u);
  EXPECT_THAT(drain(), ElementsAre(2, 3, 4));
  EXPECT_EQ(replay_->ledger().count(), 5u);
}

TEST_F(ReplayTest, AResentChunkIsADuplicateAlsoAfterARestart) {
  open();
  EXPECT_EQ(offer(3, 0), Verdict::kAccepted);
  EXPECT_EQ(offer(3, 0), Verdict::kDuplicate);
  open();
  EXPECT_EQ(offer(3, 0), Verdict::kDuplicate);
  EXPECT_EQ(offer(3, 1), Verdict::kAccepted);
  EXPECT_EQ(replay_->ledger().count(), 2u);
}

TEST_F(ReplayTest, ALostAnswerIsGivenAgainAndNotSampledAgain) {
  open();
  for (uint64_t i = 0; i < 4; ++i) offer(0, i);
  const SampleTicket ticket{"learner", 1, 7};
  EXPECT_THAT(sample_as(ticket, 2), ElementsAre(0, 1));
  EXPECT_THAT(sample_as(ticket, 2), ElementsAre(0, 1));
  open();
  EXPECT_THAT(sample_as(ticket, 2), ElementsAre(0, 1));
  EXPECT_THAT(sample_as({"learner", 1, 8}, 2), ElementsAre(2, 3));
}

TEST_F(ReplayTest, ATornLastRecordIsDroppedAndTheRestIsKept) {
  open();
  for (uint64_t i = 0; i < 3; ++i) offer(0, i);
  const size_t end = replay_->report().journal_bytes;
  replay_.reset();
  const fs::path journal = only_file("journal-");
  Bytes bytes = read_bytes(journal);
  bytes[end - 20] ^= 0x40;  // inside the last record
  write_atomic(journal, bytes);
  open();
  EXPECT_EQ(replay_->ledger().count(), 2u);
  EXPECT_EQ(offer(0, 2), Verdict::kAccepted);  // its sender, never answered, sends it again
  EXPECT_THAT(drain(), ElementsAre(0, 1, 2));
}

TEST_F(ReplayTest, ADamagedChunkIsRefusedAtStartWithItsName) {
  open();
  offer(0, 0);
  replay_.reset();
  const fs::path segment = only_file("segment-");
  Bytes bytes = read_bytes(segment);
  bytes[64 + 64 + 300] ^= 1;
  write_atomic(segment, bytes);
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("chunk 0 of actor 0"));
    EXPECT_THAT(error.what(), HasSubstr("checksum is wrong"));
  }
}

TEST_F(ReplayTest, AStateOfAnotherRunIsRefused) {
  open();
  EXPECT_THROW(open({queue_table("queue", 100)}, "other"), Error);
}

TEST_F(ReplayTest, TwoReplaysNeverShareAFolder) {
  open();
  ASSERT_EQ(offer(0, 0), Verdict::kAccepted);
  EXPECT_THROW(
      Replay(options_, ReplayFolders::of_run(folder_.path()), "run", {queue_table("queue", 100)}),
      Error);
  ASSERT_EQ(offer(0, 1), Verdict::kAccepted);
  open();
  EXPECT_EQ(replay_->ledger().count(), 2u) << "the second replay took the first one's journal";
}

TEST_F(ReplayTest, AJournalThatWasTakenAwayIsNamedAndNothingIsThrownAway) {
  open();
  ASSERT_EQ(offer(0, 0), Verdict::kAccepted);
  replay_.reset();
  const fs::path journal = folder_.path() / "segments" / "journal-1.oaj";
  fs::rename(journal, folder_.path() / "aside");
  try {
    open();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("journal-1.oaj is missing or empty"));
  }
  fs::rename(folder_.path() / "aside", journal);
  open();
  EXPECT_EQ(replay_->report().chunks, 1u);
}

TEST_F(ReplayTest, SegmentsOfConsumedChunksAreUsedAgain) {
  options_.retain_bytes = 0;
  open();
  size_t most = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    ASSERT_EQ(offer(0, i, 20000), Verdict::kAccepted);
    sample(1);
    most = std::max<size_t>(most, replay_->report().segment_bytes);
  }
  EXPECT_LE(most, 6u << 16);
  EXPECT_LE(replay_->report().chunks, 1u);  // the last answer is kept
}

TEST_F(ReplayTest, TheJournalIsFoldedAndNothingIsLost) {
  options_.journal_bytes = 1 << 16;
  open();
  for (uint64_t i = 0; i < 2000; ++i) {
    ASSERT_EQ(offer(0, i), Verdict::kAccepted);
    if (i >= 50) sample(1);
  }
  EXPECT_GT(std::stoi(only_file("journal-").filename().string().substr(8)), 2);
  open();
  EXPECT_EQ(replay_->ledger().count(), 2000u);
  EXPECT_EQ(drain().size(), 50u);
}

TEST_F(ReplayTest, ABadChunkIsAcceptedAsQuarantinedAndEntersNoTable) {
  open();
  const Offer offered = replay_->offer(make_bad_chunk(2, 0), whole("queue"));
  EXPECT_EQ(offered.verdict, Verdict::kQuarantined);
  EXPECT_THAT(offered.reason, HasSubstr("reward holds a NaN"));
  EXPECT_FALSE(replay_->can_sample("queue", 1));
  EXPECT_EQ(replay_->report().quarantined, 1u);
  EXPECT_TRUE(fs::exists(folder_.path() / "quarantine" / "actor-2-0.chunk"));
  EXPECT_EQ(offer(2, 1), Verdict::kAccepted);  // the stream goes on
  open();
  EXPECT_EQ(replay_->report().quarantined, 1u);
}

TEST_F(ReplayTest, AnItemForAnUnknownTableIsQuarantinedWithTheNearestName) {
  open();
  EXPECT_THAT(replay_->offer(make_chunk(0, 0), whole("quene")).reason,
              HasSubstr("did you mean \"queue\""));
}

TEST_F(ReplayTest, ABlockedTableHoldsBackOnlyItsOwnItems) {
  options_.credit_items = 2;
  open({queue_table("queue", 1), queue_table("other", 10)});
  for (uint64_t i = 0; i < 3; ++i)
    EXPECT_EQ(offer(0, i), Verdict::kAccepted);  // one inside, two wait
  const Offer held = replay_->offer(make_chunk(0, 3), whole("queue"));
  EXPECT_EQ(held.verdict, Verdict::kHeld);
  EXPECT_EQ(held.holder, "replay/queue");
  EXPECT_THAT(held.reason, HasSubstr("the learner must sample"));
  EXPECT_EQ(offer(1, 0, 0, "other"), Verdict::kAccepted);
  EXPECT_EQ(sample(1, "other").size(), 1u);
  sample(1);
  EXPECT_EQ(offer(0, 3), Verdict::kAccepted);
}

TEST_F(ReplayTest, StagedBytesAreBounded) {
  options_.staged_bytes = 1 << 17;
  options_.credit_items = 1000;
  open({queue_table("queue", 1)});
  uint64_t sequence = 0;
  Offer last;
  while (sequence < 100 &&
         (last = replay_->offer(make_chunk(0, sequence, 0, 2, 30000), whole("queue"))).verdict ==
             Verdict::kAccepted)
    ++sequence;
  EXPECT_EQ(last.verdict, Verdict::kHeld);
  EXPECT_THAT(last.reason, HasSubstr("staged_bytes"));
  EXPECT_LE(replay_->report().staged_bytes, 1u << 17);
  EXPECT_GE(sequence, 4u);
}

TEST_F(ReplayTest, ChunksBeyondCapacityAreHeldWithTheReasonAndComeInOnceThereIsRoom) {
  options_.capacity_bytes = 4 << 16;
  options_.retain_bytes = 0;
  open();
  uint64_t sequence = 0;
  Offer last;
  while (
      sequence < 100 &&
      (last = replay_->offer(make_chunk(0, sequence, value(0, sequence), 2, 20000), whole("queue")))
              .verdict == Verdict::kAccepted)
    ++sequence;
  EXPECT_EQ(last.verdict, Verdict::kHeld);
  EXPECT_THAT(last.reason, HasSubstr("capacity_bytes"));
  EXPECT_EQ(replay_->report().refusing, last.reason);
  for (uint64_t i = 0; i < 7; ++i) sample(1);
  EXPECT_EQ(offer(0, sequence, 20000), Verdict::kAccepted);
  EXPECT_EQ(replay_->report().refusing, "");
  EXPECT_EQ(drain().back(), value(0, sequence));
}

// Chunks that are only kept for a learner's return make room for new ones.
TEST_F(ReplayTest, RetainedBytesAreBoundedAndCounted) {
  options_.retain_bytes = 100000;
  open();
  for (uint64_t i = 0; i < 20; ++i) {
    offer(0, i, 20000);
    sample(1);
  }
  EXPECT_LE(replay_->report().chunk_bytes, 130000u);
  EXPECT_GE(replay_->report().consumed_uncommitted, 14u);
}

// RLIMIT_FSIZE makes the file system refuse larger files, as a full disk does.
TEST_F(ReplayTest, AFullDiskRefusesChunksClearlyAndNothingIsLost) {
  std::signal(SIGXFSZ, SIG_IGN);
  options_.segment_bytes = 8 << 20;  // larger than the journal's first extent
  open();
  ASSERT_EQ(offer(0, 0), Verdict::kAccepted);
  replay_.reset();
  open();  // appends go to a new segment
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4 << 20, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Offer held = replay_->offer(make_chunk(0, 1, 1), whole("queue"));
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(held.verdict, Verdict::kHeld);
  EXPECT_EQ(held.holder, "replay/disk");
  EXPECT_THAT(held.reason, HasSubstr("cannot reserve"));
  EXPECT_EQ(offer(0, 1), Verdict::kAccepted);
  EXPECT_THAT(drain(), ElementsAre(0, 1));
}

TEST_F(ReplayTest, SamplesWaitWithTheReasonInWords) {
  open();
  const Result<ring::SampleBatch> batch = replay_->sample({"learner", 1, 1}, "queue", 1);
  EXPECT_TRUE(absl::IsUnavailable(batch.status()));
  EXPECT_THAT(std::string(batch.status().message()),
              HasSubstr("needs 1 item, has 0; actors must insert"));
  EXPECT_TRUE(absl::IsInvalidArgument(replay_->sample({"learner", 1, 1}, "queeu", 1).status()));
  EXPECT_TRUE(absl::IsInvalidArgument(replay_->sample({"learner", 1, 1}, "queue", 1000).status()));
}

// --- epochs

TEST_F(ReplayTest, RollbackBringsBackTheStateOfTheEpoch) {
  open();
  for (uint64_t i = 0; i < 5; ++i) offer(0, i);
  sample(2);
  ASSERT_TRUE(replay_->checkpoint(1).ok());
  ASSERT_TRUE(replay_->commit(1).ok());
  const Bytes tables = image();
  sample(3);
  for (uint64_t i = 5; i < 8; ++i) offer(0, i);
  const auto report = replay_->rollback(1, RollbackMode::kExact);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->consumed_uncommitted, 0u);
  EXPECT_EQ(image(), tables);
  EXPECT_THAT(report->predictions[0], HasSubstr("first sample now"));
  EXPECT_EQ(replay_->hello(0, 9)->next_sequence, 5u);
  EXPECT_THAT(drain(), ElementsAre(2, 3, 4));
  EXPECT_EQ(replay_->ledger().count(), 8u);  // what was ever accepted
}

TEST_F(ReplayTest, RollbackThatKeepsNewerChunksLosesNone) {
  open();
  for (uint64_t i = 0; i < 4; ++i) offer(0, i);
  sample(2);
  ASSERT_TRUE(replay_->checkpoint(1).ok());
  ASSERT_TRUE(replay_->commit(1).ok());
  for (uint64_t i = 4; i < 7; ++i) offer(0, i);
  sample(4);
  const auto report = replay_->rollback(1, RollbackMode::kKeepNewer);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->reinserted, 3u);
  EXPECT_THAT(drain(), ElementsAre(2, 3, 4, 5, 6));
  EXPECT_EQ(replay_->hello(0, 9)->next_sequence, 7u);
}

TEST_F(ReplayTest, RollbackToTheEmptyBeginning) {
  open();
  for (uint64_t i = 0; i < 3; ++i) offer(0, i);
  sample(1);
  ASSERT_TRUE(replay_->rollback(0, RollbackMode::kKeepNewer).ok());
  EXPECT_THAT(drain(), ElementsAre(0, 1, 2));
  ASSERT_TRUE(replay_->rollback(0, RollbackMode::kExact).ok());
  EXPECT_EQ(replay_->hello(0, 9)->next_sequence, 0u);
  EXPECT_FALSE(replay_->can_sample("queue", 1));
}

TEST_F(ReplayTest, AFreshProcessReturnsToTheEpochFromItsFileAndTheSegmentsAlone) {
  open();
  for (uint64_t i = 0; i < 5; ++i) offer(0, i);
  sample(1);
  const auto checkpoint = replay_->checkpoint(1);
  ASSERT_TRUE(checkpoint.ok());
  ASSERT_TRUE(replay_->commit(1).ok());
  sample(2);
  replay_.reset();
  fs::remove(only_file("journal-"));
  fs::remove(only_file("state-"));
  open();
  ASSERT_TRUE(replay_->rollback(1, RollbackMode::kExact, checkpoint->sha256).ok());
  EXPECT_THAT(drain(), ElementsAre(1, 2, 3, 4));
}

TEST_F(ReplayTest, AnEpochSurvivesTheReplaysRestartBeforeItsCommit) {
  open();
  for (uint64_t i = 0; i < 3; ++i) offer(0, i);
  const auto before = replay_->checkpoint(1);
  ASSERT_TRUE(before.ok());
  sample(3);
  open();
  const auto after = replay_->checkpoint(1);
  EXPECT_EQ(after->sha256, before->sha256);
  ASSERT_TRUE(replay_->commit(1).ok());
  ASSERT_TRUE(replay_->rollback(1, RollbackMode::kExact).ok());
  EXPECT_THAT(drain(), ElementsAre(0, 1, 2));
}

TEST_F(ReplayTest, AnActorIsHandedItsStampUntilItSendsAgain) {
  open();
  offer(0, 0);
  ASSERT_TRUE(replay_->checkpoint(1).ok());
  EXPECT_THAT(replay_->checkpoint(1)->missing, ElementsAre(0u));
  offer(0, 1);  // between the replay's stamp and the actor's
  const Bytes state = {1, 2, 3};
  EXPECT_EQ(replay_->offer_stamp(0, 1, state).verdict, Verdict::kAccepted);
  const auto checkpoint = replay_->checkpoint(1);
  EXPECT_TRUE(checkpoint->missing.empty());
  ASSERT_EQ(checkpoint->stamps.size(), 1u);
  EXPECT_EQ(checkpoint->stamps[0].sequence_after, 2u);
  ASSERT_TRUE(replay_->commit(1).ok());
  offer(0, 2);
  ASSERT_TRUE(replay_->rollback(1, RollbackMode::kExact).ok());
  const auto hello = replay_->hello(0, 77);
  ASSERT_TRUE(hello.ok());
  EXPECT_EQ(hello->state, state);
  EXPECT_EQ(hello->next_sequence, 2u);
  EXPECT_EQ(hello->epoch, 1);
  EXPECT_THAT(drain(), ElementsAre(0, 1));
  offer(0, 2);
  EXPECT_TRUE(replay_->hello(0, 78)->state.empty());
}

TEST_F(ReplayTest, AStampOfACommittedEpochOnlyTakesItsPlaceInTheStream) {
  open();
  offer(0, 0);
  ASSERT_TRUE(replay_->checkpoint(1).ok());
  EXPECT_EQ(replay_->offer_stamp(0, 1, Bytes{1}).verdict, Verdict::kAccepted);
  ASSERT_TRUE(replay_->commit(1).ok());
  EXPECT_EQ(replay_->offer_stamp(0, 1, Bytes{2}).verdict, Verdict::kAccepted);
  EXPECT_EQ(read_bytes(folder_.path() / "checkpoints" / "epoch-1" / "actor-0.bin"), Bytes{1});
  open();
  EXPECT_EQ(replay_->state().actor(0).stream, 4u);  // a chunk and two stamps came
}

TEST_F(ReplayTest, AProcessFromBeforeAnExactRollbackMustBeginAnew) {
  open();
  ASSERT_TRUE(replay_->hello(0, 5).ok());
  offer(0, 0);
  ASSERT_TRUE(replay_->rollback(0, RollbackMode::kExact).ok());
  EXPECT_TRUE(absl::IsAborted(replay_->hello(0, 5).status()));
  open();
  EXPECT_TRUE(absl::IsAborted(replay_->hello(0, 5).status()));
  EXPECT_TRUE(replay_->hello(0, 6).ok());
}

TEST_F(ReplayTest, CorruptForeignAndWrongEpochFilesAreRefusedAndEverythingStays) {
  open();
  for (uint64_t i = 0; i < 3; ++i) offer(0, i);
  const auto checkpoint = replay_->checkpoint(1);
  ASSERT_TRUE(replay_->commit(1).ok());
  const fs::path file = folder_.path() / "checkpoints" / "epoch-1" / "replay.bin";
  const Bytes good = read_bytes(file);
  const auto refusal = [&](const Bytes& bytes, const std::string& hash = "") {
    write_atomic(file, bytes);
    return std::string(replay_->rollback(1, RollbackMode::kExact, hash).status().message());
  };
  Bytes damaged = good;
  damaged[good.size() / 2] ^= 1;
  EXPECT_THAT(refusal(damaged), HasSubstr("partial or damaged"));
  EXPECT_THAT(refusal({good.begin(), good.begin() + 200}), HasSubstr("partial or damaged"));
  EXPECT_THAT(refusal({1, 2, 3}), HasSubstr("too few"));
  EXPECT_THAT(refusal(Bytes(500, 7)), HasSubstr("no replay file"));
  EXPECT_THAT(refusal(seal({"replay-epoch", "other", {}})), HasSubstr("belongs to run \"other\""));
  EXPECT_THAT(refusal(seal({"replay-state", "run", {}})), HasSubstr("it is a replay-state file"));
  EXPECT_THAT(refusal(seal({"replay-epoch", "run", EpochFile{4, {}, {}, {}}.save()})),
              HasSubstr("it holds epoch 4"));
  EXPECT_THAT(refusal(good, "0000"), HasSubstr("not the manifest's"));
  EXPECT_THAT(drain(), ElementsAre(0, 1, 2));
  EXPECT_EQ(refusal(good, checkpoint->sha256), "");
}

TEST_F(ReplayTest, ARestartTakesTheNewLimiterAndKeepsTheCounts) {
  const ring::TableSpec starved{"table", "uniform", "fifo", 100, 0, {256, 1, 100, 1e9}};
  open({starved});
  offer(0, 0, 0, "table");
  sample(156, "table");
  ASSERT_FALSE(replay_->can_sample("table", 1));
  open({uniform_table("table", 100)});
  EXPECT_EQ(replay_->report().tables[0].samples, 156u);
  EXPECT_EQ(sample(1, "table").size(), 1u);
}

TEST_F(ReplayTest, MemoryDurabilityKeepsNoFilesAndRefusesCheckpoints) {
  options_.durability = "memory";
  open();
  offer(0, 0);
  EXPECT_THAT(drain(), ElementsAre(0));
  EXPECT_FALSE(fs::exists(segments()));
  EXPECT_TRUE(absl::IsFailedPrecondition(replay_->checkpoint(1).status()));
}

TEST_F(ReplayTest, MachineDurabilityWorksAlike) {
  options_.durability = "machine";
  open();
  for (uint64_t i = 0; i < 3; ++i) EXPECT_EQ(offer(0, i), Verdict::kAccepted);
  open();
  EXPECT_THAT(drain(), ElementsAre(0, 1, 2));
}

}  // namespace
}  // namespace oneagent
