// The connections of one rank that is a process to the others, over gloo: one group for commands,
// which may be waited for for hours, one that computes, and one for signs of life. A thread of its
// own takes part in a barrier of the last one twice a second, whatever the rank is computing. A
// process that is killed is noticed by its connections at once, one that is stopped when its sign
// stays away for TeamCall::lost_after_s; then every wait of every rank ends with an Error that
// names the lost one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/comm/gloo_communicator.h"
#include "core/strand/condition.h"
#include "services/learner/rank_meeting.h"

namespace oneagent {

class RankGroups final {
 public:
  // A reason to end the groups, asked for at every sign of life; "" to go on.
  using Leave = std::function<std::string()>;

  // Called by every rank of the call; returns when all are connected. Error: they do not come.
  RankGroups(int rank, const TeamCall& call, comm::Rendezvous& rendezvous, const std::string& run,
             const std::string& host, Leave leave = {});
  ~RankGroups();  // says goodbye
  RankGroups(const RankGroups&) = delete;
  RankGroups& operator=(const RankGroups&) = delete;

  comm::Communicator& commands() { return *commands_; }
  comm::Communicator& work() { return *work_; }
  // Every wait of every rank ends with this reason. Any thread.
  void abort(const std::string& reason);
  // The reason why the groups are over, or that a rank has left them; "" while they run. Any
  // thread.
  std::string lost() const;

 private:
  void watch();
  void note(const std::string& reason);
  bool pause();  // until the next sign; false: the end

  const Leave leave_;
  const int64_t lost_after_ms_, interval_ms_;
  std::unique_ptr<comm::Communicator> health_, commands_, work_;
  mutable std::mutex mutex_;
  Condition changed_;
  bool stopping_ = false;
  std::string lost_;
  std::thread watcher_;
};

// "rank 2 was lost: ..." from what the group for signs of life says; "" when a rank has just left.
std::string loss_in_words(const std::string& error, int64_t lost_after_ms);

}  // namespace oneagent
