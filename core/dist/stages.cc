#include "core/dist/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/text.h"
#include "core/dist/collective.h"
#include "core/dist/stage_cut.h"

namespace oneagent::distributed {
namespace {

size_t index(int32_t id) { return static_cast<size_t>(id); }

// What the cut looks at. An anchor is the number of a forward call; each call of backward() has
// that of the call whose gradient it computes.
class Analysis {
 public:
  Analysis(const Program& program, const StageOptions& options)
      : program_(program), options_(options), free_(free_calls(program)) {
    classify();
    name_stages();
    find_flows();
  }

  StagePlan plan() {
    StagePlan out;
    out.stages = options_.stages;
    out.named = named_;
    std::vector<int> of_anchor = stage_of_anchor_;
    if (!named_)
      of_anchor = cut();
    else
      check_named();
    const size_t n = program_.nodes.size();
    out.backward = backward_;
    out.free = free_;
    out.stage.resize(n);
    for (size_t i = 0; i < n; ++i) out.stage[i] = of_anchor[static_cast<size_t>(anchor_[i])];
    settle_free(out);
    for (size_t leaf = 0; leaf < options_.leaves.size(); ++leaf)
      out.leaf_stage.push_back(home_of(leaf, of_anchor));
    check_owners(out);
    measure(out, of_anchor);
    return out;
  }

 private:
  // A call is of backward() when it was recorded there, or reads what such a call has made, or
  // writes what one has read.
  void classify() {
    const size_t n = program_.nodes.size();
    backward_.resize(n);
    anchor_.resize(n);
    std::vector<int> made_at(program_.buffers.size(), -1);  // anchor of a call of backward()
    std::vector<bool> touched(program_.buffers.size());
    for (size_t i = 0; i < n; ++i) {
      const ProgramNode& node = program_.nodes[i];
      int anchor = node.forward >= 0 && node.forward < static_cast<int>(i)
                       ? anchor_[static_cast<size_t>(node.forward)]
                       : -1;
      bool backward = anchor >= 0;
      for (const ValueId value : node.in)
        if (value != kNoValue && made_at[index(program_.buffer(value))] >= 0) {
          backward = true;
          if (node.forward < 0) lower(anchor, made_at[index(program_.buffer(value))]);
        }
      for (const ValueId value : node.out)
        if (node.op->alias_of < 0 && touched[index(program_.buffer(value))]) backward = true;
      backward_[i] = backward;
      anchor_[i] = backward && anchor >= 0 ? anchor : static_cast<int>(i);
      if (!backward) continue;
      for (const auto* values : {&node.in, &node.out})
        for (const ValueId value : *values)
          if (value != kNoValue && !free_[i]) touched[index(program_.buffer(value))] = true;
      for (const ValueId value : node.out)
        if (node.op->alias_of < 0 && !free_[i]) made_at[index(program_.buffer(value))] = anchor_[i];
    }
  }

  // Of what comes behind backward(): where the gradients that it reads end.
  void lower(int& anchor, int other) const {
    if (anchor < 0 || other < anchor) anchor = other;
  }

  void name_stages() {
    const size_t n = program_.nodes.size();
    for (size_t i = 0; i < n; ++i)
      named_ = named_ || (!backward_[i] && program_.nodes[i].stage >= 0);
    stage_of_anchor_.assign(n, 0);
    int now = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!backward_[i] && program_.nodes[i].stage >= 0) now = program_.nodes[i].stage;
      stage_of_anchor_[i] = now;
    }
  }

  void find_flows() {
    flows_.resize(program_.buffers.size());
    for (size_t i = 0; i < program_.buffers.size(); ++i) {
      flows_[i].bytes = static_cast<double>(program_.buffers[i].bytes);
      flows_[i].bound = program_.buffers[i].kind == BufferKind::kBound;
    }
    for (const ValueId leaf : options_.leaves)
      if (leaf != kNoValue) flows_[index(program_.buffer(leaf))].leaf = true;
    for (size_t i = 0; i < program_.nodes.size(); ++i) {
      const ProgramNode& node = program_.nodes[i];
      if (free_[i] || node.op->alias_of >= 0) continue;
      const Touch touch{anchor_[i], backward_[i], static_cast<int>(i)};
      for (const ValueId value : node.in)
        if (value != kNoValue) flows_[index(program_.buffer(value))].uses.push_back(touch);
      for (const ValueId value : node.out)
        flows_[index(program_.buffer(value))].writers.push_back(touch);
    }
    for (const auto& [gradient, leaf] : options_.gradients) {
      DataFlow& flow = flows_[index(program_.buffer(gradient))];
      flow.gradient_of = program_.buffer(leaf);
    }
    for (DataFlow& flow : flows_)
      flow.ends = flow.gradient_of < 0 ? nullptr : &flows_[index(flow.gradient_of)];
  }

