#include "core/net/subscribers.h"

#include "core/base/clock.h"
#include "core/net/malformed_log.h"

namespace oneagent::net {
namespace {

constexpr int kMostPerRun = 64;
constexpr int64_t kForgetAfterNs = 3'000'000'000;

}  // namespace

Subscribers::Subscribers(Socket& socket, const Codec& codec, Options options)
    : socket_(socket),
      codec_(codec),
      options_(std::move(options)),
      heartbeat_(options_.heartbeat_ms) {}

void Subscribers::run_ready() {
  Frame peer;
  Frames frames;
  for (int i = 0;
       i < kMostPerRun && socket_.try_receive_from(peer, frames, codec_.limits().max_frames); ++i)
    handle(peer, std::move(frames));
  if (!heartbeat_.due()) return;
  forget_silent();
  send_heartbeats();
}

void Subscribers::offer(const PublishedValue& value) {
  newest_ = value;
  for (auto& [id, subscriber] : subscribers_) {
    if (!subscriber.asked || subscriber.have >= value.count) continue;
    if (!socket_.try_send_to(subscriber.peer, *value.frames)) continue;
    subscriber.asked = false;
    subscriber.have = value.count;
  }
}

void Subscribers::handle(const Frame& peer, Frames frames) {
  Message message;
  Status status = codec_.decode(std::move(frames), message);
  if (status.ok() && message.kind() != proto::Kind::BROADCAST_WANT)
    status = absl::InvalidArgumentError(str("unexpected ", name_of(message.kind())));
  if (status.ok()) return note_want(peer, message);
  count_refused(status, str(options_.name, " at ", options_.address.text()), counters_);
  if (absl::IsFailedPrecondition(status)) answer(peer, error_message(status));
}

// A want for another publisher's values (we were restarted, or take over) has nothing of ours.
void Subscribers::note_want(const Frame& peer, const Message& want) {
  const std::string id(peer.text());
  if (subscribers_.size() >= kMaxSubscribers && !subscribers_.contains(id))
    return answer(peer, error_message(absl::ResourceExhaustedError(
                            str(options_.name, ": at most ", kMaxSubscribers, " subscribers"))));
  const bool first = !subscribers_.contains(id);
  const uint64_t have = want.stream.nonce == options_.incarnation ? want.head.sequence : 0;
  subscribers_[id] = {peer, have, true, steady_ns()};
  if (first) answer(peer, Message(proto::Kind::BROADCAST_HEARTBEAT));
}

void Subscribers::forget_silent() {
  const int64_t now = steady_ns();
  std::erase_if(subscribers_,
                [&](const auto& entry) { return now - entry.second.heard_ns > kForgetAfterNs; });
}

void Subscribers::send_heartbeats() {
  for (const auto& [id, subscriber] : subscribers_)
    answer(subscriber.peer, Message(proto::Kind::BROADCAST_HEARTBEAT));
}

void Subscribers::answer(const Frame& peer, Message message) {
  message.head.sender = options_.name;
  message.head.incarnation = options_.incarnation;
  message.head.sequence = newest_.count;
  message.head.version = newest_.version;
  if (const Result<Frames> frames = codec_.encode(message); frames.ok())
    socket_.try_send_to(peer, *frames);
}

}  // namespace oneagent::net
