// How a Program is compiled.
#pragma once

namespace oneagent {

struct PlanOptions {
  bool fold_constants = true;  // calls of constants are computed when compiled
  bool reuse_in_place = true;  // a result may take over an operand's memory
  bool eliminate_dead = true;  // calls whose results nobody reads
  bool merge_equal = true;     // equal calls on equal operands
  bool fuse = true;            // runs of elementwise calls
};

}  // namespace oneagent
