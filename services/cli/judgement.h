// Judges the policy of a run folder beside its baselines, for `eval` and for the end of `train`.
#pragma once

#include "services/experiment.h"

namespace oneagent {

// {"eval_return", "ci_low", "ci_high", "success", "spl", ..., "version", "baselines": {...}}.
// Weights: weights/final.safetensors.
Json judge_run(const Registry& registry, const Experiment& experiment, bool baselines);
// A table for a person: one line for the policy and each baseline.
std::string judgement_table(const Json& judgement);

}  // namespace oneagent
