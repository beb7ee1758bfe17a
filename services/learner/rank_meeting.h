// Where the ranks of a learner that are processes find each other: keys of the metadata store below
// runs/<run>/ranks/. The first rank calls a team under a number that was never used before; each
// other rank answers the newest call with what it is; the first one takes it or says why not.
//
//   call                      the newest TeamCall
//   <incarnation>/rank-2      what rank 2 is (RankIdentity)
//   <incarnation>/answer-2    what the first rank says to it: "" or the reason of a refusal
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/store/store.h"

namespace oneagent {

// What has to be the same on every rank.
struct RankIdentity {
  std::string code_version;  // of the program
  int schema = 0;
  std::string config_hash;  // of the experiment
  static RankIdentity of(const std::string& config_hash);
};

// "" when the rank may take part, else one sentence that says what differs.
std::string difference(const RankIdentity& first, int rank, const RankIdentity& other);

struct TeamCall {
  int64_t incarnation = 0;
  int data = 1, tensor = 1;
  double lost_after_s = 3, step_timeout_s = 600;
  int pipeline = 1, micro_batches = 0, stages_per_rank = 2;
  std::string schedule = "1f1b";
  int ranks() const { return data * tensor * pipeline; }
};

// Strand: the store's. Calls that wait end at once when `cancelled` becomes true; a store that
// cannot be reached is asked again.
class RankMeeting final {
 public:
  using Cancelled = std::function<bool()>;
  RankMeeting(Store& store, std::string run, Cancelled cancelled);

  // ---- the first rank
  // Gives the call its incarnation and forgets what is left of older ones. Error: no store.
  void call(TeamCall& call);
  // The identity of a rank that has answered; nothing yet.
  std::optional<RankIdentity> answered(int64_t incarnation, int rank);
  void take(int64_t incarnation, int rank);
  void refuse(int64_t incarnation, int rank, const std::string& reason);  // it may answer again

  // ---- the others
  // The newest call with an incarnation above `after`; nothing when cancelled.
  std::optional<TeamCall> wait_for_call(int64_t after);
  // Answers a call. True: taken; false: cancelled, or there is a newer call. Error: refused, with
  // the reason.
  bool answer(const TeamCall& call, int rank, const RankIdentity& identity);

 private:
  std::string key(const std::string& name) const;
  std::string key(int64_t incarnation, const std::string& name) const;
  void put(const std::string& key, const std::string& value);
  std::optional<std::string> find(const std::string& key);
  std::optional<TeamCall> newest();

  Store& store_;
  const std::string run_;
  const Cancelled cancelled_;
};

}  // namespace oneagent