  std::vector<int> cut() {
    CutProblem problem;
    const size_t n = program_.nodes.size();
    problem.seconds.assign(n, 0);
    for (size_t i = 0; i < n; ++i)
      if (!free_[i]) problem.seconds[static_cast<size_t>(anchor_[i])] += options_.node_seconds[i];
    problem.may_cut.assign(n, false);
    bool first = true;
    for (size_t i = 0; i < n; ++i) {
      if (backward_[i] || free_[i] || program_.nodes[i].op->alias_of >= 0) continue;
      problem.may_cut[i] = !first;
      first = false;
    }
    problem.bytes.assign(n + 1, 0);
    std::vector<int> forbidden(n + 1);
    const auto forward = [](int anchor) { return anchor; };
    for (const DataFlow& flow : flows_) {
      const auto add = [&](auto& into, int above, int to, auto amount) {
        if (to <= above) return;
        into[static_cast<size_t>(above) + 1] += amount;
        if (static_cast<size_t>(to) + 1 < into.size()) into[static_cast<size_t>(to) + 1] -= amount;
      };
      const FlowRange range = range_of(flow, forward);
      if (range.glued)
        add(forbidden, range.low, range.high, 1);
      else if (range.made >= 0) {
        add(problem.bytes, range.made, range.high, flow.bytes);
        add(problem.bytes, range.low, range.made, flow.bytes);
      }
    }
    for (size_t c = 1; c <= n; ++c) {
      problem.bytes[c] += problem.bytes[c - 1];
      forbidden[c] += forbidden[c - 1];
      if (c < n && forbidden[c] > 0) problem.may_cut[c] = false;
    }
    problem.link = options_.link;
    problem.ranks_of_stage = options_.ranks_of_stage;
    problem.stages = options_.stages;
    problem.ranks = options_.ranks;
    for (size_t leaf = 0; leaf < options_.leaves.size(); ++leaf) {
      if (leaf >= options_.owners.size() || options_.owners[leaf] < 0) continue;
      const int home = home_of(leaf, {});
      if (home >= 0) problem.owned.emplace_back(home, options_.owners[leaf]);
    }
    const std::vector<size_t> cuts = best_cut(problem);
    std::vector<int> stage(n);
    for (size_t i = 0, at = 0; i < n; ++i) {
      while (at < cuts.size() && i >= cuts[at]) ++at;
      stage[i] = static_cast<int>(at);
    }
    return stage;
  }

  // The first stage, or without `of_anchor` the first anchor, that uses a leaf; -1: none.
  int home_of(size_t leaf, const std::vector<int>& of_anchor) const {
    int home = -1;
    if (options_.leaves[leaf] == kNoValue) return home;
    for (const Touch& use : flows_[index(program_.buffer(options_.leaves[leaf]))].uses) {
      const int at = of_anchor.empty() ? use.anchor : of_anchor[static_cast<size_t>(use.anchor)];
      if (home < 0 || at < home) home = at;
    }
    return home;
  }

  void check_named() const {
    std::vector<bool> there(static_cast<size_t>(options_.stages));
    for (size_t i = 0; i < stage_of_anchor_.size(); ++i) {
      const int stage = stage_of_anchor_[i];
      OA_REQUIRE(stage < options_.stages, "pipeline: ", program_.nodes[i].op->name, " is in stage ",
                 stage, ", but ", options_.ranks, " ranks with ", options_.stages / options_.ranks,
                 " stages each have stages 0 to ", options_.stages - 1,
                 "; name these, or change pipeline or stages_per_rank");
      if (!backward_[i] && !free_[i]) there[static_cast<size_t>(stage)] = true;
    }
    for (size_t stage = 0; stage < there.size(); ++stage)
      OA_REQUIRE(there[stage], "pipeline: no call is in stage ", stage, " of ", options_.stages,
                 "; name all stages with StageScope, or none, so that they are chosen");
    const auto stage = [&](int anchor) { return stage_of_anchor_[static_cast<size_t>(anchor)]; };
    for (const DataFlow& flow : flows_) {
      const FlowRange range = range_of(flow, stage);
      if (range.glued && range.low != range.high) refuse(flow, stage);
    }
  }

