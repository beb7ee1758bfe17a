// A checkpoint is a folder runs/<run>/checkpoints/epoch-<n> whose manifest.json, written last,
// names every file with its hash. What has no valid manifest is not a checkpoint.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"

namespace oneagent {

struct Manifest {
  int64_t epoch = 0;
  int64_t version = 0;  // of the weights
  int64_t env_steps = 0;
  int64_t updates = 0;  // iterations of learn()
  std::string config_hash;
  std::string code_version;
  std::map<std::string, std::string> files;  // name -> SHA-256
};

fs::path epoch_folder(const fs::path& run_folder, int64_t epoch);

void write_manifest(const fs::path& run_folder, const Manifest& manifest);
// Error when the manifest is missing, of another schema version or experiment, or a file is missing
// or differs: each with the reason.
Manifest read_manifest(const fs::path& run_folder, int64_t epoch, const std::string& config_hash);
// The newest epoch with a manifest, or nothing.
std::optional<int64_t> newest_epoch(const fs::path& run_folder);
// Removes complete epochs but the newest `keep`, and incomplete ones older than those.
void prune_epochs(const fs::path& run_folder, int keep);

}  // namespace oneagent
