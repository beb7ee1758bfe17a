#include "core/net/stream_sender.h"

#include <algorithm>

#include "core/net/incarnation.h"
#include "core/net/malformed_log.h"

namespace oneagent::net {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kReconnectMs = 20;  // between tries to say hello while not connected

}  // namespace

StreamSender::StreamSender(Context& context, WaitBoard& board, StreamSenderOptions options)
    : options_(std::move(options)),
      board_(board),
      socket_(context, Socket::Kind::kDealer),
      codec_(context.options().limits),
      incarnation_(make_incarnation()) {
  socket_.connect(options_.address);
}

Result<Message> StreamSender::connect(Message hello, Deadline deadline) {
  OA_CHECK(state_ == State::kNew, "stream ", options_.name, ": connect() is called once");
  hello_ = std::move(hello);
  begin_greeting();
  const Status status = wait_until([&] { return started_; }, deadline);
  if (status.ok()) return std::move(welcome_);
  if (state_ != State::kEnded) state_ = State::kNew;  // may be tried again
  return status;
}

Status StreamSender::send(Message&& message, Deadline deadline) {
  OA_CHECK(started_, "stream ", options_.name, ": send() before connect()");
  message.head.sender = options_.name;
  message.head.incarnation = incarnation_;
  message.head.sequence = next_sequence_;
  Result<Frames> frames = codec_.encode(message);
  if (!frames.ok()) return frames.status();
  const size_t bytes = total_bytes(*frames);
  if (bytes > window_bytes_)
    return absl::InvalidArgumentError(str(name_of(message.kind()), ": ", bytes,
                                          " bytes do not fit the window of ", peer_text(), ", ",
                                          window_bytes_, " bytes"));
  if (!has_credit(bytes) || steady_ns() - received_ns_ > kMs) progress();
  OA_RETURN_IF_ERROR(wait_until([&] { return has_credit(bytes); }, deadline));
  if (pending_.empty()) moved_ns_ = steady_ns();
  pending_.push_back({next_sequence_++, *std::move(frames), bytes});
  pending_bytes_ += bytes;
  send_unsent();
  return ok();
}

Status StreamSender::flush(Deadline deadline) {
  progress();
  return wait_until([&] { return pending_.empty(); }, deadline);
}

Status StreamSender::poll() {
  progress();
  return ended_;
}

Status StreamSender::wait_until(const std::function<bool()>& ready, Deadline deadline) {
  if (!ended_.ok() || ready()) return ended_;
  WaitScope wait(board_, options_.name, options_.peer, what_is_missing());
  const int64_t start_ns = steady_ns();
  while (true) {
    progress();
    if (!ended_.ok() || ready()) return ended_;
    if (deadline.expired()) break;
    wait.update(what_is_missing());
    socket_.wait(next_due(deadline));
  }
  wait.expired();
  return absl::DeadlineExceededError(
      str(peer_text(), ": ", what_is_missing(), " for ", (steady_ns() - start_ns) / kMs, " ms"));
}

bool StreamSender::has_credit(size_t bytes) const {
  return pending_.size() < window_items_ && pending_bytes_ + bytes <= window_bytes_;
}

void StreamSender::progress() {
  receive_all();
  if (state_ == State::kStreaming && probe_due()) begin_greeting();
  const int64_t patience_ms = greeted_ns_ == 0 ? kReconnectMs : 2 * options_.probe_ms;
  if (state_ == State::kGreeting &&
      steady_ns() - std::max(greeted_ns_, tried_ns_) > patience_ms * kMs)
    greet();
  send_unsent();
}

void StreamSender::receive_all() {
  Frames frames;
  while (state_ != State::kEnded && socket_.try_receive(frames, codec_.limits().max_frames)) {
    Message message;
    const Status status = codec_.decode(std::move(frames), message);
    if (status.ok()) {
      handle(std::move(message));
      continue;
    }
    count_refused(status, str(options_.name, ", answer of ", options_.peer), counters_);
    if (absl::IsFailedPrecondition(status)) end(status);
  }
  received_ns_ = steady_ns();
}

