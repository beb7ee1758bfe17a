#include "services/learner/rank_groups.h"

#include <pthread.h>

#include <algorithm>

#include "core/base/text.h"

namespace oneagent {
namespace {

constexpr int64_t kConnectMs = 15'000;
constexpr int64_t kYearMs = 365LL * 24 * 3600 * 1000;

}  // namespace

std::string loss_in_words(const std::string& error, int64_t lost_after_ms) {
  if (error.find("has left the group") != std::string::npos) return "";
  const size_t late = error.find(" for more than ");
  if (late == std::string::npos) return error;  // "rank 1 was lost: ...", or the reason of an abort
  const size_t rank = error.rfind("for rank ", late);
  if (rank == std::string::npos || rank > late) return error;
  return str(error.substr(rank + 4, late - rank - 4), " was lost: no sign of life for ",
             static_cast<double>(lost_after_ms) / 1000, " s");
}

RankGroups::RankGroups(int rank, const TeamCall& call, comm::Rendezvous& rendezvous,
                       const std::string& run, const std::string& host, Leave leave)
    : leave_(std::move(leave)),
      lost_after_ms_(static_cast<int64_t>(1000 * call.lost_after_s)),
      interval_ms_(std::clamp<int64_t>(lost_after_ms_ / 6, 10, 500)) {
  const auto connect = [&](const char* group, int64_t deadline_ms) {
    comm::GlooOptions options{
        .run_id = run, .incarnation = call.incarnation, .group = group, .address = host};
    options.connect_ms = kConnectMs;
    options.options.deadline_ms = deadline_ms;
    options.options.name = "learner/";
    return comm::make_gloo_communicator(rank, call.ranks(), rendezvous, options);
  };
  health_ = connect("health", lost_after_ms_);
  commands_ = connect("commands", kYearMs);
  work_ = connect("work", static_cast<int64_t>(1000 * call.step_timeout_s));
  watcher_ = std::thread([this] { watch(); });
}

RankGroups::~RankGroups() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  watcher_.join();
}

std::string RankGroups::lost() const {
  std::lock_guard lock(mutex_);
  return lost_;
}

void RankGroups::note(const std::string& reason) {
  std::lock_guard lock(mutex_);
  if (lost_.empty()) lost_ = reason;
}

void RankGroups::abort(const std::string& reason) {
  note(reason);
  commands_->abort(reason);
  work_->abort(reason);
  health_->abort(reason);
}

bool RankGroups::pause() {
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, Deadline::after_ms(interval_ms_), [this] { return stopping_; });
  return !stopping_;
}

void RankGroups::watch() {
  ::pthread_setname_np(::pthread_self(), "signs of life");
  try {
    do {
      health_->barrier();
      if (const std::string reason = leave_ ? leave_() : ""; !reason.empty()) return abort(reason);
    } while (pause());
  } catch (const std::exception& error) {
    if (const std::string loss = loss_in_words(error.what(), lost_after_ms_); !loss.empty())
      abort(loss);
    else
      note(error.what());
  }
}

}  // namespace oneagent
