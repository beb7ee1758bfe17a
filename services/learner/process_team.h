// The ranks of one learner as processes that talk over gloo: started by the learner on its machine
// (kind = "processes"), or services that wait for its call (kind = "services"). The learner's own
// process is the first rank.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/store/store.h"
#include "core/strand/wait_board.h"
#include "services/learner/rank_groups.h"
#include "services/learner/rank_lead.h"
#include "services/learner/rank_meeting.h"

namespace oneagent {

// The learner was drained before all ranks had come.
class RanksCancelled final : public Error {
 public:
  using Error::Error;
};
// A rank that was started is another program, or has another experiment: starting it again would
// not help.
class RankRefused final : public Error {
 public:
  using Error::Error;
};

struct ProcessTeamOptions {
  MeshOptions mesh;
  std::string run, store;  // name and address
  std::string config_hash;
  fs::path run_folder;  // whose experiment the processes are started with
  std::string program;  // the `oneagent` to start; empty: this process' own
  uint64_t seed = 0;
  WaitBoard* board = nullptr;
  std::function<bool()> cancelled = [] { return false; };
  std::function<void(const std::string&)> problem = [](const std::string&) {};  // "": it is over
};

// Where the other ranks reach a process with these options.
std::string host_of_rank(const MeshOptions& mesh);
void require_own_host(const MeshOptions& mesh);  // RankRefused: it is none of this machine

class ProcessTeam final : public LearnerRanks {
 public:
  // Calls the ranks, waits for them as long as it takes, and places the trainer on the mesh. Error:
  // one of them was lost meanwhile; RankRefused, RanksCancelled: as above.
  ProcessTeam(ProcessTeamOptions options, Trainer& trainer);
  ~ProcessTeam() override;  // ends the processes that it started
  ProcessTeam(const ProcessTeam&) = delete;
  ProcessTeam& operator=(const ProcessTeam&) = delete;
  void stop(bool final) override { lead_->stop(final); }
  void abort(const std::string& reason) override;
  std::string lost() const override { return groups_->lost(); }

  int64_t incarnation() const { return call_.incarnation; }
  std::map<int, pid_t> processes() const { return processes_; }  // those that it started, by rank

 private:
  void start(int rank);
  void meet();
  bool has_come(int rank);  // and was taken
  void require_alive();
  void end_processes(bool politely);

  const ProcessTeamOptions options_;
  std::unique_ptr<Store> store_;
  RankMeeting meeting_;
  TeamCall call_;
  std::map<int, pid_t> processes_;
  std::optional<RankGroups> groups_;
  std::optional<RankLead> lead_;
  bool aborted_ = false;
};

}  // namespace oneagent