void StreamSender::handle(Message message) {
  ++counters_.messages;
  switch (message.kind()) {
    case proto::Kind::STREAM_ACK:
      return acknowledge(message.head.sequence);
    case proto::Kind::STREAM_WELCOME:
      if (state_ == State::kGreeting && message.stream.nonce >= first_nonce_ &&
          message.stream.nonce <= nonce_)
        handle_welcome(std::move(message));
      return;
    case proto::Kind::STREAM_HELLO_REQUIRED:
      if (state_ == State::kStreaming) begin_greeting();
      return;
    case proto::Kind::NOTICE:
      if (on_notice_) on_notice_(std::move(message));
      return;
    case proto::Kind::ERROR:
      if (Status status = status_of(message); !absl::IsUnavailable(status)) end(std::move(status));
      return;
    default:
      ++counters_.malformed;
  }
}

void StreamSender::handle_welcome(Message welcome) {
  const uint64_t next = welcome.head.sequence;
  if (!started_) {
    next_sequence_ = next;
    acknowledged_ = std::min(next - 1, welcome.stream.durable);
    sent_ = next - 1;
  }
  const uint64_t oldest = pending_.empty() ? next_sequence_ : pending_.front().sequence;
  if (next < oldest)
    return end(
        absl::DataLossError(str(peer_text(), " asks for message ", next,
                                " again, which is no longer at hand: the oldest is ", oldest)));
  if (next > next_sequence_)
    return end(absl::FailedPreconditionError(
        str(peer_text(), " expects message ", next, ", but only ", next_sequence_ - 1,
            " were sent: another process uses the name ", options_.name)));
  window_items_ = welcome.stream.window_items;
  window_bytes_ = welcome.stream.window_bytes;
  if (sent_ >= next) counters_.resent += sent_ - next + 1;
  sent_ = next - 1;
  state_ = State::kStreaming;
  moved_ns_ = steady_ns();
  acknowledge(welcome.stream.durable);
  if (!started_) welcome_ = std::move(welcome);
  started_ = true;
}

void StreamSender::acknowledge(uint64_t through) {
  while (!pending_.empty() && pending_.front().sequence <= std::min(through, sent_)) {
    acknowledged_ = pending_.front().sequence;
    pending_bytes_ -= pending_.front().bytes;
    pending_.pop_front();
    moved_ns_ = steady_ns();
    if (on_acknowledged_) on_acknowledged_(acknowledged_);
  }
}

void StreamSender::begin_greeting() {
  state_ = State::kGreeting;
  first_nonce_ = nonce_ + 1;
  greeted_ns_ = tried_ns_ = 0;
  greet();
}

// Everything that was sent before a hello, on the same connection, arrives before it, so the
// welcome tells exactly what was lost.
void StreamSender::greet() {
  hello_.head.kind = proto::Kind::STREAM_HELLO;
  hello_.head.sender = options_.name;
  hello_.head.incarnation = incarnation_;
  hello_.stream.nonce = ++nonce_;
  const Result<Frames> frames = codec_.encode(hello_);
  if (!frames.ok()) return end(frames.status());
  tried_ns_ = steady_ns();
  if (socket_.try_send(*frames)) greeted_ns_ = tried_ns_;
}

void StreamSender::send_unsent() {
  while (state_ == State::kStreaming && !pending_.empty() && sent_ < pending_.back().sequence) {
    const Pending& next = pending_[sent_ + 1 - pending_.front().sequence];
    if (!socket_.try_send(next.frames)) return;
    sent_ = next.sequence;
    counters_.bytes += next.bytes;
  }
}

void StreamSender::end(Status status) {
  state_ = State::kEnded;
  ended_ = std::move(status);
}

bool StreamSender::probe_due() const {
  return !pending_.empty() && steady_ns() - moved_ns_ > options_.probe_ms * kMs;
}

Deadline StreamSender::next_due(Deadline deadline) const {
  const bool unsent = !pending_.empty() && sent_ < pending_.back().sequence;
  const bool away = state_ == State::kGreeting && greeted_ns_ == 0;
  const int64_t due_ms = away || unsent ? kReconnectMs : options_.probe_ms;
  return Deadline::after_ms(std::min(due_ms, deadline.left_ms()));
}

std::string StreamSender::what_is_missing() const {
  if (state_ == State::kGreeting && greeted_ns_ == 0) return "not connected";
  if (!started_) return "no answer to the hello";
  return str("no acknowledgement of ", pending_.size(), " messages, ", pending_bytes_,
             " bytes (window ", window_items_, " messages, ", window_bytes_, " bytes)");
}

std::string StreamSender::peer_text() const {
  return str(options_.peer, " at ", options_.address.text());
}

}  // namespace oneagent::net
