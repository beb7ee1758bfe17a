#include "services/learner/checkpointer.h"

#include "core/base/hash.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/io/safetensors.h"

namespace oneagent {

Checkpointer::Checkpointer(ReplaySampler& replay, fs::path run_folder, std::string config_hash,
                           int keep, bool need_all, Patience patience)
    : replay_(replay),
      run_folder_(std::move(run_folder)),
      config_hash_(std::move(config_hash)),
      keep_(keep),
      need_all_(need_all),
      patience_(std::move(patience)) {}

Result<int64_t> Checkpointer::begin(Trainer& trainer, const Counters& counters) {
  if (pending_ && !complete())
    log_warning("checkpoint ", pending_->epoch, " is given up: waited for ", waits_for_);
  pending_.reset();
  const int64_t epoch = epoch_ + 1;
  const fs::path folder = epoch_folder(run_folder_, epoch);
  Manifest manifest{
      epoch, counters.version, counters.env_steps, counters.updates, config_hash_, code_version(),
      {}};
  try {
    make_folder(folder);
    const Bytes tensors = io::write_safetensors(trainer.save_tensors());
    Json host = trainer.save_host();
    host["elapsed_s"] = counters.elapsed_s;
    const std::string host_text = host.dump();
    write_atomic(folder / "learner.safetensors", tensors);
    write_atomic(folder / "learner.json", host_text);
    manifest.files["learner.safetensors"] = sha256(tensors);
    manifest.files["learner.json"] = sha256(host_text);
  } catch (const Error& error) {
    return absl::ResourceExhaustedError(error.what());
  }
  const Result<ReplayCheckpoint> stamped = replay_.checkpoint(epoch, patience_(5000));
  if (!stamped.ok()) return stamped.status();
  epoch_ = epoch;
  pending_ = std::move(manifest);
  waits_for_ = "the actors' stamps";
  return epoch;
}

bool Checkpointer::advance(bool leave_out) {
  if (!pending_) return true;
  const Result<ReplayCheckpoint> stamped = replay_.checkpoint(pending_->epoch, patience_(1000));
  if (!stamped.ok()) {
    waits_for_ = std::string(stamped.status().message());
    return false;
  }
  if (!stamped->missing.empty()) {
    waits_for_ = str("actor-", stamped->missing.front(), " to stamp epoch ", pending_->epoch);
    if (!leave_out) return false;
    for (const uint32_t actor : stamped->missing)
      log_warning("checkpoint ", pending_->epoch, " is without actor-", actor,
                  ", which has not stamped it; on resume it begins new episodes");
  }
  pending_->files[stamped->file] = stamped->sha256;
  for (const StampReport& stamp : stamped->stamps) pending_->files[stamp.file] = stamp.sha256;
  try {
    write_manifest(run_folder_, *pending_);
  } catch (const Error& error) {
    log_warning("checkpoint ", pending_->epoch, ": ", error.what(), "; trying again");
    waits_for_ = error.what();
    return false;
  }
  if (const Status committed = replay_.commit(pending_->epoch, patience_(5000)); !committed.ok())
    log_warning("checkpoint ", pending_->epoch,
                " is complete, but the replay did not take the commit: ", committed.message());
  pending_.reset();
  waits_for_.clear();
  prune_epochs(run_folder_, keep_);
  return true;
}

std::optional<Checkpointer::Counters> Checkpointer::restore(Trainer& trainer) {
  const std::optional<int64_t> newest = newest_epoch(run_folder_);
  if (!newest) return std::nullopt;
  const Manifest manifest = read_manifest(run_folder_, *newest, config_hash_);
  const fs::path folder = epoch_folder(run_folder_, *newest);
  const Json host = Json::parse(read_text(folder / "learner.json"));
  trainer.load(io::load_safetensors(folder / "learner.safetensors").arrays, host);
  epoch_ = manifest.epoch;
  const auto replay_file = manifest.files.find(kEpochFileName);
  OA_REQUIRE(replay_file != manifest.files.end(), "checkpoint ", folder.string(),
             ": its manifest names no ", kEpochFileName);
  replay_sha256_ = replay_file->second;
  return Counters{manifest.version, manifest.env_steps, manifest.updates,
                  host.at("elapsed_s").get<double>()};
}

}  // namespace oneagent
