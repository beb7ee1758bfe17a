#include "services/learner/rank_service.h"

#include <unistd.h>

#include <thread>

#include "core/base/log.h"
#include "services/learner/process_team.h"
#include "services/learner/rank_follower.h"
#include "services/learner/shard_publisher.h"
#include "services/learner/store_rendezvous.h"

namespace oneagent {
namespace {

// What is left of the time to drain when the rank leaves the team by itself. Until then the learner
// may need it for its last checkpoint.
constexpr int64_t kLeaveMs = 2500;

}  // namespace

RankService::RankService(net::Context& context, const Registry& registry,
                         const Experiment& experiment, int index, bool started_by_learner)
    : net_(context),
      registry_(registry),
      experiment_(experiment),
      index_(index),
      started_by_learner_(started_by_learner) {
  OA_REQUIRE(index > 0, "rank: index is ", index,
             "; rank 0 is the learner itself, the others begin with 1");
}

void RankService::run(ServiceContext& context) {
  const Experiment& e = experiment_;
  require_own_host(e.learner_mesh);
  Result<std::unique_ptr<Store>> store = open_store(e.place.store);
  OA_REQUIRE(store.ok(), "rank: ", store.status().message());
  RankMeeting meeting(**store, e.place.run, [&] { return context.draining(); });
  StoreRendezvous rendezvous(**store);
  const RankProgram program{[&] { return make_algorithm(e, registry_); },
                            static_cast<uint64_t>(e.run.seed), e.place.folder / "fault",
                            e.learner.graph,
                            [&](int rank) { return make_shard_publisher(net_, e, rank); }};
  const auto leave = [&] {
    const bool now = context.draining() && context.drain_deadline().left_ms() < kLeaveMs;
    return now ? str("rank ", index_, " was told to end") : std::string();
  };
  context.ready();
  int64_t last = 0;
  while (!context.draining()) {
    std::optional<TeamCall> call;
    {
      WaitScope wait(context.waits(), name(), "learner", "its call to the ranks");
      call = meeting.wait_for_call(last);
      if (!call) break;
      last = call->incarnation;
      if (index_ >= call->ranks()) {
        log_info(name(), ": the learner has ", call->ranks(), " ranks; this one is a spare");
        continue;
      }
      if (!meeting.answer(*call, index_, RankIdentity::of(e.hash))) continue;
    }
    context.version("incarnation", call->incarnation);
    try {
      RankGroups groups(index_, *call, rendezvous, e.place.run, host_of_rank(e.learner_mesh),
                        leave);
      MeshOptions options;
      options.data = call->data;
      options.tensor = call->tensor;
      options.pipeline = call->pipeline;
      options.micro_batches = call->micro_batches;
      options.stages_per_rank = call->stages_per_rank;
      options.schedule = call->schedule;
      const bool final = follow_rank(groups.commands(), groups.work(), mesh_of(options), program,
                                     &context.waits(), name());
      if (final) return;
    } catch (const std::exception& error) {
      context.note_error(error.what());
      log_warning(name(), ": ", error.what());
    }
    if (started_by_learner_) return;
  }
}

int claim_rank_index(Store& store, const Experiment& e) {
  const MeshOptions& mesh = e.learner_mesh;
  if (mesh.index >= 0) return mesh.index;
  const int ranks = mesh.ranks > 0 ? mesh.ranks : mesh.size();
  OA_REQUIRE(ranks > 1,
             "rank: [learner.parallel] says one rank, which is the learner itself; give "
             "data, tensor, pipeline or ranks");
  const std::string owner = str("claim-", ::getpid(), "-", steady_ns());
  const Deadline until = Deadline::after_ms(30000);
  while (!until.expired()) {
    for (int i = 1; i < ranks; ++i) {
      if (store.find_lease(service_key(e.place.run, str("rank-", i))).ok()) continue;
      // The claim bridges the time until the service has registered under its name.
      if (store.acquire(str("runs/", e.place.run, "/rank-claims/", i), owner, 5000).ok()) return i;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  throw_error(str("rank: all ", ranks - 1, " places beside the learner of run ", e.place.run,
                  " are taken, or the store cannot be reached; raise [learner.parallel] data, "
                  "tensor or pipeline, or set index"));
}

}  // namespace oneagent
