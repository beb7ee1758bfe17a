// The live chunks of a replay with their reference counts. A chunk is used (by an item in a table
// or waiting for one, or by a kept answer) or merely held (so that the run can return to its last
// epoch); without either its bytes are released. Bytes that are held only are bounded:
// forget_oldest().
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>

#include "core/data/trajectory.h"
#include "services/replay/segment_log.h"

namespace oneagent {

using ChunkId = uint64_t;  // never reused within a process; 0 = none

class ChunkStore final {
 public:
  // Without a log it only counts: for replaying a journal whose older chunks are gone.
  explicit ChunkStore(SegmentLog* log) : log_(log) {}
  ~ChunkStore();
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  // Takes over one live count of the log; the chunk goes unless it is used or held before settle().
  ChunkId add(const ring::ChunkKey& key, const ChunkLocation& location);
  void settle(ChunkId id);  // releases it when nothing refers to it

  bool contains(ChunkId id) const { return records_.contains(id); }
  void use(ChunkId id);
  void unuse(ChunkId id);
  void hold(ChunkId id);
  void unhold(ChunkId id);  // does nothing for a chunk that was forgotten

  // Counts the waiting inserts of a chunk, for staged_bytes().
  void stage(ChunkId id);
  void unstage(ChunkId id);

  const ring::ChunkKey& key(ChunkId id) const { return records_.at(id).key; }
  const ChunkLocation& location(ChunkId id) const { return records_.at(id).location; }
  const ring::Chunk& chunk(ChunkId id);  // a view, decoded at first use
  bool used(ChunkId id) const { return records_.at(id).uses > 0; }

  // Releases the chunk that has been held without use for longest. Nothing when there is none.
  std::optional<ring::ChunkKey> forget_oldest();

  size_t count() const { return records_.size(); }
  size_t bytes() const { return bytes_; }
  size_t idle_bytes() const { return idle_bytes_; }      // held, not used
  size_t staged_bytes() const { return staged_bytes_; }  // with waiting inserts

 private:
  struct Record {
    ring::ChunkKey key;
    ChunkLocation location;
    uint32_t uses = 0, holds = 0, staged = 0;
    bool idle = false;  // held, not used
    std::optional<ring::Chunk> view;
  };
  using Records = std::unordered_map<ChunkId, Record>;

  void check_idle(Records::iterator found);

  SegmentLog* log_;
  Records records_;
  std::deque<ChunkId> idle_;  // in the order in which their last use ended; some are gone since
  ChunkId next_id_ = 1;
  size_t bytes_ = 0;
  size_t idle_bytes_ = 0;
  size_t staged_bytes_ = 0;
};

}  // namespace oneagent
