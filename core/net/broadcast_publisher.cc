#include "core/net/broadcast_publisher.h"

#include "core/base/log.h"
#include "core/net/incarnation.h"
#include "core/net/subscribers.h"

namespace oneagent::net {

BroadcastPublisher::BroadcastPublisher(Context& context, BroadcastPublisherOptions options)
    : options_(std::move(options)),
      codec_(context.options().limits),
      incarnation_(make_incarnation()),
      socket_(context, Socket::Kind::kRouter),
      address_(socket_.bind(options_.address)),
      thread_([this] { run(); }) {}

BroadcastPublisher::~BroadcastPublisher() {
  stopping_.store(true);
  waker_.wake();
  thread_.join();
}

Status BroadcastPublisher::publish(int64_t version, Message message) {
  message.head.sender = options_.name;
  message.head.incarnation = incarnation_;
  message.head.version = version;
  std::lock_guard lock(mutex_);
  message.head.sequence = value_.count + 1;
  Result<Frames> frames = codec_.encode(message);
  if (!frames.ok()) return frames.status();
  value_ = {value_.count + 1, version, std::make_shared<const Frames>(*std::move(frames))};
  waker_.wake();
  return ok();
}

PublishedValue BroadcastPublisher::value() {
  std::lock_guard lock(mutex_);
  return value_;
}

void BroadcastPublisher::run() {
  set_log_name(options_.name);
  Subscribers subscribers(socket_, codec_,
                          {options_.name, address_, incarnation_, options_.heartbeat_ms});
  Poller poller;
  poller.add(subscribers);
  poller.add(waker_);
  while (!stopping_.load()) {
    poller.run_once(Deadline::after_ms(options_.heartbeat_ms));
    subscribers.offer(value());
    subscriber_count_.store(subscribers.count());
  }
}

}  // namespace oneagent::net
