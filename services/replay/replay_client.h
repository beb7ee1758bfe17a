// What actors and learners see of a replay. The same code over inproc://, ipc:// and tcp://; the
// replay may restart on its address at any moment. One strand per object. Waits are on the board,
// end at their deadline, and their error says in words who waits for whom.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/data/batch.h"
#include "core/data/trajectory.h"
#include "services/replay/replay_reports.h"

namespace oneagent {

namespace net {
class Context;
}
class WaitBoard;

struct ReplayClientOptions {
  std::string address;  // [replay] address
  std::string
      name;  // of the client, unique in the run: "actor-0", "learner"; the waiter on the board
  std::string run = {};  // a replay of another run refuses; empty: is not asked
};

// A chunk that the replay has taken over, for the actor's audit log.
struct Acknowledged {
  uint64_t sequence = 0;
  bool quarantined = false;
  std::string reason;  // of the quarantine
};

// Actor side: an ordered, acknowledged, deduplicated stream of chunks.
class ReplayWriter final {
 public:
  ReplayWriter(net::Context& context, WaitBoard& board, uint32_t actor,
               ReplayClientOptions options);
  ~ReplayWriter();
  ReplayWriter(const ReplayWriter&) = delete;
  ReplayWriter& operator=(const ReplayWriter&) = delete;

  // Must come first, and again after append() said Aborted; any time else it does no harm: a stream
  // of the current era just goes on, without a state to restore. Unacknowledged chunks of an older
  // era are dropped.
  Result<ReplayHello> hello(Deadline deadline);

  // Sends a chunk and the items that point into it; sets its key to {actor, next_sequence()}.
  // Blocks while out of credit. DeadlineExceeded: nothing was sent, call again with the same chunk;
  // the text names what holds it back. Aborted: the run was rolled back; call hello() and continue
  // from the state it returns.
  Status append(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items,
                Deadline deadline);

  // The actor's state at `epoch`, after all chunks appended so far. Kept by the replay in the
  // epoch's folder.
  Status stamp(int64_t epoch, std::span<const uint8_t> state, Deadline deadline);

  // Until every chunk and stamp is acknowledged.
  Status flush(Deadline deadline);

  // Chunks acknowledged since the last call, in order. Never blocks.
  std::vector<Acknowledged> take_acknowledged();

  uint64_t next_sequence() const;  // of the next chunk; the first ever is 0

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// Learner side.
class ReplaySampler final {
 public:
  ReplaySampler(net::Context& context, WaitBoard& board, ReplayClientOptions options);
  ~ReplaySampler();
  ReplaySampler(const ReplaySampler&) = delete;
  ReplaySampler& operator=(const ReplaySampler&) = delete;

  // Exactly n items, or DeadlineExceeded with the limiter's arithmetic in words. A lost answer is
  // asked for again, not sampled again.
  Result<ring::SampleBatch> sample(const std::string& table, int64_t n, Deadline deadline);
  // Answers how many were late.
  Result<uint64_t> set_priorities(const std::string& table, std::span<const PriorityUpdate> updates,
                                  Deadline deadline);

  // The first call of an epoch stamps the replay (call it before the weights that carry the epoch
  // are published); every call answers which actors have stamped so far. commit(): the manifest is
  // written, older epochs may be forgotten. rollback(): after a learner restart or a resume.
  Result<ReplayCheckpoint> checkpoint(int64_t epoch, Deadline deadline);
  Status commit(int64_t epoch, Deadline deadline);
  // `sha256` of the epoch's replay.bin as the manifest has it: another file is refused; "" is not
  // checked. Epoch 0 is the empty beginning.
  Result<ReplayRollback> rollback(int64_t epoch, RollbackMode mode, Deadline deadline,
                                  const std::string& sha256 = "");
  Result<ReplayReport> report(Deadline deadline);

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

}  // namespace oneagent
