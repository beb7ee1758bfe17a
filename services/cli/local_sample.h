// One real sample of an experiment's algorithm without a ring, for what looks at its phases.
#pragma once

#include "core/data/batch.h"
#include "services/experiment.h"

namespace oneagent {

// From rollouts of the untrained policy. Error: it learns from single transitions, which one
// rollout does not give.
ring::SampleBatch local_sample(const Experiment& experiment, const Registry& registry);

// Where [learner.parallel] leaves data and tensor open, fills them in as the planner chooses
// (services/learner/mesh_choice.h); what it found in one line, "" if nothing was open.
std::string settle_mesh(Experiment& experiment, const Registry& registry);
// The same for a run: what was chosen at its first start stays, so that it goes on as it would have
// without a stop. Kept in mesh.json of the run folder.
std::string settle_mesh_of_run(Experiment& experiment, const Registry& registry);

}  // namespace oneagent
