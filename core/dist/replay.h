// Runs a recorded program on a mesh as a sharding plan says. Inside a Capture this records each
// rank's program, which core/plan compiles like any other.
#pragma once

#include <map>

#include "core/dist/auto_parallel.h"
#include "core/dist/global.h"

namespace oneagent::distributed {

// `values` holds the program's inputs and, where they are to be other tensors than those that it
// was recorded with, memory from outside; plain ones are the same on all ranks. Afterwards it holds
// every value. Results are global tensors or plain.
void replay(const Program& program, const ShardingPlan& plan, const Mesh& mesh,
            std::map<ValueId, Tensor>& values);

// The value of a program that stands for memory from outside; kNoValue when none does.
ValueId find_value(const Program& program, const Tensor& bound);

}  // namespace oneagent::distributed
