// Whether the lists of a pipeline schedule can run and compute what one device computes.
#pragma once

#include "core/plan/pipeline_schedule.h"

namespace oneagent {

// Errors, each with the rank and the action: a stage on a rank that is not its own; F, or B, or I
// and W of a stage and micro-batch missing, twice or in the wrong order; an action before the
// message or the local result that it reads; a result that is not sent; weight gradients of a stage
// not in the order of micro-batches; REDUCE or STEP missing or too early; sends of a pair of ranks
// that the receives do not match in order; a deadlock with blocking receives.
void check(const PipelineSchedule& schedule);

}  // namespace oneagent
