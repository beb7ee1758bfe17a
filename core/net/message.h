// What travels between services: a head, a small typed body (Cap'n Proto, proto/*.capnp) and named
// arrays. Built by one strand, then never changed.
//
//   Message message(proto::Kind::SAMPLE);
//   message.init_body<proto::SampleRequest>().setTable("rollout");
//   ...
//   Result<proto::SampleRequest::Reader> request = message.body<proto::SampleRequest>();
//
// Arrays that arrived by network share the received bytes; arrays over inproc are the sender's own
// memory.
#pragma once

#include <capnp/message.h>
#include <capnp/schema.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/base/json.h"
#include "core/base/result.h"
#include "core/data/array_set.h"
#include "core/net/body_plan.h"
#include "proto/envelope.capnp.h"

namespace oneagent::net {

struct Head {
  proto::Kind kind = proto::Kind::NONE;
  uint64_t trace_id = 0;
  uint64_t request_id = 0;
  int64_t deadline_ms = 0;  // wall time; 0 = none
  std::string sender;
  uint64_t incarnation = 0;
  uint64_t sequence = 0;
  int64_t version = 0;
};

// What the two ends of a stream tell each other; all zero in other messages.
struct StreamControl {
  uint64_t nonce = 0;
  uint32_t window_items = 0;
  uint64_t window_bytes = 0;
  uint64_t durable = 0;
  friend bool operator==(const StreamControl&, const StreamControl&) = default;
};

class ReceivedHeader;  // received_header.h

// Moves, does not copy.
class Message {
 public:
  Message();
  explicit Message(proto::Kind kind, ring::ArraySet arrays = {});
  ~Message();
  Message(Message&&) noexcept;
  Message& operator=(Message&&) noexcept;

  Head head;
  ring::ArraySet arrays;
  StreamControl stream;  // streams and broadcasts only

  proto::Kind kind() const { return head.kind; }

  // Starts (again) an empty body of type T. The builder is valid until the next init_body.
  template <class T>
  typename T::Builder init_body() {
    json_ = nullptr;
    body_ = std::make_unique<capnp::MallocMessageBuilder>();
    return body_->initRoot<T>();
  }

  // The body as T, checked as a whole: once this returns a reader, no access to it can fail.
  // InvalidArgument when the message has no body, or one that is not a well-formed T. The reader is
  // valid as long as the message.
  template <class T>
  Result<typename T::Reader> body() const {
    static const BodyPlan plan(capnp::Schema::from<T>());
    OA_RETURN_IF_ERROR(check_body(plan));
    return body_root().template getAs<T>();
  }

  // Messages with a JSON header (remote environments) carry a JSON value instead of a Cap'n Proto
  // body.
  bool has_json() const { return !json_.is_null(); }
  const Json& json() const { return json_; }
  void set_json(Json body);

  bool has_body() const { return body_ != nullptr || received_ != nullptr; }

 private:
  friend class Codec;
  Status check_body(const BodyPlan& plan) const;
  capnp::AnyPointer::Reader body_root() const;

  std::unique_ptr<capnp::MallocMessageBuilder> body_;  // made here
  std::shared_ptr<const ReceivedHeader> received_;     // or came by network; null without a body
  Json json_;
};

// "sample", "chunk": the names of proto::Kind.
std::string name_of(proto::Kind kind);

// An answer that carries a Status, and back. status_of is OK for every other kind.
Message error_message(const Status& status);
Status status_of(const Message& message);
Message report_message(std::string_view text);  // kind report

}  // namespace oneagent::net
