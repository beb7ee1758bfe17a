// A replay behind sockets: writers, samplers, waits, restarts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "core/net/context.h"
#include "core/strand/wait_board.h"
#include "services/replay/replay_client.h"
#include "services/replay/replay_server.h"
#include "tests/services/replay/chunk_builder.h"
#include "tests/support/free_port.h"

namespace oneagent {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Deadline soon(int64_t ms = 5000) { return Deadline::after_ms(ms); }

// A server on a thread of its own, which can be stopped and started again on its address and
// folder.
class RunningReplay final {
 public:
  RunningReplay(net::Context& context, WaitBoard& board, ReplayOptions options, fs::path folder,
                std::vector<ring::TableSpec> tables)
      : server_(context, board, options, folder, "run", std::move(tables)), thread_([this] {
          while (!stop_) server_.serve(Deadline::after_ms(50));
        }) {}
  ~RunningReplay() {
    stop_ = true;
    server_.wake();
    thread_.join();
  }

 private:
  ReplayServer server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class ReplayWireTest : public testing::TestWithParam<const char*> {
 protected:
  ReplayWireTest() {
    const std::string transport = GetParam();
    if (transport == "inproc")
      options_.address = "inproc://replay";
    else if (transport == "ipc")
      options_.address = "ipc://" + (folder_.path() / "replay").string();
    else
      options_.address = str("tcp://127.0.0.1:", free_port(2));
  }
  void start(std::vector<ring::TableSpec> tables = {queue_table("queue", 100)}) {
    tables_ = tables;
    running_ = std::make_unique<RunningReplay>(context_, board_, options_, folder_.path(),
                                               std::move(tables));
  }
  void restart() {
    running_.reset();
    start(tables_);
  }
  ReplayWriter writer(uint32_t actor) {
    return ReplayWriter(context_, client_board_, actor, {options_.address, str("actor-", actor)});
  }
  ReplaySampler sampler() {
    return ReplaySampler(context_, client_board_, {options_.address, "learner"});
  }
  static void append(ReplayWriter& writer, float value) {
    const Status status = writer.append(make_chunk(0, 0, value), whole("queue"), soon());
    ASSERT_TRUE(status.ok()) << status;
  }
  static std::vector<float> values(const Result<ring::SampleBatch>& batch) {
    EXPECT_TRUE(batch.ok()) << batch.status();
    std::vector<float> values;
    if (batch.ok())
      for (const ring::SampledItem& item : batch->items) values.push_back(value_of(item.chunk));
    return values;
  }
  // Rows of the replay's board as text, once one mentions `word`.
  std::string rows(const std::string& word) {
    std::string text;
    for (const Deadline until = soon(2000); !until.expired();
         std::this_thread::sleep_for(std::chrono::milliseconds(10))) {
      text.clear();
      for (const WaitRow& row : board_.snapshot()) text += to_text(row) + "\n";
      if (text.find(word) != std::string::npos) break;
    }
    return text;
  }

  TemporaryFolder folder_;
  ReplayOptions options_;
  WaitBoard board_, client_board_;
  net::Context context_;
  std::vector<ring::TableSpec> tables_;
  std::unique_ptr<RunningReplay> running_;
};

INSTANTIATE_TEST_SUITE_P(Transports, ReplayWireTest, testing::Values("inproc", "ipc", "tcp"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(ReplayWireTest, AClientOfAnotherRunIsRefusedAndChangesNothing) {
  start();
  ReplayWriter own = writer(0);
  ASSERT_TRUE(own.hello(soon()).ok());
  append(own, 1);
  ASSERT_TRUE(own.flush(soon()).ok());
  ReplaySampler foreign(context_, client_board_, {options_.address, "learner", "other"});
  const Status rolled = foreign.rollback(0, RollbackMode::kExact, soon()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(rolled)) << rolled;
  EXPECT_THAT(std::string(rolled.message()), HasSubstr("learner of run other came to the replay"));
  ReplayWriter stranger(context_, client_board_, 1, {options_.address, "actor-1", "other"});
  const Status greeted = stranger.hello(soon()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(greeted)) << greeted;
  const auto report = sampler().report(soon());
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->chunks, 1u);
}

TEST_P(ReplayWireTest, AChunkGoesFromTheWriterToTheSamplerWhole) {
  start();
  ReplayWriter actor = writer(4);
  const auto hello = actor.hello(soon());
  ASSERT_TRUE(hello.ok()) << hello.status();
  EXPECT_EQ(hello->next_sequence, 0u);
  EXPECT_FALSE(hello->restored());
  ring::Chunk chunk = make_chunk(0, 0, 1.5F, 3, 20000);
  chunk.weights_version = 12;
  chunk.first_step = 30;
  ASSERT_TRUE(actor.append(chunk, {{"queue", 1, 2, 0, 0.5}}, soon()).ok());
  ASSERT_TRUE(actor.flush(soon()).ok());
  const auto acknowledged = actor.take_acknowledged();
  ASSERT_EQ(acknowledged.size(), 1u);
  EXPECT_EQ(acknowledged[0].sequence, 0u);
  EXPECT_FALSE(acknowledged[0].quarantined);
  ReplaySampler learner = sampler();
  const auto batch = learner.sample("queue", 1, soon());
  ASSERT_TRUE(batch.ok()) << batch.status();
  const ring::SampledItem& item = batch->items[0];
  EXPECT_EQ(item.chunk.key, (ring::ChunkKey{4, 0}));
  EXPECT_EQ(item.chunk.weights_version, 12);
  EXPECT_EQ(item.chunk.first_step, 30);
  EXPECT_EQ(item.chunk.steps, 3);
  EXPECT_EQ(item.spec.begin, 1);
  EXPECT_EQ(item.spec.length, 2);
  EXPECT_EQ(item.spec.lane, 0);
  EXPECT_EQ(item.spec.priority, 0.5);
  EXPECT_TRUE(equal(item.chunk.arrays, chunk.arrays));
}

TEST_P(ReplayWireTest, AParkedSampleIsAnsweredWhenTheItemComes) {
  start();
  std::vector<float> got;
  std::thread learner([&] {
    ReplaySampler sampler = this->sampler();
    got = values(sampler.sample("queue", 2, soon()));
  });
  EXPECT_THAT(
      rows("learner"),
      HasSubstr(
          "learner waits for replay/queue: limiter: needs 1 item, has 0; actors must insert"));
  ReplayWriter actor = writer(0);
  ASSERT_TRUE(actor.hello(soon()).ok());
  append(actor, 1);
  append(actor, 2);
  learner.join();
  EXPECT_THAT(got, ElementsAre(1, 2));
}

TEST_P(ReplayWireTest, AnExpiredSampleNamesTheLimiterInWords) {
  start();
  ReplaySampler learner = sampler();
  const auto batch = learner.sample("queue", 1, soon(300));
  EXPECT_TRUE(absl::IsDeadlineExceeded(batch.status())) << batch.status();
  EXPECT_THAT(std::string(batch.status().message()),
              HasSubstr("learner waits for replay/queue: limiter: needs 1 item, has 0"));
}

TEST_P(ReplayWireTest, AnExpiredSampleConsumesNothing) {
  start();
  ReplaySampler learner = sampler();
  ReplayWriter actor = writer(0);
  ASSERT_TRUE(actor.hello(soon()).ok());
  for (int i = 0; i < 20; ++i) {
    (void)learner.sample("queue", 1,
                         soon(1 + i % 7));  // often expires while the item is on its way
    append(actor, static_cast<float>(i));
  }
  ASSERT_TRUE(actor.flush(soon()).ok());
  std::vector<float> got;
  while (true) {
    const auto batch = learner.sample("queue", 1, soon(200));
    if (!batch.ok()) break;
    got.push_back(value_of(batch->items[0].chunk));
  }
  ASSERT_FALSE(got.empty());
  EXPECT_EQ(got.back(), 19);
  for (size_t i = 1; i < got.size(); ++i) EXPECT_EQ(got[i], got[i - 1] + 1) << "an item was lost";
}

TEST_P(ReplayWireTest, ABlockedInsertHoldsTheWriterAndSaysWhy) {
  options_.credit_items = 1;
  options_.credit_chunks = 2;
  start({queue_table("queue", 1)});
  ReplayWriter actor = writer(1);
  ASSERT_TRUE(actor.hello(soon()).ok());
  Status status;
  int sent = 0;
  while (sent < 20 && (status = actor.append(make_chunk(0, 0, static_cast<float>(sent)),
                                             whole("queue"), soon(300)))
                          .ok())
    ++sent;
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("replay/queue: limiter: 1 + 1 inserts x 1 - 0 samples = 2, at most 1; the "
                        "learner must sample"));
  EXPECT_LE(sent, 4);
  EXPECT_THAT(rows("actor-1"), HasSubstr("actor-1 waits for replay/queue: limiter"));
  ReplaySampler learner = sampler();
  for (int i = 0; i < sent; ++i)
    EXPECT_THAT(values(learner.sample("queue", 1, soon())), ElementsAre(static_cast<float>(i)));
  EXPECT_TRUE(actor.append(make_chunk(0, 0, 50), whole("queue"), soon()).ok());
  EXPECT_THAT(values(learner.sample("queue", 1, soon())), ElementsAre(50.F));
}

TEST_P(ReplayWireTest, TheReplayRestartsAndNobodyNotices) {
  if (GetParam() == std::string("inproc"))
    GTEST_SKIP() << "an inproc replay starts and ends with its process";
  start();
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  ASSERT_TRUE(actor.hello(soon()).ok());
  std::vector<float> got;
  for (int i = 0; i < 30; ++i) {
    append(actor, static_cast<float>(i));
    if (i % 10 == 5) {
      restart();
      ASSERT_TRUE(actor.flush(soon(20000)).ok());  // a writer makes progress inside its calls
    }
    if (i >= 3)
      for (const float value : values(learner.sample("queue", 1, soon(20000))))
        got.push_back(value);
  }
  ASSERT_TRUE(actor.flush(soon(20000)).ok());
  std::vector<float> expected;
  for (int i = 0; i < 27; ++i) expected.push_back(static_cast<float>(i));
  EXPECT_EQ(got, expected);
  EXPECT_EQ(actor.take_acknowledged().size(), 30u);
  EXPECT_EQ(learner.report(soon())->accepted, 30u);
}

TEST_P(ReplayWireTest, ARestartedWriterGoesOnWithTheSequenceThatTheReplayTellsIt) {
  start();
  {
    ReplayWriter actor = writer(0);
    ASSERT_TRUE(actor.hello(soon()).ok());
    append(actor, 0);
    append(actor, 1);
    ASSERT_TRUE(actor.flush(soon()).ok());
  }
  ReplayWriter actor = writer(0);
  EXPECT_EQ(actor.hello(soon())->next_sequence, 2u);
  append(actor, 2);
  ReplaySampler learner = sampler();
  EXPECT_THAT(values(learner.sample("queue", 3, soon())), ElementsAre(0, 1, 2));
}

TEST_P(ReplayWireTest, ABadChunkIsAcknowledgedAsQuarantined) {
  start();
  ReplayWriter actor = writer(0);
  ASSERT_TRUE(actor.hello(soon()).ok());
  ASSERT_TRUE(actor.append(make_bad_chunk(0, 0), whole("queue"), soon()).ok());
  append(actor, 1);
  ASSERT_TRUE(actor.flush(soon()).ok());
  const auto acknowledged = actor.take_acknowledged();
  ASSERT_EQ(acknowledged.size(), 2u);
  EXPECT_TRUE(acknowledged[0].quarantined);
  EXPECT_THAT(acknowledged[0].reason, HasSubstr("NaN"));
  EXPECT_FALSE(acknowledged[1].quarantined);
  ReplaySampler learner = sampler();
  EXPECT_THAT(values(learner.sample("queue", 1, soon())), ElementsAre(1));
}

TEST_P(ReplayWireTest, AnExactRollbackSendsActorsBackToTheirStamps) {
  start();
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  ASSERT_TRUE(actor.hello(soon()).ok());
  append(actor, 0);
  ASSERT_TRUE(actor.flush(soon()).ok());
  const auto first = learner.checkpoint(1, soon());
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(first->missing, ElementsAre(0u));
  const Bytes state = {9, 8, 7};
  ASSERT_TRUE(actor.stamp(1, state, soon()).ok());
  append(actor, 1);
  ASSERT_TRUE(actor.flush(soon()).ok());
  const auto second = learner.checkpoint(1, soon());
  EXPECT_TRUE(second->missing.empty());
  EXPECT_EQ(second->stamps[0].sequence_after, 1u);
  ASSERT_TRUE(learner.commit(1, soon()).ok());
  EXPECT_THAT(values(learner.sample("queue", 2, soon())), ElementsAre(0, 1));
  const auto report = learner.rollback(1, RollbackMode::kExact, soon(), second->sha256);
  ASSERT_TRUE(report.ok()) << report.status();
  Status status;
  for (int i = 0; i < 100 && status.ok(); ++i) {
    status = actor.append(make_chunk(0, 0, 77), whole("queue"), soon(500));
    (void)actor.flush(soon(100));
  }
  EXPECT_TRUE(absl::IsAborted(status)) << status;
  const auto hello = actor.hello(soon());
  ASSERT_TRUE(hello.ok()) << hello.status();
  EXPECT_EQ(hello->state, state);
  EXPECT_EQ(hello->next_sequence, 1u);
  append(actor, 101);
  EXPECT_THAT(values(learner.sample("queue", 2, soon())), ElementsAre(0, 101));
  EXPECT_EQ(actor.hello(soon())->next_sequence, 2u);  // the stream just goes on
}

TEST_P(ReplayWireTest, ARollbackThatKeepsNewerChunksLeavesActorsAlone) {
  start();
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  ASSERT_TRUE(actor.hello(soon()).ok());
  append(actor, 0);
  append(actor, 1);
  ASSERT_TRUE(actor.flush(soon()).ok());
  EXPECT_THAT(values(learner.sample("queue", 1, soon())), ElementsAre(0));
  ASSERT_TRUE(learner.rollback(0, RollbackMode::kKeepNewer, soon()).ok());
  append(actor, 2);
  const auto hello = actor.hello(soon());
  EXPECT_EQ(hello->next_sequence, 3u);
  EXPECT_FALSE(hello->restored());
  EXPECT_THAT(values(learner.sample("queue", 3, soon())), ElementsAre(0, 1, 2));
}

TEST_P(ReplayWireTest, TwoActorsMergeInActorOrder) {
  options_.ordered_actors = 2;
  start();
  ReplayWriter first = writer(0), second = writer(1);
  ASSERT_TRUE(second.hello(soon()).ok());
  for (int i = 0; i < 3; ++i) append(second, static_cast<float>(10 + i));
  ASSERT_TRUE(second.flush(soon()).ok());
  ASSERT_TRUE(first.hello(soon()).ok());
  for (int i = 0; i < 3; ++i) append(first, static_cast<float>(i));
  ReplaySampler learner = sampler();
  EXPECT_THAT(values(learner.sample("queue", 6, soon())), ElementsAre(0, 10, 1, 11, 2, 12));
  ReplayWriter third = writer(2);
  EXPECT_THAT(std::string(third.hello(soon()).status().message()),
              HasSubstr("ordered_actors is 2"));
}

TEST_P(ReplayWireTest, LatePrioritiesAreCounted) {
  start({{"queue", "fifo", "fifo", 1, 0, ring::LimiterSpec::minimum(1)}});
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  ASSERT_TRUE(actor.hello(soon()).ok());
  append(actor, 0);
  const auto batch = learner.sample("queue", 1, soon());
  ASSERT_TRUE(batch.ok());
  const PriorityUpdate update{batch->items[0].key, batch->items[0].generation, 2.0};
  EXPECT_EQ(*learner.set_priorities("queue", {&update, 1}, soon()), 0u);
  append(actor, 1);  // takes the slot
  ASSERT_TRUE(actor.flush(soon()).ok());
  EXPECT_EQ(*learner.set_priorities("queue", {&update, 1}, soon()), 1u);
  const PriorityUpdate bad{0, 0, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_TRUE(absl::IsInvalidArgument(learner.set_priorities("queue", {&bad, 1}, soon()).status()));
}

TEST_P(ReplayWireTest, MistakesAreNamed) {
  start();
  ReplaySampler learner = sampler();
  EXPECT_THAT(std::string(learner.sample("quene", 1, soon()).status().message()),
              HasSubstr("did you mean \"queue\""));
  EXPECT_THAT(std::string(learner.sample("queue", 500, soon()).status().message()),
              HasSubstr("can never be allowed"));
  EXPECT_THAT(std::string(learner.commit(3, soon()).message()),
              HasSubstr("epoch 3 was never stamped"));
  EXPECT_THAT(std::string(learner.rollback(3, RollbackMode::kExact, soon()).status().message()),
              HasSubstr("is not there"));
  ReplayWriter actor = writer(0);
  ASSERT_TRUE(actor.hello(soon()).ok());
  EXPECT_THROW((void)actor.append(make_chunk(0, 0), {{"queue", 0, 9, -1, 1.0}}, soon()), Error);
  EXPECT_THROW((void)actor.append(make_chunk(0, 0), {{"queue", 0, 1, -1, std::nan("")}}, soon()),
               Error);
}

// ray#24329: a learner that stops costs no memory; the writer is held, then goes on.
TEST_P(ReplayWireTest, MemoryStaysFlatWhileTheLearnerIsStopped) {
  options_.segment_bytes = 1 << 18;
  options_.staged_bytes = 1 << 20;
  options_.credit_chunks = 8;
  start({queue_table("queue", 2)});
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  ASSERT_TRUE(actor.hello(soon()).ok());
  const auto push_until_held = [&] {
    int sent = 0;
    while (actor.append(make_chunk(0, 0, 1, 2, 100000), whole("queue"), soon(200)).ok()) ++sent;
    return sent;
  };
  int sent = 0;  // on a slow machine a push may end at its deadline before it is held
  for (int more = 1; more > 0 && sent < 40; sent += more) more = push_until_held();
  EXPECT_LT(sent, 40);
  const ReplayReport before = *learner.report(soon());
  EXPECT_EQ(push_until_held(), 0);
  const ReplayReport after = *learner.report(soon());
  EXPECT_LE(after.staged_bytes, 1u << 20);
  EXPECT_EQ(after.chunk_bytes, before.chunk_bytes);
  EXPECT_EQ(after.segment_bytes, before.segment_bytes);
  ASSERT_TRUE(learner.sample("queue", 2, soon()).ok());
  EXPECT_TRUE(actor.append(make_chunk(0, 0, 1, 2, 100000), whole("queue"), soon()).ok());
}

// D.5: every client of a replay that is away gets a deadline error, never a hang.
TEST_P(ReplayWireTest, WithoutAReplayEveryCallEndsAtItsDeadline) {
  ReplayWriter actor = writer(0);
  ReplaySampler learner = sampler();
  EXPECT_TRUE(absl::IsDeadlineExceeded(actor.hello(soon(200)).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(learner.sample("queue", 1, soon(200)).status()));
  EXPECT_TRUE(absl::IsDeadlineExceeded(learner.checkpoint(1, soon(200)).status()));
}

}  // namespace
}  // namespace oneagent
