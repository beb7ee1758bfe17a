// Passes over a Program that need no sharding. Each but mixed_precision leaves what the program
// computes unchanged, bit for bit.
#pragma once

#include "core/graph/program.h"

namespace oneagent {

// Finds the memory outside that only the program holds and that it does not write.
void mark_constants(Program& program);

// Computes calls of constants once: of creation ops and of marked memory. Parameters and other
// memory that somebody else holds may change between runs and are left alone, as are random ops and
// results that are handed out.
void fold_constants(Program& program);

// Computes products and convolutions of float32 in 16 bits (kBFloat16 or kHalf), with sums in
// float32, and what follows them elementwise, too; the list is in passes/amp.cc. Memory outside,
// such as parameters and their gradients, stays float32. `cast` is the op "to".
void mixed_precision(Program& program, DType half, const Op& cast);

// Drops calls whose results nobody reads. Calls that write bound memory stay.
void eliminate_dead(Program& program);

// Drops calls that compute again what an earlier call has computed: same op, attributes and
// operands, none of which was written between. Random draws differ, so they stay.
void merge_equal(Program& program);

// Lets a call write its result over an operand that is not needed afterwards.
void reuse_in_place(Program& program);

}  // namespace oneagent
