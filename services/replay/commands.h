// The journal's records: one struct per command, as bytes.
#pragma once

#include "services/replay/replay_state.h"

namespace oneagent {

enum class CommandKind : uint32_t {
  kAccept = 1,
  kQuarantine,
  kSample,
  kSetPriorities,
  kStamp,
  kCheckpoint,
  kCommit,
  kHello
};

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
  int64_t epoch = 0;
  StampReport stamp;
};

struct HelloCommand {
  uint32_t actor = 0;
  uint64_t incarnation = 0;
};

Bytes encode(const AcceptedChunk& command);
Bytes encode(const ring::ChunkKey& command);
Bytes encode(const SampleCommand& command);
Bytes encode(const PrioritiesCommand& command);
Bytes encode(const StampCommand& command);
Bytes encode(const HelloCommand& command);
Bytes encode_epoch(int64_t epoch);

// Runs one record on a state. Error when the record is not well formed.
void run_command(ReplayState& state, CommandKind kind, std::span<const uint8_t> payload);

}  // namespace oneagent
