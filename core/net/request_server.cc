#include "core/net/request_server.h"

#include "core/base/clock.h"
#include "core/net/malformed_log.h"
#include "core/net/reply_book.h"

namespace oneagent::net {
namespace {

constexpr int kMostPerRun = 64;

// A peer without an incarnation (JSON) is told apart by its connection.
std::string client_key(const Head& head, const Frame& peer) {
  return head.incarnation != 0 ? str(head.sender, '/', head.incarnation)
                               : str(head.sender, '@', peer.text());
}

}  // namespace

Request::Request(Message message, std::shared_ptr<ReplyBook> book, std::string client)
    : message_(std::move(message)), book_(std::move(book)), client_(std::move(client)) {}

Request::~Request() {
  if (book_ != nullptr)
    reply(absl::InternalError(str(name_of(kind()), ": the request was dropped without an answer")));
}

Request& Request::operator=(Request&& other) noexcept {
  if (this == &other) return *this;
  if (book_ != nullptr)
    reply(absl::InternalError(str(name_of(kind()), ": the request was dropped without an answer")));
  message_ = std::move(other.message_);
  book_ = std::move(other.book_);
  client_ = std::move(other.client_);
  return *this;
}

bool Request::stale() const {
  return message_.head.deadline_ms != 0 && wall_ms() >= message_.head.deadline_ms;
}

void Request::reply(Message answer) {
  if (const std::shared_ptr<ReplyBook> book = std::move(book_))
    book->reply(client_, message_, std::move(answer));
}

void Request::reply(const Status& status) {
  reply(status.ok() ? Message(proto::Kind::DONE) : error_message(status));
}

void Request::reply(Result<Message> answer) {
  if (answer.ok()) return reply(*std::move(answer));
  reply(answer.status());
}

RequestServer::RequestServer(Context& context, RequestServerOptions options, Handler handler)
    : options_(std::move(options)),
      handler_(std::move(handler)),
      socket_(context, Socket::Kind::kRouter),
      codec_(context.options().limits),
      address_(socket_.bind(options_.address)),
      book_(
          std::make_shared<ReplyBook>(socket_, codec_, options_.name, options_.kept_reply_bytes)) {}

RequestServer::~RequestServer() { book_->close(); }

void RequestServer::run_ready() {
  Frame peer;
  Frames frames;
  for (int i = 0;
       i < kMostPerRun && socket_.try_receive_from(peer, frames, codec_.limits().max_frames); ++i)
    handle(peer, std::move(frames));
}

void RequestServer::handle(const Frame& peer, Frames frames) {
  const size_t bytes = total_bytes(frames);
  Message message;
  const Status status = codec_.decode(std::move(frames), message);
  if (!status.ok()) return refuse(peer, message, status);
  if (message.head.request_id == 0)
    return refuse(peer, message,
                  absl::InvalidArgumentError("a request needs a request id above 0"));
  ++counters_.messages;
  counters_.bytes += bytes;
  std::string client = client_key(message.head, peer);
  switch (book_->enter(client, message.head.request_id, peer)) {
    case ReplyBook::Entry::kNew:
      return handler_(Request(std::move(message), book_, std::move(client)));
    case ReplyBook::Entry::kDuplicate:
      ++counters_.duplicates;
      return;
    case ReplyBook::Entry::kFull:
      return send_error(
          peer, message,
          absl::ResourceExhaustedError(
              str(options_.name, ": ", ReplyBook::kMaxClients, " clients have requests in work")));
  }
}

// Another schema version is answered in ours: the client reads at least the text. What is malformed
// has no request to answer.
void RequestServer::refuse(const Frame& peer, const Message& message, const Status& status) {
  count_refused(status, str(options_.name, " at ", address_.text()), counters_);
  if (absl::IsFailedPrecondition(status)) send_error(peer, message, status);
}

void RequestServer::send_error(const Frame& peer, const Message& message, const Status& status) {
  Message error = error_message(status);
  error.head.request_id = message.head.request_id;
  error.head.sender = options_.name;
  if (message.has_json()) error.set_json(Json{{"text", std::string(status.message())}});
  if (const Result<Frames> frames = codec_.encode(error); frames.ok())
    socket_.try_send_to(peer, *frames);
}

}  // namespace oneagent::net
