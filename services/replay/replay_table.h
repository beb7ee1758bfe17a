// One table: items that point into chunks, a sampler, a remover, a rate limiter, and the inserts
// that wait for the limiter. No sockets, no clock, no disk: the same calls give the same table, so
// that a journal of calls restores it.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/data/table_spec.h"
#include "core/data/trajectory.h"
#include "services/replay/chunk_store.h"
#include "services/replay/rate_limiter.h"
#include "services/replay/selectors/selector.h"

namespace oneagent {

// A reference to steps of a chunk, without the table's name.
struct TableItem {
  ChunkId chunk = 0;
  uint32_t actor = 0;
  int64_t begin = 0, length = 0, lane = -1;
  double priority = 1.0;
};

struct TableSample {
  uint32_t slot = 0;
  uint32_t generation = 0;
  double probability = 1.0;
  TableItem item;  // its chunk is used on the receiver's behalf: unuse() it when done
};

class ReplayTable final {
 public:
  // ordered_actors n > 0: waiting inserts are taken in actor order 0, 1, .., n-1, 0, .. (fifo
  // sampler only).
  ReplayTable(ring::TableSpec spec, ChunkStore& chunks, uint64_t seed, int64_t ordered_actors = 0);
  ~ReplayTable();
  ReplayTable(const ReplayTable&) = delete;
  ReplayTable& operator=(const ReplayTable&) = delete;

  void enqueue(const TableItem& item);  // uses the chunk
  // Inserts what the limiter (and the actor order) allows; the remover makes room at max_size.
  void pump();

  bool can_sample(int64_t n) const;
  // Needs can_sample(n).
  std::vector<TableSample> sample(int64_t n);
  // False when the item is gone (its generation has passed): counted, nothing is changed.
  bool set_priority(uint32_t slot, uint32_t generation, double priority);

  // Why it has to wait, in words with the limiter's arithmetic; "" when it need not.
  std::string insert_wait() const;  // of the oldest waiting insert
  std::string sample_wait(int64_t n) const;
  // "" or why a sample of n items can never be allowed.
  std::string sample_fault(int64_t n) const;
  std::string prediction() const { return limiter_.prediction(); }

  const ring::TableSpec& spec() const { return spec_; }
  const LimiterCounts& counts() const { return limiter_.counts(); }
  int64_t size() const { return limiter_.counts().size(); }
  size_t waiting() const { return waiting_count_; }
  size_t waiting_of(uint32_t actor) const;
  uint64_t late_priorities() const { return late_priorities_; }
  const std::map<uint32_t, std::deque<TableItem>>& queues() const { return queues_; }

  // Chunks are written as indices into the snapshot's list of chunks.
  using SaveChunk = std::function<uint32_t(ChunkId)>;
  using LoadChunk = std::function<ChunkId(uint32_t)>;  // 0 = the chunk is gone, its item is dropped
  void save(ByteWriter& out, const SaveChunk& chunk) const;
  // Into an empty table. Counts come from the snapshot; limiter, sizes and selectors are this
  // table's own: if they differ, items keep their order of insertion. Answers how many items were
  // dropped.
  uint64_t load(ByteReader& in, const LoadChunk& chunk);

 private:
  struct Slot {
    TableItem item;
    uint64_t number = 0;  // of its insert
    uint32_t generation = 0;
    int32_t times_sampled = 0;
    bool live = false;
  };

  bool next_waiting(uint32_t& actor) const;  // whose insert is next
  void insert(const TableItem& item);
  uint32_t take_slot();
  void remove(uint32_t slot);
  uint64_t drop(const std::vector<uint32_t>& slots);
  void fill(Selector& selector, const std::vector<uint32_t>& order) const;
  int64_t samples_left() const;  // INT64_MAX without max_times_sampled

  ring::TableSpec spec_;
  ChunkStore& chunks_;
  int64_t ordered_actors_;
  RateLimiter limiter_;
  std::unique_ptr<Selector> sampler_, remover_;
  Rng rng_;
  std::vector<Slot> slots_;
  std::vector<uint32_t> free_slots_;
  std::map<uint32_t, std::deque<TableItem>>
      queues_;  // waiting inserts: by actor when ordered, else all under 0
  size_t waiting_count_ = 0;
  std::map<uint32_t, size_t> waiting_by_actor_;
  uint32_t turn_ = 0;          // ordered: the actor whose item is next
  int64_t times_sampled_ = 0;  // of all live items together
  uint64_t late_priorities_ = 0;
};

}  // namespace oneagent
