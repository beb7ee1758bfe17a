// Runs of elementwise calls become one step: they are computed block by block, so that what passes
// between them stays in the first-level cache, and what nobody else reads is never stored.
#pragma once

#include <vector>

#include "core/graph/program.h"

namespace oneagent {

inline constexpr int64_t kFusedBlock = 1024;  // elements
inline constexpr size_t kFusedScratch = 8;    // blocks that a step may hold aside

struct PlanStep {
  std::vector<size_t> nodes;  // one, or a run of elementwise ones
  int64_t elements = 0;       // of a run: the elements of its results
  // Of a run: buffers that live inside it alone, with the number of their scratch block.
  std::vector<std::pair<BufferId, size_t>> scratch;
  bool fused() const { return nodes.size() > 1; }
};

// The steps in the order of the nodes; views need none. With fuse = false each holds one node.
std::vector<PlanStep> make_steps(const Program& program, bool fuse);

}  // namespace oneagent
