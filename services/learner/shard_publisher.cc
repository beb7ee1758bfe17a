#include "services/learner/shard_publisher.h"

#include "core/net/broadcast_publisher.h"
#include "core/net/incarnation.h"
#include "services/learner/process_team.h"
#include "services/learner/weights_message.h"

namespace oneagent {
namespace {

using net::Transport;

// Where to listen. Inside a process a name is never used again: who has connected to one that is
// gone would not find the next.
net::Address place_of(const Experiment& e, int rank) {
  const net::Address learner =
      net::parse_address(e.learner.bind.empty() ? e.learner.address : e.learner.bind);
  const std::string suffix = str("-rank-", rank, "-", net::make_incarnation());
  net::Address out = learner;
  out.port = 0;
  if (e.learner_mesh.kind == "services") {
    out = {Transport::kTcp, host_of_rank(e.learner_mesh), 0};
  } else if (e.learner_mesh.kind == "processes" && learner.transport == Transport::kInproc) {
    out = {Transport::kTcp, "127.0.0.1", 0};
  } else if (learner.transport != Transport::kTcp) {
    out.host += suffix;
  }
  return out;
}

class WireShardPublisher final : public ShardPublisher {
 public:
  WireShardPublisher(net::Context& context, const Experiment& e, int rank)
      : rank_(rank),
        publisher_(context, {str("rank-", rank), place_of(e, rank)}),
        address_(publisher_.address()) {
    const net::Address learner = net::parse_address(e.learner.address);
    if (address_.transport == Transport::kTcp && learner.transport == Transport::kTcp &&
        e.learner_mesh.kind != "services")
      address_.host = learner.host;  // as actors know this machine
  }
  std::string address() const override { return address_.text(); }
  void publish(const ring::Weights& weights) override {
    const Status sent = publisher_.publish(weights.version, to_message(weights));
    OA_REQUIRE(sent.ok(), "rank ", rank_, ": shards of weights version ", weights.version,
               " cannot be published: ", sent.message());
  }

 private:
  const int rank_;
  net::BroadcastPublisher publisher_;
  net::Address address_;
};

}  // namespace

std::unique_ptr<ShardPublisher> make_shard_publisher(net::Context& context, const Experiment& e,
                                                     int rank) {
  return std::make_unique<WireShardPublisher>(context, e, rank);
}

}  // namespace oneagent
