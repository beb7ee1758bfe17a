#include "services/learner/rank_team.h"

#include "core/base/log.h"

namespace oneagent {
namespace {

// The first rank may wait for data for long. The others notice its end without a deadline.
constexpr int64_t kCommandDeadlineMs = 365LL * 24 * 3600 * 1000;

}  // namespace

RankTeam::RankTeam(const MeshOptions& options, Trainer& trainer, RankProgram program, Inject inject)
    : mesh_(mesh_of(options)),
      program_(std::move(program)),
      commands_(options.size(), {.deadline_ms = kCommandDeadlineMs, .name = "learner/"}),
      group_(options.size(), {.deadline_ms = static_cast<int64_t>(1000 * options.step_timeout_s),
                              .name = "learner/",
                              .inject = std::move(inject)}) {
  for (int rank = 1; rank < options.size(); ++rank)
    threads_.emplace_back([=, this] { follow(rank); });
  try {
    lead_.emplace(commands_.communicator(0), group_.communicator(0), mesh_, trainer, program_.seed);
  } catch (const std::exception& error) {
    abort(error.what());
    for (std::thread& thread : threads_) thread.join();
    throw;
  }
}

RankTeam::~RankTeam() {
  lead_.reset();
  commands_.leave(0);
  group_.leave(0);
  for (std::thread& thread : threads_) thread.join();
}

std::string RankTeam::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

void RankTeam::abort(const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    if (lost_.empty()) lost_ = reason;
  }
  commands_.abort(reason);
  group_.abort(reason);
}

void RankTeam::follow(int rank) {
  set_log_name(str("learner/", rank));
  try {
    follow_rank(commands_.communicator(rank), group_.communicator(rank), mesh_, program_);
  } catch (const TrainingFault&) {  // the first rank has it as well, and says so
  } catch (const std::exception& error) {
    const std::string what = error.what();  // a group that is over names a rank already
    abort(what.starts_with("rank ") ? what : str("rank ", rank, " failed: ", what));
  }
  commands_.leave(rank);
  group_.leave(rank);
}

}  // namespace oneagent
