// A replay without sockets: tables over durable chunks. Every change is in the journal before it is
// answered, so that a replay that was killed starts again with exactly the chunks, items, limiter
// counts and answers that it had given.
//
//   <run>/segments/   segment-<id>.oas, state-<n>.bin, journal-<n>.oaj
//   <run>/checkpoints/epoch-<n>/   replay.bin, actor-<i>.bin
//   <run>/quarantine/   actor-<i>-<sequence>.chunk with its reason in .json beside it
//
// One strand. Nothing here blocks, except for the disk: fsync at checkpoints, and at every chunk
// with durability = machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/folder_lock.h"
#include "core/base/result.h"
#include "core/data/batch.h"
#include "services/replay/journal.h"
#include "services/replay/replay_options.h"
#include "services/replay/replay_reports.h"
#include "services/replay/replay_state.h"
#include "services/replay/segment_log.h"

namespace oneagent {

struct ReplayFolders {
  fs::path segments, checkpoints, quarantine;
  static ReplayFolders of_run(const fs::path& run) {
    return {run / "segments", run / "checkpoints", run / "quarantine"};
  }
};

// What became of an offered chunk or stamp.
struct Offer {
  enum class Verdict { kAccepted, kDuplicate, kQuarantined, kHeld };
  Verdict verdict = Verdict::kAccepted;
  std::string holder;  // kHeld: "replay/rollout", "replay/disk"
  std::string reason;  // kHeld, kQuarantined
};

class Replay final {
 public:
  // Recovers what an earlier process left in the folders. Error, with the reason, when that is
  // foreign, damaged, or in use by another process.
  Replay(const ReplayOptions& options, ReplayFolders folders, std::string run,
         std::vector<ring::TableSpec> tables);
  ~Replay();
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // --- actors
  // A process of this actor begins or goes on with its stream. Aborted: it said hello before the
  // last exact rollback and must begin anew.
  Result<ReplayHello> hello(uint32_t actor, uint64_t incarnation);
  // kHeld: nothing was changed, offer it again later. Chunks of one actor come in the order of
  // their sequences.
  Offer offer(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items);
  // The actor's state after all chunks offered so far.
  Offer offer_stamp(uint32_t actor, int64_t epoch, std::span<const uint8_t> actor_state);

  // --- learner
  bool can_sample(const std::string& table, int64_t n) const;
  // InvalidArgument: unknown table, or a sample that can never be allowed. Unavailable: not now,
  // with the reason. A repeated ticket gets the same answer.
  Result<ring::SampleBatch> sample(const SampleTicket& ticket, const std::string& table, int64_t n);
  Result<uint64_t> set_priorities(const std::string& table,
                                  std::span<const PriorityUpdate> updates);
  Result<ReplayCheckpoint> checkpoint(int64_t epoch);
  Status commit(int64_t epoch);
  // `sha256` of the epoch's replay.bin as the manifest has it; "" is not checked. A refused
  // rollback leaves everything as it was.
  Result<ReplayRollback> rollback(int64_t epoch, RollbackMode mode, const std::string& sha256 = "");

  ReplayReport report() const;
  const ReplayState& state() const { return *state_; }
  const Ledger& ledger() const { return state_->ever_accepted(); }  // for audits
  const std::string& run() const { return run_; }

 private:
  ReplayConfig config() const;
  Result<ReplayHello> place_of(uint32_t actor) const;
  std::unique_ptr<ReplayState> recover();
  void read_journal(uint64_t number, ReplayState& into);
  Status commit_command(uint32_t kind, const Bytes& payload);
  Status fold();  // journal -> state file
  void drop_old_files(uint64_t before);
  std::string item_fault(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items) const;
  std::optional<Offer> hold_back(const ring::Chunk& chunk,
                                 const std::vector<ring::ItemSpec>& items) const;
  Offer refuse(const Status& status);
  Offer quarantine(const ring::Chunk& chunk, const std::string& fault);
  void keep_for_inspection(const ring::Chunk& chunk, const std::string& fault);
  ring::SampleBatch batch_of(const SampleAnswer& answer);
  Status check_table(const std::string& table) const;
  Result<std::unique_ptr<ReplayState>> state_at(int64_t epoch, RollbackMode mode,
                                                const std::string& sha256, ReplayRollback& report);
  void log_predictions(const ReplayState& state, std::vector<std::string>* into) const;

  ReplayOptions options_;
  ReplayFolders folders_;
  std::string run_;
  std::vector<ring::TableSpec> tables_;
  Durability durability_;
  std::optional<FolderLock> lock_;  // of the segments; none: durability = memory
  SegmentLog log_;
  std::unique_ptr<ReplayState> state_;
  std::unique_ptr<Journal> journal_;  // null: durability = memory
  size_t fold_at_ = 0;                // journal size at which it is folded
  uint64_t duplicates_ = 0;
  std::string refusing_;
};

}  // namespace oneagent
