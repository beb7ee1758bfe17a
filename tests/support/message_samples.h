// A well-formed message of each kind, as the services send them.
#pragma once

#include <string>
#include <vector>

#include "core/net/message.h"
#include "proto/batch.capnp.h"
#include "proto/control.capnp.h"
#include "proto/replay.capnp.h"
#include "proto/trajectory.capnp.h"
#include "proto/weights.capnp.h"

namespace oneagent::net {

inline ring::ArraySet sample_arrays(int64_t rows) {
  ring::ArraySet arrays;
  std::vector<float> observation(static_cast<size_t>(rows * 4));
  for (size_t i = 0; i < observation.size(); ++i) observation[i] = static_cast<float>(i) * 0.5f;
  arrays.add(ring::array_of<float>("observation", {rows, 4}, observation));
  arrays.add(ring::array_of<int32_t>("action", {rows},
                                     std::vector<int32_t>(static_cast<size_t>(rows), 3)));
  arrays.add(ring::array_of<double>("reward", {rows},
                                    std::vector<double>(static_cast<size_t>(rows), -0.25)));
  arrays.add(ring::array_of<uint8_t>("terminated", {0, 3}, std::vector<uint8_t>{}));
  arrays.add(ring::array_of<int64_t>("version", {}, std::vector<int64_t>{42}));
  return arrays;
}

inline void fill_chunk(proto::Chunk::Builder chunk) {
  chunk.setActor(3);
  chunk.setSequence(17);
  chunk.setSteps(32);
  chunk.setLanes(8);
  chunk.setFirstStep(1024);
  chunk.setWeightsVersion(5);
  auto items = chunk.initItems(3);
  for (auto item : items) {
    item.setTable("rollout");
    item.setLength(32);
  }
}

inline void fill_body(Message& message) {
  using proto::Kind;
  switch (message.kind()) {
    case Kind::ERROR:
      message = error_message(absl::NotFoundError("no table \"rollouts\""));
      return;
    case Kind::CHUNK:
      return fill_chunk(message.init_body<proto::Chunk>());
    case Kind::WEIGHTS: {
      auto body = message.init_body<proto::Weights>();
      body.setEpoch(4);
      body.setEnvSteps(123456);
      body.setConfigHash("0123456789abcdef");
      return;
    }
    case Kind::SAMPLE: {
      auto body = message.init_body<proto::SampleRequest>();
      body.setTable("rollout");
      body.setCount(8);
      return;
    }
    case Kind::BATCH: {
      auto body = message.init_body<proto::Batch>();
      body.setTable("rollout");
      for (auto chunk : body.initChunks(2)) fill_chunk(chunk);
      for (auto item : body.initItems(4)) {
        item.setProbability(0.25);
        item.initItem().setTable("rollout");
      }
      return;
    }
    case Kind::SET_PRIORITIES: {
      auto body = message.init_body<proto::Priorities>();
      body.setTable("rollout");
      body.setKeys({1, 2, 3});
      body.setGenerations({1, 1, 2});
      body.setPriorities({0.5, 0.25, 4});
      return;
    }
    case Kind::CHECKPOINT:
    case Kind::COMMIT: {
      auto body = message.init_body<proto::Epoch>();
      body.setEpoch(9);
      body.setFolder("runs/a/checkpoints/epoch-9");
      return;
    }
    case Kind::REPORT:
      message.init_body<proto::Report>().setText("learner waits for replay/rollout");
      return;
    case Kind::ROLLBACK:
      message.init_body<proto::Rollback>().setSha256("0123456789abcdef");
      return;
    case Kind::STAMP:
      message.init_body<proto::Stamp>().setEpoch(9);
      return;
    case Kind::NOTICE:
      message.init_body<proto::Quarantined>().setReason("observation is NaN at step 3");
      return;
    case Kind::STREAM_HELLO:
      message.stream.nonce = 3;
      message.init_body<proto::Greeting>().setActor(3);
      return;
    case Kind::STREAM_WELCOME:
      message.stream = {3, 64, 1 << 20, 16};
      message.init_body<proto::Place>().setNextChunk(17);
      return;
    default:
      return;
  }
}

inline Message sample_message(proto::Kind kind) {
  Message message(kind);
  fill_body(message);
  if (kind == proto::Kind::CHUNK || kind == proto::Kind::WEIGHTS || kind == proto::Kind::BATCH ||
      kind == proto::Kind::ACT)
    message.arrays = sample_arrays(600);
  message.head.trace_id = 99;
  message.head.request_id = 7;
  message.head.sender = "actor-3";
  message.head.incarnation = 1234567;
  message.head.sequence = 17;
  message.head.version = 5;
  return message;
}

inline std::vector<proto::Kind> all_kinds() {
  std::vector<proto::Kind> kinds;
  for (const auto& enumerant : capnp::Schema::from<proto::Kind>().getEnumerants())
    if (enumerant.getOrdinal() != 0)
      kinds.push_back(static_cast<proto::Kind>(enumerant.getOrdinal()));
  return kinds;
}

// Reads the body as the type that belongs to its kind, and all of it.
inline Status read_body(const Message& message) {
  using proto::Kind;
  switch (message.kind()) {
    case Kind::ERROR:
      return message.body<proto::Error>().status();
    case Kind::CHUNK:
      return message.body<proto::Chunk>().status();
    case Kind::WEIGHTS:
      return message.body<proto::Weights>().status();
    case Kind::SAMPLE:
      return message.body<proto::SampleRequest>().status();
    case Kind::BATCH:
      return message.body<proto::Batch>().status();
    case Kind::SET_PRIORITIES:
      return message.body<proto::Priorities>().status();
    case Kind::CHECKPOINT:
    case Kind::COMMIT:
      return message.body<proto::Epoch>().status();
    case Kind::ROLLBACK:
      return message.body<proto::Rollback>().status();
    case Kind::STAMP:
      return message.body<proto::Stamp>().status();
    case Kind::NOTICE:
      return message.body<proto::Quarantined>().status();
    case Kind::STREAM_HELLO:
      return message.body<proto::Greeting>().status();
    case Kind::STREAM_WELCOME:
      return message.body<proto::Place>().status();
    case Kind::REPORT:
      return message.body<proto::Report>().status();
    default:
      return ok();
  }
}

}  // namespace oneagent::net
