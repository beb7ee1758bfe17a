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
  return weights;
}

}  // namespace oneagent
