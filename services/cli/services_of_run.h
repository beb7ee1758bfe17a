// Makes the services of an experiment, and what a run folder holds before they start.
#pragma once

#include <memory>
#include <vector>

#include "core/net/context.h"
#include "core/service/run_service.h"
#include "services/experiment.h"

namespace oneagent {

// Creates the run folder and writes resolved.json (configuration, hash, code and schema version). A
// folder of another experiment is refused.
void prepare_run_folder(const Experiment& experiment);
// The experiment that a run folder was made from, with overrides.
Experiment experiment_of_run(const fs::path& run_folder, const std::vector<std::string>& overrides,
                             const Registry& registry);

// Throws Error for whatever a part of the ring would refuse at its start: options of the algorithm,
// addresses, baselines. Writes nothing.
void check_ring(const Registry& registry, const Experiment& experiment);
// Throws Error when a process works in the run's folder.
void require_idle(const Experiment& experiment);

// All addresses inside this process.
void use_inproc(Experiment& experiment);

// One service by its name: actor (with an index), replay, learner, evaluator, gateway.
std::unique_ptr<Service> make_service(const std::string& name, int actor_index,
                                      net::Context& context, const Registry& registry,
                                      const Experiment& experiment);
// The whole ring: replay, learner, actors, evaluator, and the gateway when asked for.
std::vector<std::unique_ptr<Service>> make_ring(net::Context& context, const Registry& registry,
                                                const Experiment& experiment, bool gateway);

}  // namespace oneagent
