#include "core/runtime/pipeline_segments.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/check.h"
#include "core/plan/pipeline_check.h"

namespace oneagent {
namespace {

using Slots = std::vector<SlotId>;  // by stage; index -1: none

class Builder {
 public:
  Builder(const std::string& name, const PipelineSchedule& schedule, const PipelineFunction& action,
          const PipelineRings& rings)
      : schedule_(schedule), action_(action), rings_(rings), graph_(name) {}

  SegmentGraph build() {
    const auto stages = static_cast<size_t>(schedule_.stages());
    results_.resize(stages);
    gradients_.resize(stages);
    kept_.resize(stages);
    kept_grads_.resize(stages);
    for (size_t stage = 0; stage < stages; ++stage) {
      kept_[stage] = graph_.slot(str("kept of ", stage), rings_.kept[stage]);
      if (rings_.kept_grad[stage] > 0)
        kept_grads_[stage] = graph_.slot(str("kept gradient of ", stage), rings_.kept_grad[stage]);
      if (stage + 1 == stages) continue;
      results_[stage] = graph_.slot(str("result of ", stage), rings_.transfer);
      gradients_[stage + 1] = graph_.slot(str("gradient into ", stage), rings_.transfer);
    }
    for (int rank = 0; rank < schedule_.shape.ranks; ++rank) add_rank(rank);
    return std::move(graph_);
  }

 private:
  void add_rank(int rank) {
    const StrandId strand = graph_.strand(str("rank", rank));
    std::map<std::pair<ActionKind, int>, SegmentId> segments;
    std::vector<SegmentId> order;
    for (const PipelineAction& action : schedule_.actions[rank]) {
      if (is_send(action.kind) || is_receive(action.kind)) continue;
      const auto key = std::make_pair(action.kind, action.stage);
      if (!segments.contains(key)) segments.emplace(key, add_segment(rank, strand, action));
      order.push_back(segments.at(key));
    }
    graph_.order(strand, order);
  }

  SegmentId add_segment(int rank, StrandId strand, const PipelineAction& first) {
    const ActionKind kind = first.kind;
    const int stage = first.stage, m = schedule_.shape.micro_batches;
    const bool compute = is_compute(kind);
    const std::string name = stage < 0 ? str(name_of(kind), " (rank ", rank, ")")
                                       : str(name_of(kind), " (stage ", stage, ")");
    SlotId input, output, kept_in, kept_out, grad_in, grad_out;
    if (kind == ActionKind::kForward) {
      if (stage > 0) input = results_[stage - 1];
      output = results_[stage];
      kept_out = kept_[stage];
    } else if (kind == ActionKind::kBackward || kind == ActionKind::kInputGrad) {
      if (stage + 1 < schedule_.stages()) input = gradients_[stage + 1];
      output = gradients_[stage];
      kept_in = kept_[stage];
      if (kind == ActionKind::kInputGrad) grad_out = kept_grads_[stage];
    } else if (kind == ActionKind::kWeightGrad) {
      grad_in = kept_grads_[stage];
    }
    std::vector<SlotUse> consumes, produces;
    for (const SlotId slot : {input, kept_in, grad_in})
      if (slot.index >= 0) consumes.push_back({slot});
    for (const SlotId slot : {output, kept_out, grad_out})
      if (slot.index >= 0) produces.push_back({slot});
    const auto run = [action = action_, first, compute, m, input, output, kept_in, kept_out,
                      grad_in, grad_out](const Firing& firing) {
      const auto taken = [&](SlotId slot) { return slot.index < 0 ? -1 : firing.consumed(slot); };
      const auto given = [&](SlotId slot) { return slot.index < 0 ? -1 : firing.produced(slot); };
      PipelineAction what = first;
      if (compute) what.micro_batch = static_cast<int>(firing.index % m);
      action(what, {taken(input), given(output), std::max(taken(kept_in), given(kept_out)),
                    std::max(taken(grad_in), given(grad_out))});
    };
    return graph_.segment(name, strand, run, std::move(consumes), std::move(produces),
                          compute ? m : 1);
  }

  const PipelineSchedule& schedule_;
  const PipelineFunction& action_;
  const PipelineRings& rings_;
  SegmentGraph graph_;
  Slots results_, gradients_;  // of a stage: its result, the gradient of its input
  Slots kept_, kept_grads_;
};

// The most micro-batches of a stage between F and I or B, and between I and W.
PipelineRings rings_of(const PipelineSchedule& schedule, const PipelineTimes& times) {
  const auto stages = static_cast<size_t>(schedule.stages());
  PipelineRings rings{full_speed_credits(schedule, times), std::vector<int>(stages),
                      std::vector<int>(stages)};
  std::vector<int> kept(stages), grads(stages);
  for (const auto& actions : schedule.actions) {
    for (const PipelineAction& action : actions) {
      if (!is_compute(action.kind)) continue;
      const auto stage = static_cast<size_t>(action.stage);
      if (action.kind == ActionKind::kForward) ++kept[stage];
      rings.kept[stage] = std::max(rings.kept[stage], kept[stage]);
      if (action.kind == ActionKind::kBackward) --kept[stage];
      if (action.kind == ActionKind::kWeightGrad) --grads[stage];
      if (action.kind != ActionKind::kInputGrad) continue;
      --kept[stage];
      rings.kept_grad[stage] = std::max(rings.kept_grad[stage], ++grads[stage]);
    }
  }
  return rings;
}

}  // namespace

PipelineGraph pipeline_graph(const std::string& name, const PipelineSchedule& schedule,
                             const PipelineFunction& action, const PipelineTimes& times) {
  check(schedule);
  PipelineRings rings = rings_of(schedule, times);
  SegmentGraph graph = Builder(name, schedule, action, rings).build();
  graph.compile();
  return {std::move(graph), std::move(rings)};
}

}  // namespace oneagent
