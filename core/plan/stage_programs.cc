#include "core/plan/stage_programs.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/dist/stages.h"

namespace oneagent {
namespace {

size_t index(int32_t id) { return static_cast<size_t>(id); }
bool is_backward(const ProgramNode& node) { return node.forward >= 0; }

// Copies parts of a program with numbers of their own.
class SegmentBuilder {
 public:
  SegmentBuilder(const Program& from, StageSegment& into) : from_(from), into_(into) {}

  BufferId buffer(BufferId old) {
    const auto [at, fresh] = buffers_.try_emplace(old, static_cast<BufferId>(buffers_.size()));
    if (fresh) into_.program.buffers.push_back(from_.buffers[index(old)]);
    return at->second;
  }
  ValueId value(ValueId old) {
    if (old == kNoValue) return kNoValue;
    const auto found = values_.find(old);
    if (found != values_.end()) return found->second;
    const ValueId fresh = add({buffer(from_.buffer(old)), from_.meta(old)});
    values_.emplace(old, fresh);
    return fresh;
  }
  ValueId whole(BufferId old, const TensorMeta& flat) { return add({buffer(old), flat}); }
  void input(BufferId old, ValueId value, StageSegment::Source source) {
    into_.program.buffers[index(buffer(old))].kind = BufferKind::kInput;
    into_.program.inputs.push_back(value);
    into_.sources.push_back(source);
  }

 private:
  ValueId add(ProgramValue value) {
    into_.program.values.push_back(std::move(value));
    return static_cast<ValueId>(into_.program.values.size()) - 1;
  }

  const Program& from_;
  StageSegment& into_;
  std::map<BufferId, BufferId> buffers_;
  std::map<ValueId, ValueId> values_;
};

}  // namespace

StagePrograms::StagePrograms(const StagedProgram& staged)
    : staged_(staged), free_(distributed::free_calls(staged.program)) {
  const Program& program = staged.program;
  flows_.resize(program.buffers.size());
  makers_.resize(program.buffers.size());
  first_value_.assign(program.buffers.size(), kNoValue);
  for (size_t v = program.values.size(); v-- > 0;)
    first_value_[index(program.values[v].buffer)] = static_cast<ValueId>(v);
  for (size_t leaf = 0; leaf < staged.leaf_buffers.size(); ++leaf) {
    if (staged.leaf_buffers[leaf] < 0) continue;
    Flow& flow = flows_[index(staged.leaf_buffers[leaf])];
    flow.made = staged.leaf_stage[leaf];
    flow.leaf = true;
  }
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    if (node.op->alias_of >= 0) continue;
    for (const ValueId value : node.out) makers_[index(program.buffer(value))].push_back(i);
    if (free_[i]) continue;
    for (const ValueId value : node.in)
      if (value != kNoValue)
        flows_[index(program.buffer(value))].uses.push_back({node.stage, is_backward(node)});
    for (const ValueId value : node.out) {
      Flow& flow = flows_[index(program.buffer(value))];
      if (program.buffer_of(value).kind != BufferKind::kTemporary || flow.made >= 0) continue;
      flow.made = node.stage;
      flow.backward = is_backward(node);
    }
  }
  for (size_t leaf = 0; leaf < staged.gradients.size(); ++leaf)
    if (staged.gradients[leaf] != kNoValue)
      flows_[index(program.buffer(staged.gradients[leaf]))].uses.push_back(
          {staged.leaf_stage[leaf], true});
  for (size_t b = 0; b < flows_.size(); ++b)
    for (const Use& use : flows_[b].uses) {
      const Flow& flow = flows_[b];
      if (flow.made < 0) continue;
      const bool wrong = flow.backward ? use.stage > flow.made || !use.backward
                                       : use.stage < flow.made && !use.backward;
      OA_REQUIRE(!wrong, "pipeline: stage ", use.stage, " reads what ",
                 makers_[b].empty() ? "a parameter" : program.nodes[makers_[b][0]].op->name,
                 " of stage ", flow.made, " makes ", flow.backward ? "in backward()" : "",
                 "; compute it in the stage that reads it");
    }
}

bool StagePrograms::passes_on(BufferId buffer, int stage) const {
  const Flow& flow = flows_[index(buffer)];
  if (flow.made < 0 || flow.backward || stage < flow.made) return false;
  return std::any_of(flow.uses.begin(), flow.uses.end(),
                     [&](const Use& use) { return use.stage > stage; });
}

