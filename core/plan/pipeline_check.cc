#include "core/plan/pipeline_check.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/check.h"
#include "core/plan/pipeline_simulate.h"

namespace oneagent {
namespace {

using Key = std::pair<int, int>;  // stage, micro-batch

// The list of one rank, read in order.
class RankCheck {
 public:
  RankCheck(const PipelineSchedule& schedule, int rank) : schedule_(schedule), rank_(rank) {}

  void run() {
    for (const PipelineAction& action : schedule_.actions[rank_]) {
      need(!done_[ActionKind::kStep].contains({-1, -1}), action, "comes after STEP");
      take(action);
      need(done_[action.kind].insert({action.stage, action.micro_batch}).second, action,
           "comes twice");
    }
    complete();
  }

 private:
  void need(bool condition, const PipelineAction& action, std::string_view sentence) const {
    OA_REQUIRE(condition, "pipeline ", name_of(schedule_.kind), ": rank ", rank_, ": ",
               to_text(action), " ", sentence);
  }
  bool has(ActionKind kind, int stage, int micro_batch) const {
    const auto found = done_.find(kind);
    return found != done_.end() && found->second.contains({stage, micro_batch});
  }
  bool own(int stage) const {
    return stage >= 0 && stage < schedule_.stages() && schedule_.rank_of(stage) == rank_;
  }
  bool input_grad_of(int stage, int micro_batch) const {
    return has(ActionKind::kBackward, stage, micro_batch) ||
           has(ActionKind::kInputGrad, stage, micro_batch);
  }
  bool weight_grad_of(int stage, int micro_batch) const {
    return has(ActionKind::kBackward, stage, micro_batch) ||
           has(ActionKind::kWeightGrad, stage, micro_batch);
  }

  void take(const PipelineAction& action) {
    const auto [kind, stage, j] = action;
    if (kind == ActionKind::kStep) return take_step(action);
    need(own(stage), action, "is not a stage of this rank");
    if (kind == ActionKind::kReduce) {
      for (int i = 0; i < schedule_.shape.micro_batches; ++i)
        need(weight_grad_of(stage, i), action, str("comes before the weights' gradient of ", i));
      return;
    }
    need(j >= 0 && j < schedule_.shape.micro_batches, action, "has no such micro-batch");
    switch (kind) {
      case ActionKind::kForward:
        if (stage > 0)
          need(own(stage - 1) ? has(ActionKind::kForward, stage - 1, j)
                              : has(ActionKind::kRecvForward, stage, j),
               action, "comes before its input");
        break;
      case ActionKind::kBackward:
      case ActionKind::kInputGrad:
        need(has(ActionKind::kForward, stage, j), action, "comes before its F");
        need(!input_grad_of(stage, j), action, "computes a gradient twice");
        if (stage + 1 < schedule_.stages())
          need(own(stage + 1) ? input_grad_of(stage + 1, j)
                              : has(ActionKind::kRecvBackward, stage, j),
               action, "comes before the gradient of its result");
        if (kind == ActionKind::kBackward) in_order(action);
        break;
      case ActionKind::kWeightGrad:
        need(has(ActionKind::kInputGrad, stage, j), action, "comes before its I");
        in_order(action);
        break;
      case ActionKind::kSendForward:
        need(has(ActionKind::kForward, stage, j), action, "comes before its F");
        break;
      case ActionKind::kSendBackward:
        need(input_grad_of(stage, j), action, "comes before its gradient");
        break;
      default:
        break;
    }
  }

  void take_step(const PipelineAction& action) const {
    for (int stage = rank_; stage < schedule_.stages(); stage += schedule_.shape.ranks)
      need(has(ActionKind::kReduce, stage, -1), action, str("comes before REDUCE of ", stage));
  }

  // Sums in another order are other numbers.
  void in_order(const PipelineAction& action) {
    const int expected = next_gradient_[action.stage]++;
    need(action.micro_batch == expected, action,
         str("adds to the weights' gradient before micro-batch ", expected));
  }

  void complete() const {
    need(has(ActionKind::kStep, -1, -1), {ActionKind::kStep, -1, -1}, "is missing");
    for (int stage = rank_; stage < schedule_.stages(); stage += schedule_.shape.ranks) {
      for (int j = 0; j < schedule_.shape.micro_batches; ++j) {
        if (stage + 1 < schedule_.stages() && !own(stage + 1))
          need(has(ActionKind::kSendForward, stage, j), {ActionKind::kSendForward, stage, j},
               "is missing");
        if (stage > 0 && !own(stage - 1))
          need(has(ActionKind::kSendBackward, stage, j), {ActionKind::kSendBackward, stage, j},
               "is missing");
      }
    }
  }

  const PipelineSchedule& schedule_;
  const int rank_;
  std::map<ActionKind, std::set<Key>> done_;
  std::map<int, int> next_gradient_;  // by stage, the micro-batch whose gradient is added next
};

// Messages of a pair in the order of the sender's list and in that of the receiver's.
void check_pairs(const PipelineSchedule& schedule) {
  using Pair = std::pair<int, int>;
  std::map<Pair, std::vector<PipelineAction>> sent, received;
  for (int rank = 0; rank < schedule.shape.ranks; ++rank) {
    for (const PipelineAction& action : schedule.actions[rank]) {
      if (is_send(action.kind))
        sent[{rank, peer_of(schedule, action)}].push_back(matching_receive(action));
      if (is_receive(action.kind)) received[{peer_of(schedule, action), rank}].push_back(action);
    }
  }
  for (int from = 0; from < schedule.shape.ranks; ++from) {
    for (int to = 0; to < schedule.shape.ranks; ++to) {
      const auto& out = sent[{from, to}];
      const auto& in = received[{from, to}];
      for (size_t i = 0; i < std::max(out.size(), in.size()); ++i)
        OA_REQUIRE(i < out.size() && i < in.size() && out[i] == in[i], "pipeline ",
                   name_of(schedule.kind), ": message ", i, " from rank ", from, " to rank ", to,
                   " is received as ", i < in.size() ? to_text(in[i]) : "nothing",
                   ", but sent for ", i < out.size() ? to_text(out[i]) : "nothing");
    }
  }
}

}  // namespace

void check(const PipelineSchedule& schedule) {
  OA_REQUIRE(static_cast<int>(schedule.actions.size()) == schedule.shape.ranks, "pipeline ",
             name_of(schedule.kind), ": has lists for ", schedule.actions.size(), " ranks, not ",
             schedule.shape.ranks);
  for (int rank = 0; rank < schedule.shape.ranks; ++rank) RankCheck(schedule, rank).run();
  check_pairs(schedule);
  simulate(schedule);  // a deadlock is an error there
}

}  // namespace oneagent