  template <class Place>
  [[noreturn]] void refuse(const DataFlow& flow, const Place& place) const {
    const auto name = [&](const Touch& touch) {
      return str(program_.nodes[static_cast<size_t>(touch.node)].op->name, " of stage ",
                 place(touch.anchor));
    };
    if (flow.writers.size() == 1 && !flow.bound)
      for (const Touch& use : flow.uses)
        if (runs_backwards(flow.writers[0], use, place))
          throw_error(str("pipeline: ", name(use), " reads what ", name(flow.writers[0]),
                          use.backward ? " computes in backward(), where stages run from the last "
                                         "to the first; compute it in stage "
                                       : " computes, but stages run in the order 0, 1, ...; "
                                         "compute it in stage ",
                          place(flow.writers[0].anchor),
                          use.backward ? " or an earlier one" : " or a later one"));
    throw_error(str("pipeline: ", name(flow.writers.front()), " changes memory in place that ",
                    name(flow.uses.empty() ? flow.writers.back() : flow.uses.back()),
                    " uses; put both in one stage, or use the form that is not in place"));
  }

  // Free calls count to the first stage that reads them.
  void settle_free(StagePlan& plan) const {
    std::vector<int> first(program_.buffers.size(), options_.stages);
    std::vector<bool> forward(program_.buffers.size());
    for (size_t i = program_.nodes.size(); i-- > 0;) {
      const ProgramNode& node = program_.nodes[i];
      if (free_[i]) {
        int stage = options_.stages;
        bool ahead = false;
        for (const ValueId value : node.out) {
          stage = std::min(stage, first[index(program_.buffer(value))]);
          ahead = ahead || forward[index(program_.buffer(value))];
        }
        plan.stage[i] = stage == options_.stages ? options_.stages - 1 : stage;
        plan.backward[i] = !ahead && plan.backward[i];
      }
      for (const ValueId value : node.in) {
        if (value == kNoValue) continue;
        const size_t buffer = index(program_.buffer(value));
        first[buffer] = std::min(first[buffer], plan.stage[i]);
        if (!plan.backward[i]) forward[buffer] = true;
      }
    }
  }

  void check_owners(const StagePlan& plan) const {
    for (size_t leaf = 0; leaf < options_.owners.size(); ++leaf) {
      if (options_.owners[leaf] < 0 || plan.leaf_stage[leaf] < 0) continue;
      const int rank = plan.leaf_stage[leaf] % options_.ranks;
      OA_REQUIRE(rank == options_.owners[leaf], "pipeline: parameter ", leaf, " of shape ",
                 program_.meta(options_.leaves[leaf]).sizes, " lies on rank ",
                 options_.owners[leaf], " of the pipeline since an earlier recording, but stage ",
                 plan.leaf_stage[leaf], " on rank ", rank,
                 " uses it; name the same stages with StageScope in all graphs of a parameter");
    }
  }

  void measure(StagePlan& plan, const std::vector<int>& of_anchor) const {
    const auto count = static_cast<size_t>(options_.stages);
    plan.forward_seconds.assign(count, 0);
    plan.backward_seconds.assign(count, 0);
    plan.forward_bytes.assign(count, 0);
    plan.backward_bytes.assign(count, 0);
    for (size_t i = 0; i < program_.nodes.size(); ++i)
      if (!free_[i])
        (backward_[i] ? plan.backward_seconds : plan.forward_seconds)[index(plan.stage[i])] +=
            options_.node_seconds[i];
    const auto stage = [&](int anchor) { return of_anchor[static_cast<size_t>(anchor)]; };
    for (const DataFlow& flow : flows_) {
      const FlowRange range = range_of(flow, stage);
      if (range.made < 0 || range.glued) continue;
      for (int s = range.made; s < range.high; ++s) plan.forward_bytes[index(s)] += flow.bytes;
      for (int s = range.low; s < range.made; ++s) plan.backward_bytes[index(s)] += flow.bytes;
    }
  }

  const Program& program_;
  const StageOptions& options_;
  std::vector<bool> free_, backward_;
  std::vector<int> anchor_;           // by node
  std::vector<int> stage_of_anchor_;  // where stages are named
  std::vector<DataFlow> flows_;       // by buffer
  bool named_ = false;
};

// Is the node the only writer of a temporary, all of which it works on in place?
bool separable(const Program& program, const ProgramNode& node) {
  if (!node.in_place || node.out.size() != 1 || node.in.empty()) return false;
  const ProgramBuffer& buffer = program.buffer_of(node.out[0]);
  const TensorMeta& meta = program.meta(node.out[0]);
  return buffer.kind == BufferKind::kTemporary && is_contiguous(meta) && meta.offset == 0 &&
         static_cast<size_t>(meta.sizes.numel()) * size_of(meta.dtype) == buffer.bytes;
}

}  // namespace

