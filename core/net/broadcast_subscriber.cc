#include "core/net/broadcast_subscriber.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/net/incarnation.h"
#include "core/net/malformed_log.h"

namespace oneagent::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kAskAgainMs = 1000;  // also tells the publisher that we are here
constexpr int64_t kReconnectMs = 20;   // between tries to ask while not connected

}  // namespace

BroadcastSubscriber::BroadcastSubscriber(Context& context, WaitBoard& board,
                                         BroadcastSubscriberOptions options)
    : options_(std::move(options)),
      board_(board),
      socket_(context, Socket::Kind::kDealer),
      codec_(context.options().limits),
      incarnation_(make_incarnation()),
      heard_ns_(steady_ns()) {
  socket_.connect(options_.address);
  ask();
}

bool BroadcastSubscriber::poll() {
  bool changed = false;
  Frames frames;
  while (socket_.try_receive(frames, codec_.limits().max_frames)) {
    Message message;
    const Status status = codec_.decode(std::move(frames), message);
    if (!status.ok()) {
      count_refused(status, str(options_.name, ", broadcast of ", options_.peer), counters_);
      if (absl::IsFailedPrecondition(status)) refused_ = status;
      continue;
    }
    heard_ns_ = steady_ns();
    changed |= handle(std::move(message));
  }
  if (due_ms() == 0) ask();
  return changed;
}

int64_t BroadcastSubscriber::due_ms() const {
  const int64_t patience_ms = asked_ ? kAskAgainMs : kReconnectMs;
  return std::max<int64_t>(0, (tried_ns_ + patience_ms * kMs - steady_ns() + kMs - 1) / kMs);
}

bool BroadcastSubscriber::handle(Message message) {
  if (message.kind() == proto::Kind::ERROR) {
    refused_ = status_of(message);
    return false;
  }
  newest_version_ = message.head.sequence > 0 ? message.head.version : newest_version_;
  if (message.kind() == proto::Kind::BROADCAST_HEARTBEAT) return false;
  ++counters_.messages;
  if (message.head.incarnation < publisher_ ||
      (message.head.incarnation == publisher_ && message.head.sequence <= have_)) {
    ++counters_.duplicates;
    return false;
  }
  publisher_ = message.head.incarnation;
  have_ = message.head.sequence;
  latest_ = std::make_shared<const Message>(std::move(message));
  ask();
  return true;
}

void BroadcastSubscriber::ask() {
  Message want(proto::Kind::BROADCAST_WANT);
  want.head.sender = options_.name;
  want.head.incarnation = incarnation_;
  want.head.sequence = have_;
  want.stream.nonce = publisher_;
  const Result<Frames> frames = codec_.encode(want);
  OA_REQUIRE(frames.ok(), "broadcast of ", options_.peer, ": ",
             std::string(frames.status().message()));
  asked_ = socket_.try_send(*frames);
  tried_ns_ = steady_ns();
}

Result<std::shared_ptr<const Message>> BroadcastSubscriber::wait_for(int64_t version,
                                                                     Deadline deadline) {
  poll();
  if (this->version() >= version) return latest_;
  WaitScope wait(board_, options_.name, options_.peer, what_is_missing(version));
  while (refused_.ok() && !deadline.expired()) {
    socket_.wait(Deadline::after_ms(std::min({due_ms(), deadline.left_ms(), int64_t{100}})));
    poll();
    if (this->version() >= version) return latest_;
    wait.update(what_is_missing(version));
  }
  if (!refused_.ok()) return std::exchange(refused_, ok());
  wait.expired();
  return absl::DeadlineExceededError(
      str(options_.peer, " at ", options_.address.text(), ": ", what_is_missing(version)));
}

int64_t BroadcastSubscriber::silent_ms() const { return (steady_ns() - heard_ns_) / kMs; }

std::string BroadcastSubscriber::what_is_missing(int64_t version) const {
  std::string text =
      str("needs version ", version, latest_ ? str(", has ", this->version()) : ", has none");
  if (silent()) text += str("; ", options_.peer, " has been silent for ", silent_ms() / 1000, " s");
  return text;
}

}  // namespace oneagent::net
