#include "core/net/request_client.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/net/incarnation.h"
#include "core/net/malformed_log.h"

namespace oneagent::net {

RequestClient::RequestClient(Context& context, WaitBoard& board, RequestClientOptions options)
    : options_(std::move(options)),
      board_(board),
      socket_(context, Socket::Kind::kDealer),
      codec_(context.options().limits),
      incarnation_(make_incarnation()) {
  socket_.connect(options_.address);
}

Result<Message> RequestClient::call(Message message, Deadline deadline, std::string_view reason) {
  const int64_t timeout_ms = deadline.left_ms();
  message.head.request_id = next_request_++;
  message.head.sender = options_.name;
  message.head.incarnation = incarnation_;
  message.head.deadline_ms = wall_ms() + timeout_ms;
  const std::string kind = name_of(message.kind());
  Result<Frames> frames = codec_.encode(message);
  if (!frames.ok()) return frames.status();
  WaitScope wait(board_, options_.name, options_.peer,
                 reason.empty() ? "asked for " + kind : std::string(reason));
  bool sent = false;
  std::optional<Result<Message>> answer = await(message.head.request_id, *frames, deadline, sent);
  if (answer.has_value()) return *std::move(answer);
  wait.expired();
  return absl::DeadlineExceededError(str(options_.peer, " at ", options_.address.text(),
                                         ": no answer to ", kind, " within ", timeout_ms, " ms",
                                         sent ? "" : " (not connected)"));
}

// Sends, and sends again when due, until the answer is there; nothing at the deadline.
std::optional<Result<Message>> RequestClient::await(uint64_t request_id, const Frames& frames,
                                                    Deadline deadline, bool& sent) {
  const auto next = [&](int64_t ms) { return std::min(deadline.left_ms(), ms); };
  while (true) {
    const bool went_out = socket_.try_send(frames);
    counters_.resent += went_out && sent ? 1 : 0;
    sent = sent || went_out;
    const Deadline resend = Deadline::after_ms(next(options_.resend_ms));
    do {
      if (std::optional<Result<Message>> answer = receive(request_id)) return answer;
    } while (socket_.wait(resend, !went_out) && went_out);
    if (deadline.expired()) return std::nullopt;
  }
}

// Takes what has come; answers to earlier requests, which nobody waits for any more, are dropped.
std::optional<Result<Message>> RequestClient::receive(uint64_t request_id) {
  Frames frames;
  while (socket_.try_receive(frames, codec_.limits().max_frames)) {
    const size_t bytes = total_bytes(frames);
    Message answer;
    const Status status = codec_.decode(std::move(frames), answer);
    if (!status.ok())
      count_refused(status, str(options_.name, ", answer of ", options_.peer), counters_);
    if (absl::IsFailedPrecondition(status)) return status;
    if (!status.ok()) continue;
    ++counters_.messages;
    counters_.bytes += bytes;
    if (answer.head.request_id != request_id) {
      ++counters_.duplicates;
      continue;
    }
    if (answer.kind() == proto::Kind::ERROR) return status_of(answer);
    return answer;
  }
  return std::nullopt;
}

}  // namespace oneagent::net
