#include "core/net/stream_receiver.h"

#include <algorithm>

#include "core/net/malformed_log.h"

namespace oneagent::net {
namespace {

constexpr int kMostPerRun = 64;

}  // namespace

StreamReceiver::StreamReceiver(Context& context, StreamReceiverOptions options, OnHello on_hello,
                               OnMessage on_message)
    : options_(std::move(options)),
      on_hello_(std::move(on_hello)),
      on_message_(std::move(on_message)),
      socket_(context, Socket::Kind::kRouter),
      codec_(context.options().limits),
      address_(socket_.bind(options_.address)) {
  OA_REQUIRE(options_.window_items >= 1 && options_.window_items <= 1000, "stream ", options_.name,
             ": window_items must be 1 .. 1000, was ", options_.window_items);
}

void StreamReceiver::run_ready() {
  Frame peer;
  Frames frames;
  for (int i = 0;
       i < kMostPerRun && socket_.try_receive_from(peer, frames, codec_.limits().max_frames); ++i)
    handle(peer, std::move(frames));
  if (due_ms() > 0) return;
  for (auto& [name, sender] : senders_)
    if (sender.durable > sender.told) send_acknowledgement(sender);
  first_untold_ns_ = 0;
}

int64_t StreamReceiver::due_ms() const {
  if (first_untold_ns_ == 0) return 1'000'000;
  const int64_t left_ns =
      first_untold_ns_ + options_.acknowledge_after_ms * 1'000'000 - steady_ns();
  return std::max<int64_t>(0, (left_ns + 999'999) / 1'000'000);
}

void StreamReceiver::acknowledge(std::string_view name, uint64_t sequence) {
  const auto found = senders_.find(name);
  if (found != senders_.end())
    note_durable(found->second, std::min(sequence, found->second.expected - 1));
}

void StreamReceiver::tell(std::string_view name, Message notice) {
  const auto found = senders_.find(name);
  if (found == senders_.end()) return;
  notice.head.kind = proto::Kind::NOTICE;
  send_to(found->second.peer, notice);
}

void StreamReceiver::forget_senders() {
  senders_.clear();
  first_untold_ns_ = 0;
}

// Acknowledgements wait for company until a quarter of the window is due: one costs as much as a
// small message.
void StreamReceiver::note_durable(Sender& sender, uint64_t sequence) {
  if (sequence <= sender.durable) return;
  sender.durable = sequence;
  if ((sender.durable - sender.told) * 4 >= options_.window_items)
    return send_acknowledgement(sender);
  if (first_untold_ns_ == 0) first_untold_ns_ = steady_ns();
}

void StreamReceiver::send_acknowledgement(Sender& sender) {
  sender.told = sender.durable;
  Message message(proto::Kind::STREAM_ACK);
  message.head.sequence = sender.durable;
  send_to(sender.peer, message);
}

void StreamReceiver::handle(const Frame& peer, Frames frames) {
  const size_t bytes = total_bytes(frames);
  Message message;
  const Status status = codec_.decode(std::move(frames), message);
  if (!status.ok()) {
    count_refused(status, str(options_.name, " at ", address_.text()), counters_);
    if (absl::IsFailedPrecondition(status)) refuse(peer, status);
    return;
  }
  if (message.kind() == proto::Kind::STREAM_HELLO) return handle_hello(peer, message);
  if (message.head.sequence == 0)
    return count_refused(absl::InvalidArgumentError("a stream message without a sequence"),
                         options_.name, counters_);
  counters_.bytes += bytes;
  handle_data(peer, std::move(message));
}

void StreamReceiver::handle_hello(const Frame& peer, const Message& hello) {
  const auto found = senders_.find(hello.head.sender);
  const bool known = found != senders_.end() && found->second.incarnation == hello.head.incarnation;
  Sender* sender = known ? &found->second : admit(peer, hello);
  if (sender == nullptr) return;
  sender->peer = peer;
  sender->told = sender->durable;
  sender->asked_for_hello = false;
  Message& welcome = sender->greeting;
  welcome.head.kind = proto::Kind::STREAM_WELCOME;
  welcome.head.sequence = sender->expected;
  welcome.stream = {hello.stream.nonce, options_.window_items, options_.window_bytes,
                    sender->durable};
  send_to(peer, welcome);
}

StreamReceiver::Sender* StreamReceiver::admit(const Frame& peer, const Message& hello) {
  const std::string& name = hello.head.sender;
  const auto found = senders_.find(name);
  const auto refused = [&](const Status& status) {
    refuse(peer, status);
    return nullptr;
  };
  if (name.empty()) return refused(absl::InvalidArgumentError("a stream's sender needs a name"));
  if (found != senders_.end() && found->second.incarnation > hello.head.incarnation)
    return refused(absl::FailedPreconditionError(
        str(options_.name, ": a later process took over the name ", name)));
  if (found == senders_.end() && senders_.size() >= options_.max_senders)
    return refused(absl::ResourceExhaustedError(
        str(options_.name, ": at most ", options_.max_senders, " senders")));
  Result<Welcome> welcome = on_hello_(name, hello);
  if (!welcome.ok()) return refused(welcome.status());
  OA_CHECK(welcome->next_sequence >= 1, "stream ", options_.name, ": sequences start at 1");
  Sender& sender = senders_[name];
  // What a known sender's earlier process sent may be accepted and not yet durable.
  sender.durable = found != senders_.end() ? std::min(sender.durable, welcome->next_sequence - 1)
                                           : welcome->next_sequence - 1;
  sender.incarnation = hello.head.incarnation;
  sender.expected = welcome->next_sequence;
  sender.greeting = std::move(welcome->message);
  return &sender;
}

void StreamReceiver::handle_data(const Frame& peer, Message message) {
  const auto found = senders_.find(message.head.sender);
  if (found == senders_.end() || found->second.incarnation < message.head.incarnation)
    return ask_for_hello(peer);
  Sender& sender = found->second;
  if (sender.incarnation > message.head.incarnation)
    return refuse(peer, absl::FailedPreconditionError(str(
                            options_.name, ": a later process took over the name ", found->first)));
  sender.peer = peer;
  if (message.head.sequence < sender.expected) {
    ++counters_.duplicates;
    return;
  }
  if (message.head.sequence == sender.expected)
    return deliver(found->first, sender, std::move(message));
  ++counters_.gaps;
  if (!sender.asked_for_hello) ask_for_hello(peer);
  sender.asked_for_hello = true;
}

void StreamReceiver::deliver(const std::string& name, Sender& sender, Message message) {
  ++counters_.messages;
  const uint64_t sequence = sender.expected++;
  if (sender.greeting.has_body() || !sender.greeting.arrays.empty())
    sender.greeting = Message();  // it has arrived
  if (on_message_({name, sequence, std::move(message)})) note_durable(sender, sequence);
}

void StreamReceiver::ask_for_hello(const Frame& peer) {
  Message message(proto::Kind::STREAM_HELLO_REQUIRED);
  send_to(peer, message);
}

void StreamReceiver::refuse(const Frame& peer, const Status& status) {
  Message message = error_message(status);
  send_to(peer, message);
}

// A peer that is away or does not read misses this; it will say hello again and hear where we
// stand.
void StreamReceiver::send_to(const Frame& peer, Message& message) {
  message.head.sender = options_.name;
  const Result<Frames> frames = codec_.encode(message);
  OA_REQUIRE(frames.ok(), "stream ", options_.name,
             ": cannot send an answer: ", std::string(frames.status().message()));
  socket_.try_send_to(peer, *frames);
}

}  // namespace oneagent::net
