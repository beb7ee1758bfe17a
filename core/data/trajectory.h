// What an actor sends: a chunk of T steps of N lanes (environments), columnar, and the items that
// point into it.
//
// Arrays of a chunk, T x N rows unless said otherwise:
//   observation [T,N,...] f32      action [T,N] i32 or [T,N,dims] f32     reward [T,N] f32
//   terminated, truncated, first [T,N] u8                                log_prob, value [T,N] f32
//   version [T] i64: the weights version that acted at this step           action_mask
//   [T,N,choices] u8 (when the env has one) final_row [K] i32 (t * N + n) and final_observation
//   [K,...]: the observation after the last step of each episode that ended in the chunk
//   last_observation [N,...], last_action_mask: the observation after the chunk's last step
//   state.<name> [N,...]: recurrent state at the chunk's start; extra.<name>: what an algorithm's
//   act() returned beside the action
// A step whose episode terminated has no next observation; a truncated one has it in
// final_observation. They are never confused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/array_set.h"

namespace oneagent::ring {

// Names the sender of a chunk. A restarted actor keeps its index and goes on with the sequence that
// the replay tells it.
struct ChunkKey {
  uint32_t actor = 0;
  uint64_t sequence = 0;
  friend bool operator==(const ChunkKey&, const ChunkKey&) = default;
  friend auto operator<=>(const ChunkKey&, const ChunkKey&) = default;
};

struct Chunk {
  ChunkKey key;
  int64_t steps = 0;            // T
  int64_t lanes = 0;            // N
  int64_t first_step = 0;       // time index of the first row; continuous per actor
  int64_t weights_version = 0;  // oldest version that acted in the chunk
  ArraySet arrays;
};

// A reference to steps [begin, begin + length) of one lane (or of all lanes, lane -1) of a chunk;
// an item of a table.
struct ItemSpec {
  std::string table;
  int64_t begin = 0;
  int64_t length = 0;
  int64_t lane = -1;
  double priority = 1.0;
};

// Checks a chunk at ingest: shapes agree with T and N, no NaN or infinity, every chosen action
// legal under its mask, a final observation for every truncated row, not terminated and truncated
// at once. Returns "" or one sentence that names the array, step and lane.
std::string ingest_fault(const Chunk& chunk);

}  // namespace oneagent::ring
