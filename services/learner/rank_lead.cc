#include "services/learner/rank_lead.h"

#include "core/graph/context.h"

namespace oneagent {

Mesh mesh_of(const MeshOptions& options) {
  return Mesh({options.data, options.tensor}, {"data", "tensor"});
}

RankLead::RankLead(comm::Communicator& commands, comm::Communicator& work, const Mesh& mesh,
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
