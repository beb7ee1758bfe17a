// Plan: a compiled, immutable Program. Order, memory and aliases are fixed before the first run.
// Temporaries share one arena: each has an offset, and two of them overlap only if their lifetimes
// do not. Results have memory of their own, so that a later run does not change them.
#pragma once

#include <string>
#include <vector>

#include "core/plan/fuse.h"
#include "core/plan/memory.h"
#include "core/plan/plan_options.h"

namespace oneagent {

inline constexpr int64_t kNotInArena = -1;

struct Plan {
  Program program;
  std::vector<PlanStep> steps;   // in order
  std::vector<int64_t> offsets;  // bytes, by buffer; kNotInArena: input, bound, result or scratch
  std::vector<bool> is_result;   // by buffer
  std::vector<Lifetime> lifetimes;  // by buffer, in steps; 0 bytes: it needs no memory
  size_t arena_bytes = 0;
  size_t lower_bound_bytes = 0;  // the most that is alive at once, without packing losses
};

// Error: a result is undefined.
Plan compile(Program program, const PlanOptions& options = {});

// The calls, with offsets and sizes, and the memory in total.
std::string print(const Plan& plan);

}  // namespace oneagent
