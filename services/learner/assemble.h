// From sampled items to the tensors that an algorithm's phases see.
#pragma once

#include "algorithms/algorithm.h"
#include "core/data/batch.h"

namespace oneagent {

// Rollouts: all items must have the same length; their lanes stand side by side: [T, B, ...].
// final_row counts t * B + lane. A single item is not copied: the tensors look at its bytes and
// keep them alive. Transitions and sequences: one lane each, [T, B, ...], with last_observation
// being the observation after the item's last step.
TensorMap assemble(const ring::SampleBatch& batch);

// A tensor over an array's bytes, which it keeps alive. uint8 flags and masks become bool.
Tensor as_tensor(const ring::Array& array);

}  // namespace oneagent