double StagePlan::link_seconds(const CostModel::Link& link, int stage) const {
  if (stage < 0 || stage + 1 >= stages) return 0;
  return 2 * link.alpha + link.beta * (forward_bytes[index(stage)] + backward_bytes[index(stage)]);
}

double StagePlan::stage_seconds(const CostModel::Link& link, int stage) const {
  return forward_seconds[index(stage)] + backward_seconds[index(stage)] +
         link_seconds(link, stage - 1) + link_seconds(link, stage);
}

std::vector<bool> free_calls(const Program& program) {
  std::vector<int> writes(program.buffers.size());
  for (const ProgramNode& node : program.nodes)
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) ++writes[index(program.buffer(value))];
  std::vector<bool> known(program.buffers.size());  // buffers
  for (size_t i = 0; i < known.size(); ++i)
    known[i] = writes[i] == 0 &&
               (program.buffers[i].kind == BufferKind::kInput || program.buffers[i].constant);
  std::vector<bool> free(program.nodes.size());
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    const auto is_known = [&](ValueId value) {
      return value == kNoValue || known[index(program.buffer(value))];
    };
    bool all = !node.in_place && !node.op->random && !is_collective(*node.op) &&
               std::all_of(node.in.begin(), node.in.end(), is_known);
    for (const ValueId value : node.out)
      all = all &&
            (node.op->alias_of >= 0 || (writes[index(program.buffer(value))] == 1 &&
                                        program.buffer_of(value).kind == BufferKind::kTemporary));
    free[i] = all;
    if (!all) continue;
    for (const ValueId value : node.out) known[index(program.buffer(value))] = true;
  }
  return free;
}

void separate_writes(Program& program) {
  std::vector<ValueId> now(program.values.size());  // what a recorded value is called by then
  std::vector<std::vector<ValueId>> values_of(program.buffers.size());
  for (size_t i = 0; i < now.size(); ++i) {
    now[i] = static_cast<ValueId>(i);
    values_of[index(program.values[i].buffer)].push_back(now[i]);
  }
  for (ProgramNode& node : program.nodes) {
    const ValueId recorded = node.out.empty() ? kNoValue : node.out[0];
    for (auto* values : {&node.in, &node.out})
      for (ValueId& value : *values)
        if (value != kNoValue) value = now[index(value)];
    if (!separable(program, node)) continue;
    const auto fresh = static_cast<BufferId>(program.buffers.size());
    program.buffers.push_back({BufferKind::kTemporary, program.buffer_of(node.out[0]).bytes, {}});
    for (const ValueId value : values_of[index(program.buffer(recorded))]) {
      now[index(value)] = static_cast<ValueId>(program.values.size());
      program.values.push_back({fresh, program.meta(value)});
    }
    node.out[0] = now[index(recorded)];
    node.in_place = false;
  }
  for (ValueId& value : program.outputs) value = now[index(value)];
}

StagePlan choose_stages(const Program& program, const StageOptions& options) {
  return Analysis(program, options).plan();
}

std::string explain(const Program& program, const StageOptions& options, const StagePlan& plan) {
  std::string out;
  for (int stage = 0; stage < plan.stages; ++stage) {
    size_t calls = 0;
    for (size_t i = 0; i < plan.stage.size(); ++i)
      calls += plan.stage[i] == stage && program.nodes[i].op->alias_of < 0;
    double parameters = 0;
    for (size_t leaf = 0; leaf < options.leaves.size(); ++leaf)
      if (plan.leaf_stage[leaf] == stage)
        parameters += static_cast<double>(program.meta(options.leaves[leaf]).sizes.numel()) *
                      static_cast<double>(size_of(program.meta(options.leaves[leaf]).dtype));
    out += fmt::format(
        "  stage {} (rank {}): {} calls, forward {:.3f} ms, backward {:.3f} ms, {:.2f} MB of "
        "parameters",
        stage, stage % options.ranks, calls, plan.forward_seconds[index(stage)] * 1e3,
        plan.backward_seconds[index(stage)] * 1e3, parameters / 1e6);
    if (stage + 1 < plan.stages)
      out += fmt::format("; {:.3f} MB on, {:.3f} MB back", plan.forward_bytes[index(stage)] / 1e6,
                         plan.backward_bytes[index(stage)] / 1e6);
    out += "\n";
  }
  return out;
}

}  // namespace oneagent::distributed
