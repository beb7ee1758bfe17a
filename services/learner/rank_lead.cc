#include "services/learner/rank_lead.h"

#include "core/graph/context.h"

namespace oneagent {

PhaseMesh mesh_of(const MeshOptions& options) {
  PhaseMesh out;
  out.mesh = Mesh({options.data, options.tensor}, {"data", "tensor"});
  out.pipeline = options.pipeline;
  out.micro_batches = options.micro_batches > 0 ? options.micro_batches : 2 * options.pipeline;
  out.schedule = options.schedule;
  if (options.schedule == "interleaved") out.stages_per_rank = options.stages_per_rank;
  return out;
}

RankLead::RankLead(comm::Communicator& commands, comm::Communicator& work, const PhaseMesh& mesh,
                   Trainer& trainer, uint64_t seed)
    : trainer_(trainer), world_(work), link_(commands) {
  manual_seed(seed);
  try {
    trainer_.set_mesh({mesh, &link_, nullptr, link_.gather("")});
    trainer_.share_state();
  } catch (...) {
    trainer_.set_mesh({});
    throw;
  }
}

RankLead::~RankLead() {
  stop(false);
  trainer_.set_mesh({});
}

void RankLead::stop(bool final) {
  if (std::exchange(stopped_, true)) return;
  try {
    link_.tell({{"do", "stop"}, {"final", final}});
  } catch (const std::exception&) {  // the group is over already; the others have ended
  }
}

}  // namespace oneagent