bool StagePrograms::passes_back(BufferId buffer, int stage) const {
  const Flow& flow = flows_[index(buffer)];
  if (flow.made < 0 || stage > flow.made) return false;
  return std::any_of(flow.uses.begin(), flow.uses.end(),
                     [&](const Use& use) { return use.stage < stage; });
}

TensorMeta StagePrograms::flat(BufferId buffer) const {
  const DType dtype = staged_.program.meta(first_value_[index(buffer)]).dtype;
  TensorMeta meta;
  meta.dtype = dtype;
  meta.sizes = {
      static_cast<int64_t>(staged_.program.buffers[index(buffer)].bytes / size_of(dtype))};
  meta.strides = contiguous_strides(meta.sizes);
  return meta;
}

int StagePrograms::stage_of_output(size_t output) const {
  const int made = flows_[index(staged_.program.buffer(staged_.program.outputs[output]))].made;
  return made < 0 ? staged_.stages - 1 : made;
}

// Those that the gradients sent back depend on. A buffer that is written in parts is worked on
// whole.
std::vector<bool> StagePrograms::input_grad_nodes(int stage) const {
  const Program& program = staged_.program;
  std::vector<bool> needed(program.buffers.size()), taken(program.nodes.size());
  for (size_t b = 0; b < needed.size(); ++b)
    needed[b] = stage > 0 && passes_back(static_cast<BufferId>(b), stage);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = program.nodes.size(); i-- > 0;) {
      const ProgramNode& node = program.nodes[i];
      if (taken[i] || free_[i] || node.op->alias_of >= 0 || node.stage != stage ||
          !is_backward(node))
        continue;
      const auto wants = [&](ValueId value) {
        return value != kNoValue && needed[index(program.buffer(value))];
      };
      const auto shares = [&](ValueId value) {
        return wants(value) && makers_[index(program.buffer(value))].size() > 1;
      };
      if (!std::any_of(node.out.begin(), node.out.end(), wants) &&
          !std::any_of(node.in.begin(), node.in.end(), shares))
        continue;
      taken[i] = more = true;
      for (const auto* values : {&node.in, &node.out})
        for (const ValueId value : *values)
          if (value != kNoValue) needed[index(program.buffer(value))] = true;
    }
  }
  return taken;
}

StageSegment StagePrograms::segment(int stage, const std::vector<size_t>& nodes,
                                    const std::vector<BufferId>& wanted) const {
  const Program& program = staged_.program;
  // Free calls that these ones, or the results, need.
  std::vector<bool> taken(program.nodes.size());
  std::vector<size_t> open = nodes;
  const auto take_free = [&](BufferId buffer) {
    for (const size_t maker : makers_[index(buffer)])
      if (free_[maker] && !taken[maker]) open.push_back(maker);
  };
  for (const BufferId buffer : wanted) take_free(buffer);
  while (!open.empty()) {
    const size_t i = open.back();
    open.pop_back();
    if (taken[i]) continue;
    taken[i] = true;
    for (const ValueId value : program.nodes[i].in)
      if (value != kNoValue) take_free(program.buffer(value));
  }
  StageSegment out;
  out.program.draws = program.draws;
  SegmentBuilder builder(program, out);
  std::vector<bool> made(program.buffers.size());
  const auto read = [&](ValueId value) {
    const BufferId buffer = program.buffer(value);
    if (made[index(buffer)]) return;
    made[index(buffer)] = true;
    const ProgramBuffer& old = program.buffers[index(buffer)];
    if (old.kind == BufferKind::kInput) {
      for (size_t i = 0; i < program.inputs.size(); ++i)
        if (program.buffer(program.inputs[i]) == buffer)
          return builder.input(buffer, builder.value(program.inputs[i]),
                               {.input = static_cast<int>(i)});
    }
    const Flow& flow = flows_[index(buffer)];
    const bool elsewhere = flow.leaf && flow.made != stage;
    if (old.kind == BufferKind::kBound && !elsewhere) return;
    builder.input(buffer, builder.whole(buffer, flat(buffer)), {.buffer = buffer});
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (!taken[i]) continue;
    ProgramNode node = program.nodes[i];
    for (const ValueId value : node.in)
      if (value != kNoValue) read(value);
    for (const ValueId value : node.out) made[index(program.buffer(value))] = true;
    for (auto* values : {&node.in, &node.out})
      for (ValueId& value : *values) value = builder.value(value);
    out.program.nodes.push_back(std::move(node));
  }
  for (const BufferId buffer : wanted) {
    out.program.outputs.push_back(builder.whole(buffer, flat(buffer)));
    out.results.push_back(buffer);
  }
  return out;
}

