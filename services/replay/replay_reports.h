// What a replay tells its clients: plain values, the same on both sides of the wire.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/bytes.h"
#include "core/data/trajectory.h"

namespace oneagent {

// The answer to an actor that comes (back).
struct ReplayHello {
  uint64_t next_sequence =
      0;              // of the first chunk that the replay has not accepted from this actor
  uint64_t era = 0;   // grows with every exact rollback; a chunk of an older era is refused
  int64_t epoch = 0;  // the epoch that `state` belongs to; 0 = none
  Bytes state;        // the actor's stamp at that epoch; empty: nothing to restore
  bool restored() const { return !state.empty(); }
};

// Names a file of an epoch folder by its content.
struct StampReport {
  uint32_t actor = 0;
  uint64_t sequence_after = 0;  // first sequence that the actor sends after the stamp
  std::string file;             // "actor-0.bin"
  std::string sha256;
};

inline constexpr const char* kEpochFileName = "replay.bin";  // in the epoch's folder

struct ReplayCheckpoint {
  int64_t epoch = 0;
  std::string file;    // kEpochFileName
  std::string sha256;  // changes while chunks of the gap (after the replay's stamp, before the
                       // actor's) arrive: take the last answer
  std::vector<StampReport> stamps;
  std::vector<uint32_t>
      missing;  // actors that have sent chunks but have not stamped this epoch yet
};

// kExact: tables, limiter counts, ledger and actors return to the epoch (synchronous runs;
// bit-equal). kKeepNewer: as kExact, then every chunk accepted since is inserted again; actors just
// go on (asynchronous runs: no acknowledged chunk is lost).
enum class RollbackMode : uint8_t { kExact, kKeepNewer };

struct ReplayRollback {
  int64_t epoch = 0;
  uint64_t era = 0;
  uint64_t chunks = 0;      // live afterwards
  uint64_t reinserted = 0;  // chunks accepted after the epoch and kept
  uint64_t consumed_uncommitted =
      0;  // items whose chunk was sampled since the epoch and not kept, for the byte bound
  std::vector<std::string> predictions;  // per table: when the first sample will be allowed
};

struct TableReport {
  std::string name;
  int64_t size = 0, max_size = 0, waiting_inserts = 0;
  uint64_t inserts = 0, samples = 0, deletes = 0;
  uint64_t late_priorities = 0;  // updates for items that were gone
  std::string insert_wait;       // why an insert would wait now; "" = it would not
  std::string sample_wait;       // why a sample of one item would wait now
};

struct ReplayReport {
  std::vector<TableReport> tables;
  uint64_t accepted = 0, duplicates = 0, quarantined = 0, consumed_uncommitted = 0;
  uint64_t chunks = 0, chunk_bytes = 0, staged_bytes = 0, segment_bytes = 0, journal_bytes = 0;
  int64_t committed_epoch = 0;
  uint64_t era = 0;
  std::string refusing;  // why chunks are refused now (full disk, capacity); "" = they are not
};

// A new priority for a sampled item. One whose generation has passed is counted, never applied.
struct PriorityUpdate {
  uint64_t key = 0;
  uint64_t generation = 0;
  double priority = 0;
};

}  // namespace oneagent
