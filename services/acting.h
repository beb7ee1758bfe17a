// The few lines between an EnvBatch and a policy that the actor and the evaluator share.
#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "envs/env_batch.h"

namespace oneagent {

// Tensors that look at the batch's own memory: valid until its next step.
ActIn act_input(const EnvBatch& envs);

// Steps the batch with act()'s action; continuous ones are clipped to the box (into `scratch`),
// what is recorded stays unclipped.
void step_with(EnvBatch& envs, const Tensor& action, std::vector<float>& scratch);

}  // namespace oneagent
