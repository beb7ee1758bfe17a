// Passes over a Program that need no sharding. Each leaves what the program computes unchanged, bit
// for bit.
#pragma once

#include "core/graph/program.h"

namespace oneagent {

// Drops calls whose results nobody reads. Calls that write bound memory stay.
void eliminate_dead(Program& program);

// Drops calls that compute again what an earlier call has computed: same op, attributes and
// operands, none of which was written between. Random draws differ, so they stay.
void merge_equal(Program& program);

// Lets a call write its result over an operand that is not needed afterwards.
void reuse_in_place(Program& program);

}  // namespace oneagent