StageProgram StagePrograms::stage(int stage, bool halves) const {
  const Program& program = staged_.program;
  StageProgram out;
  const std::vector<bool> first_half = input_grad_nodes(stage);
  std::vector<size_t> forward, backward, input_grad, weight_grad;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    if (free_[i] || node.op->alias_of >= 0 || node.stage != stage) continue;
    (is_backward(node) ? backward : forward).push_back(i);
    if (is_backward(node)) (first_half[i] ? input_grad : weight_grad).push_back(i);
  }
  const auto made_by = [&](BufferId buffer, const std::vector<size_t>& nodes) {
    return std::any_of(
        makers_[index(buffer)].begin(), makers_[index(buffer)].end(),
        [&](size_t maker) { return std::binary_search(nodes.begin(), nodes.end(), maker); });
  };
  std::vector<BufferId> wanted;  // by another part, another stage or the end
  const auto want = [&](BufferId buffer, StageEvent event) {
    const auto [at, fresh] = out.last.try_emplace(buffer, event);
    if (fresh) wanted.push_back(buffer);
    at->second = std::max(at->second, event);
  };
  for (size_t b = 0; b < program.buffers.size(); ++b) {
    const auto buffer = static_cast<BufferId>(b);
    if (stage > 0 && passes_on(buffer, stage - 1)) out.taken_on.push_back(buffer);
    if (stage + 1 < staged_.stages && passes_back(buffer, stage + 1))
      out.taken_back.push_back(buffer);
    if (stage + 1 < staged_.stages && passes_on(buffer, stage)) {
      out.sent_on.push_back(buffer);
      want(buffer, StageEvent::kSentOn);
      if (flows_[b].leaf && flows_[b].made == stage) out.lent.push_back(buffer);
    }
    if (stage > 0 && passes_back(buffer, stage)) {
      out.sent_back.push_back(buffer);
      want(buffer, StageEvent::kSentBack);
    }
  }
  for (size_t leaf = 0; leaf < staged_.gradients.size(); ++leaf) {
    if (staged_.gradients[leaf] == kNoValue || staged_.leaf_stage[leaf] != stage) continue;
    const BufferId buffer = program.buffer(staged_.gradients[leaf]);
    out.gradients.emplace_back(leaf, buffer);
    want(buffer, StageEvent::kWeightGrad);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (stage_of_output(i) != stage) continue;
    const BufferId buffer = program.buffer(program.outputs[i]);
    out.outputs.emplace_back(i, buffer);
    want(buffer, StageEvent::kForward);
  }
  const auto reads = [&](const std::vector<size_t>& nodes, StageEvent event) {
    for (const size_t i : nodes)
      for (const ValueId value : program.nodes[i].in) {
        if (value == kNoValue) continue;
        const BufferId buffer = program.buffer(value);
        const Flow& flow = flows_[index(buffer)];
        if (flow.made < 0 || (flow.leaf && flow.made == stage)) continue;
        const bool same_part = flow.made == stage && made_by(buffer, nodes);
        if (!same_part) want(buffer, event);
      }
  };
  reads(forward, StageEvent::kForward);
  reads(halves ? input_grad : backward, StageEvent::kInputGrad);
  if (halves) reads(weight_grad, StageEvent::kWeightGrad);
  const auto part = [&](const std::vector<size_t>& nodes, bool takes_free) {
    std::vector<BufferId> results;
    for (const BufferId buffer : wanted) {
      const bool free_result = flows_[index(buffer)].made < 0;
      if (made_by(buffer, nodes) || (free_result && takes_free)) results.push_back(buffer);
    }
    return nodes.empty() && results.empty() ? StageSegment() : segment(stage, nodes, results);
  };
  // What free calls make is a result of F if the program hands it out, else a gradient.
  out.forward = part(forward, true);
  if (halves) {
    out.input_grad = part(input_grad, false);
    out.weight_grad = part(weight_grad, false);
  } else {
    out.backward = part(backward, false);
  }
  return out;
}

}  // namespace oneagent
