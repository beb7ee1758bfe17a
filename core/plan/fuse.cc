#include "core/plan/fuse.h"

#include <algorithm>
#include <map>
#include <utility>

namespace oneagent {
namespace {

struct Use {
  size_t first, last;  // nodes
};

std::vector<Use> uses_of(const Program& program) {
  const size_t never = program.nodes.size();
  std::vector<Use> uses(program.buffers.size(), {never, 0});
  const auto touch = [&](ValueId value, size_t node) {
    if (value == kNoValue) return;
    Use& use = uses[static_cast<size_t>(program.buffer(value))];
    use.first = std::min(use.first, node);
    use.last = std::max(use.last, node);
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    if (program.nodes[i].op->alias_of >= 0) continue;
    for (const ValueId value : program.nodes[i].in) touch(value, i);
    for (const ValueId value : program.nodes[i].out) touch(value, i);
  }
  for (const ValueId value : program.outputs)
    uses[static_cast<size_t>(program.buffer(value))].last = never;
  return uses;
}

// The elements of a call that can be computed block by block; 0: it cannot.
int64_t elements_of(const Program& program, const ProgramNode& node) {
  if (!node.op->loop || node.out.size() != 1) return 0;
  const TensorMeta& out = program.meta(node.out[0]);
  const int64_t n = out.sizes.numel();
  if (!is_contiguous(out) || is_half(out.dtype)) return 0;
  for (const ValueId value : node.in) {
    if (value == kNoValue) return 0;
    const TensorMeta& in = program.meta(value);
    const bool whole = in.sizes.numel() == n && is_contiguous(in);
    if (is_half(in.dtype) || !(whole || in.sizes.numel() == 1)) return 0;
  }
  return n;
}

class Run {
 public:
  Run(const Program& program, const std::vector<Use>& uses) : program_(program), uses_(uses) {}

  bool empty() const { return step_.nodes.empty(); }

  // Element i of every call must depend on elements i alone.
  bool accepts(const ProgramNode& node, int64_t elements) const {
    if (elements == 0 || (!empty() && elements != step_.elements)) return false;
    if (empty()) return true;
    if (is_written_elsewhere(node.out[0])) return false;
    for (const ValueId value : node.in) {
      if (is_written_elsewhere(value)) return false;
      const auto written = written_.find(program_.buffer(value));
      if (written != written_.end() && program_.meta(value).sizes.numel() != elements) return false;
    }
    // What was read whole must not be written as one element, nor the other way round.
    const auto read = read_.find(program_.buffer(node.out[0]));
    return read == read_.end() || (read->second != kNoValue && same(read->second, node.out[0]));
  }

  void add(size_t index, const ProgramNode& node, int64_t elements) {
    step_.nodes.push_back(index);
    step_.elements = elements;
    for (const ValueId value : node.in) {
      const auto [read, fresh] = read_.emplace(program_.buffer(value), value);
      if (!fresh && read->second != kNoValue && !same(read->second, value))
        read->second = kNoValue;  // in two ways, so that no write fits both
    }
    written_.emplace(program_.buffer(node.out[0]), node.out[0]);
  }

  PlanStep finish() {
    if (step_.fused()) place_scratch();
    read_.clear();
    written_.clear();
    return std::exchange(step_, {});
  }

 private:
  bool same(ValueId a, ValueId b) const {
    const TensorMeta &x = program_.meta(a), &y = program_.meta(b);
    return x.offset == y.offset && x.dtype == y.dtype && x.sizes.numel() == y.sizes.numel();
  }
  // Another part, or another reading, of a buffer that the run writes.
  bool is_written_elsewhere(ValueId value) const {
    const auto written = written_.find(program_.buffer(value));
    return written != written_.end() && !same(written->second, value);
  }

  // Blocks are given back after the last use, so that a long chain needs few.
  void place_scratch() {
    std::map<BufferId, size_t> block_of;
    std::vector<size_t> free;
    for (size_t k = kFusedScratch; k-- > 0;) free.push_back(k);
    for (const size_t index : step_.nodes) {
      const ProgramNode& node = program_.nodes[index];
      const BufferId buffer = program_.buffer(node.out[0]);
      const Use& use = uses_[static_cast<size_t>(buffer)];
      const bool inside =
          use.first == index && use.last <= step_.nodes.back() &&
          program_.buffers[static_cast<size_t>(buffer)].kind == BufferKind::kTemporary;
      if (inside && !block_of.contains(buffer) && !free.empty()) {
        block_of[buffer] = free.back();
        step_.scratch.emplace_back(buffer, free.back());
        free.pop_back();
      }
      for (const auto& [held, block] : block_of)
        if (uses_[static_cast<size_t>(held)].last == index) free.push_back(block);
      std::erase_if(block_of, [&](const auto& entry) {
        return uses_[static_cast<size_t>(entry.first)].last == index;
      });
    }
  }

  const Program& program_;
  const std::vector<Use>& uses_;
  PlanStep step_;
  std::map<BufferId, ValueId> read_, written_;
};

}  // namespace

std::vector<PlanStep> make_steps(const Program& program, bool fuse) {
  const std::vector<Use> uses = uses_of(program);
  std::vector<PlanStep> steps;
  Run run(program, uses);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    if (node.op->alias_of >= 0) continue;
    const int64_t elements = fuse ? elements_of(program, node) : 0;
    if (!run.empty() && !run.accepts(node, elements)) steps.push_back(run.finish());
    if (elements > 0) {
      run.add(i, node, elements);
      continue;
    }
    if (!run.empty()) steps.push_back(run.finish());
    steps.push_back({{i}, 0, {}});
  }
  if (!run.empty()) steps.push_back(run.finish());
  return steps;
}

}  // namespace oneagent
