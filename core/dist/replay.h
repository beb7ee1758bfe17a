// Runs a recorded program on a mesh as a sharding plan says. Inside a Capture this records each
// rank's program, which core/plan compiles like any other.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "core/dist/auto_parallel.h"
#include "core/dist/global.h"

namespace oneagent::distributed {

struct ReplayOptions {
  std::set<ValueId> split;    // sources that stay as they lie and are gathered for each use
  double gathered_bytes = 0;  // core/dist/zero.h
  // Nodes of one part of the program run together; what is gathered for one part is not kept for
  // another. None: one part.
  std::function<int(size_t node)> part;
  // Called ahead of each node and behind it.
  std::function<void(size_t node)> before, after;
};

// `values` holds the program's inputs and, where they are to be other tensors than those that it
// was recorded with, memory from outside; plain ones are the same on all ranks. Afterwards it holds
// every value. Results are global tensors or plain.
void replay(const Program& program, const ShardingPlan& plan, const Mesh& mesh,
            std::map<ValueId, Tensor>& values, const ReplayOptions& options = {});

// The values of a program that stand for memory from outside; kNoValue where none does.
std::vector<ValueId> find_values(const Program& program, const std::vector<Tensor>& bound);

}  // namespace oneagent::distributed
