// replay.bin of an epoch folder: the tables at the epoch, the chunks that arrived between the
// replay's stamp and the actors' stamps, and those stamps. Chunk bytes stay in the segment files.
#pragma once

#include <map>

#include "services/replay/replay_state.h"

namespace oneagent {

struct EpochFile {
  int64_t epoch = 0;
  Bytes tables;                     // ReplayState::save_tables
  std::vector<AcceptedChunk> late;  // in the order of their acceptance
  std::map<uint32_t, StampReport> stamps;

  Bytes save() const;
  static EpochFile load(std::span<const uint8_t> bytes, std::string_view what);
};

fs::path replay_epoch_folder(const fs::path& checkpoints, int64_t epoch);  // checkpoints/epoch-<n>
std::string stamp_file(uint32_t actor);                                    // actor-<i>.bin

}  // namespace oneagent
