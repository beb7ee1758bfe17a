// The journal's records: one struct per command, as bytes.
#pragma once

#include "services/replay/replay_state.h"

namespace oneagent {

enum class CommandKind : uint32_t { kAccept = 1, kQuarantine, kSample, kSetPriorities, kStamp, kCheckpoint, kCommit };

struct SampleCommand {
  SampleTicket ticket;
  std::string table;
  int64_t count = 0;
};

struct PrioritiesCommand {
  std::string table;
  std::vector<PriorityUpdate> updates;
};

struct StampCommand {
  ring::ChunkKey key;
  int64_t epoch = 0;
  StampReport stamp;
};

Bytes encode(const AcceptedChunk& command);
Bytes encode(const ring::ChunkKey& command);
Bytes encode(const SampleCommand& command);
Bytes encode(const PrioritiesCommand& command);
Bytes encode(const StampCommand& command);
Bytes encode_epoch(int64_t epoch);

// Runs one record on a state. Error when the record is not well formed.
void run_command(ReplayState& state, CommandKind kind, std::span<const uint8_t> payload);

}  // namespace oneagent
