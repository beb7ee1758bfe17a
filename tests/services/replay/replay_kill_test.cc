// SIGKILL at random moments while two writers and a learner work, all in processes of their own:
// what was acknowledged is in the ledger once, what was sampled was sampled once, and nothing is
// lost in between.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <functional>
#include <set>
#include <sstream>
#include <thread>

#include "core/base/log.h"
#include "core/base/rng.h"
#include "core/net/context.h"
#include "core/strand/wait_board.h"
#include "services/replay/audit.h"
#include "services/replay/replay_client.h"
#include "services/replay/replay_server.h"
#include "tests/services/replay/chunk_builder.h"

namespace oneagent {
namespace {

constexpr int kKills = 20;
constexpr int kWriters = 2;

// A process that runs `work` and ends; killed and reaped with its object.
class Process final {
 public:
  explicit Process(const std::function<void()>& work) : pid_(::fork()) {
    if (pid_ != 0) return;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      std::_Exit(1);
    }
    std::_Exit(0);
  }
  ~Process() {
    if (pid_ > 0) kill();
  }
  void kill() {
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }

 private:
  pid_t pid_;
};

class ReplayKillTest : public testing::Test {
 protected:
  ReplayKillTest() {
    set_log_level(LogLevel::kError);
    options_.address = "ipc://" + (folder_.path() / "replay").string();
    options_.segment_bytes = 1 << 16;
    options_.journal_bytes = 1 << 16;  // folded often, so that kills meet it
    make_folder(folder_.path() / "audit");
  }
  ~ReplayKillTest() override { set_log_level(LogLevel::kInfo); }

  std::vector<ring::TableSpec> tables() const { return {queue_table("queue", 40)}; }
  bool told(const std::string& what) const { return fs::exists(folder_.path() / what); }
  void tell(const std::string& what) const {
    write_atomic(folder_.path() / what, std::string_view("now"));
  }

  void serve() {
    net::Context context;
    WaitBoard board;
    ReplayServer server(context, board, options_, folder_.path(), "run", tables());
    while (true) server.serve(Deadline::after_ms(100));
  }

  void write(uint32_t actor) {
    net::Context context;
    WaitBoard board;
    ReplayWriter writer(context, board, actor, {options_.address, str("actor-", actor)});
    while (!writer.hello(Deadline::after_ms(1000)).ok()) {
    }
    const fs::path log = folder_.path() / "audit" / str("actor-", actor, ".log");
    const auto note = [&] {
      for (const Acknowledged& ack : writer.take_acknowledged())
        append_line(log, str(ack.sequence));
    };
    while (!told("writers stop")) {
      (void)writer.append(make_chunk(0, 0, static_cast<float>(writer.next_sequence()), 2, 3000),
                          whole("queue"), Deadline::after_ms(200));
      note();
    }
    OA_REQUIRE(writer.flush(Deadline::after_ms(30000)).ok(), "writer: not all was acknowledged");
    note();
  }

  void learn() {
    net::Context context;
    WaitBoard board;
    ReplaySampler sampler(context, board, {options_.address, "learner"});
    while (!told("learner stop")) {
      const auto batch = sampler.sample("queue", 3, Deadline::after_ms(200));
      if (!batch.ok()) continue;
      for (const ring::SampledItem& item : batch->items)
        append_line(
            folder_.path() / "sampled",
            str(item.chunk.key.actor, ' ', item.chunk.key.sequence, ' ', value_of(item.chunk)));
    }
  }

  TemporaryFolder folder_;
  ReplayOptions options_;
};

TEST_F(ReplayKillTest, TwentyKillsLoseNothingAndRepeatNothing) {
  Process learner([&] { learn(); });
  std::vector<std::unique_ptr<Process>> writers;
  for (uint32_t actor = 0; actor < kWriters; ++actor)
    writers.push_back(std::make_unique<Process>([&, actor] { write(actor); }));
  Rng rng(static_cast<uint64_t>(wall_ms()));
  for (int i = 0; i < kKills; ++i) {
    Process replay([&] { serve(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(40 + rng.below(160)));
    replay.kill();
  }
  Process replay([&] { serve(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  tell("writers stop");
  for (auto& writer : writers) EXPECT_EQ(writer->wait(), 0);
  tell("learner stop");
  EXPECT_EQ(learner.wait(), 0);
  replay.kill();

  Replay recovered(options_, ReplayFolders::of_run(folder_.path()), "run", tables());
  const AuditReport report = audit_acknowledged(folder_.path() / "audit", recovered.ledger());
  EXPECT_TRUE(report.passed()) << to_text(report);
  EXPECT_EQ(report.repeated, 0u);
  EXPECT_GT(report.acknowledged, 100u);
  EXPECT_EQ(report.acknowledged, recovered.ledger().count())
      << "both writers flushed: each accepted chunk was acknowledged, once";
  for (const auto& [actor, ranges] : recovered.ledger().ranges())
    EXPECT_EQ(ranges.size(), 1u) << "actor " << actor;

  std::set<std::pair<uint32_t, uint64_t>> seen;
  std::istringstream sampled(read_text(folder_.path() / "sampled"));
  uint32_t actor = 0;
  uint64_t sequence = 0;
  for (float value = 0; sampled >> actor >> sequence >> value;) {
    EXPECT_EQ(value, static_cast<float>(sequence));
    EXPECT_TRUE(seen.insert({actor, sequence}).second)
        << "chunk " << sequence << " of actor-" << actor << " was sampled twice";
    EXPECT_TRUE(recovered.ledger().contains(actor, sequence));
  }
  const TableReport table = recovered.report().tables[0];
  EXPECT_EQ(table.inserts + static_cast<uint64_t>(table.waiting_inserts),
            recovered.ledger().count())
      << "one item a chunk";
  EXPECT_GE(table.samples, seen.size());
  EXPECT_LE(table.samples, seen.size() + 3)
      << "at most one answer was under way when the learner stopped";
}

}  // namespace
}  // namespace oneagent
