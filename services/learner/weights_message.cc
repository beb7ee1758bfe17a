#include "services/learner/weights_message.h"

#include "proto/weights.capnp.h"

namespace oneagent {

net::Message to_message(const ring::Weights& weights) {
  net::Message message(proto::Kind::WEIGHTS, weights.tensors);
  message.head.version = weights.version;
  auto body = message.init_body<proto::Weights>();
  body.setEpoch(weights.epoch);
  body.setEnvSteps(weights.env_steps);
  body.setGranted(weights.granted);
  body.setIncarnation(weights.incarnation);
  body.setFinal(weights.final);
  body.setConfigHash(weights.config_hash);
  auto shards = body.initShards(static_cast<unsigned>(weights.shards.size()));
  for (unsigned i = 0; i < shards.size(); ++i) {
    const ring::Shard& shard = weights.shards[i];
    const auto dims = static_cast<unsigned>(shard.shape.size());
    auto shape = shards[i].initShape(dims), offsets = shards[i].initOffsets(dims);
    for (unsigned d = 0; d < dims; ++d) {
      shape.set(d, shard.shape[d]);
      offsets.set(d, shard.offsets[d]);
    }
    shards[i].setHash(shard.hash);
  }
  auto sources = body.initSources(static_cast<unsigned>(weights.sources.size()));
  for (unsigned i = 0; i < sources.size(); ++i) sources.set(i, weights.sources[i]);
  return message;
}

Result<ring::Weights> weights_from_message(const net::Message& message) {
  const auto body = message.body<proto::Weights>();
  if (!body.ok()) return body.status();
  ring::Weights weights;
  weights.version = message.head.version;
  weights.epoch = body->getEpoch();
  weights.env_steps = body->getEnvSteps();
  weights.granted = body->getGranted();
  weights.incarnation = body->getIncarnation();
  weights.final = body->getFinal();
  weights.config_hash = body->getConfigHash().cStr();
  weights.tensors = message.arrays;
  for (const auto shard : body->getShards()) {
    ring::Shard& out = weights.shards.emplace_back();
    for (const int64_t size : shard.getShape()) out.shape.push_back(size);
    for (const int64_t offset : shard.getOffsets()) out.offsets.push_back(offset);
    out.hash = shard.getHash();
  }
  for (const auto source : body->getSources()) weights.sources.emplace_back(source.cStr());
  return weights;
}

}  // namespace oneagent
