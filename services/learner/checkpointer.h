// The learner's side of a checkpoint epoch: own files, then the replay's and the actors' stamps,
// then the manifest. Never blocks training: progress is made by poll().
#pragma once

#include <functional>
#include <optional>

#include "services/learner/manifest.h"
#include "services/learner/trainer.h"
#include "services/replay/replay_client.h"

namespace oneagent {

class Checkpointer final {
 public:
  struct Counters {
    int64_t version = 0, env_steps = 0, updates = 0;
    double elapsed_s = 0;
  };

  // How long a question of at most so many milliseconds may wait for the replay: less while
  // draining.
  using Patience = std::function<Deadline(int64_t)>;

  // `need_all`: an epoch without every actor's state is of no use, as in a run that must resume
  // exactly. Otherwise complete() may leave actors out, which then begin anew on resume.
  Checkpointer(ReplaySampler& replay, fs::path run_folder, std::string config_hash, int keep,
               bool need_all, Patience patience);

  // Writes the learner's files of a new epoch and has the replay stamp itself; call it before the
  // weights that carry the returned epoch are published. An epoch still pending is completed
  // without the actors that have not stamped it, or given up when all are needed.
  // ResourceExhausted (full disk) and Unavailable are returned; the last complete epoch stands.
  Result<int64_t> begin(Trainer& trainer, const Counters& counters);
  // Completes the pending epoch once all actors have stamped. True when nothing is pending.
  bool poll() { return advance(false); }
  // poll(), at the end of the time that actors have: those that have not stamped are left out.
  bool complete() { return advance(!need_all_); }
  const std::string& waits_for() const {
    return waits_for_;
  }  // "actor-1 to stamp epoch 4"; "" when nothing is pending

  // The newest complete epoch, loaded into the trainer; nothing when there is none.
  std::optional<Counters> restore(Trainer& trainer);
  int64_t epoch() const { return epoch_; }
  // Hash of the replay's file of the restored epoch; "" when nothing was restored.
  const std::string& replay_sha256() const { return replay_sha256_; }

 private:
  bool advance(bool leave_out);

  ReplaySampler& replay_;
  fs::path run_folder_;
  std::string config_hash_;
  int keep_;
  bool need_all_;
  Patience patience_;
  std::string replay_sha256_;
  int64_t epoch_ = 0;  // newest begun or restored
  std::optional<Manifest> pending_;
  std::string waits_for_;
};

}  // namespace oneagent
