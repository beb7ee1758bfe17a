// Answers requests, one reply each. Requests are idempotent on the wire: one that is resent while
// the first is in work is dropped, and one that is resent later gets the kept reply, without a
// second call of the handler. The last reply of each of up to 1024 clients is kept.
//
//   RequestServer server(context, {.name = "replay", .address = parse_address("tcp://*:5001")},
//                        [&](Request request) { request.reply(table.info()); });
//
// Runs on its owner's strand: add it to a Poller, or call run_ready().
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
#include "core/net/socket.h"

namespace oneagent::net {

class ReplyBook;  // reply_book.h

// A request in work. Answer at once, or keep it and answer later from the same strand. One that is
// destroyed unanswered is answered with an error. Must not outlive the server by more than that:
// replying after the server is gone does nothing.
class Request {
 public:
  Request(Message message, std::shared_ptr<ReplyBook> book, std::string client);
  ~Request();
  Request(Request&&) noexcept = default;
  Request& operator=(Request&&) noexcept;

  const Message& message() const { return message_; }
  proto::Kind kind() const { return message_.kind(); }
  const std::string& sender() const { return message_.head.sender; }
  // The client has given up: an answer would be dropped.
  bool stale() const;
  void reply(Message answer);
  void reply(const Status& status);  // OK answers with kind done
  void reply(Result<Message> answer);

 private:
  Message message_;
  std::shared_ptr<ReplyBook> book_;  // null once answered
  std::string client_;
};

struct RequestServerOptions {
  std::string name;  // sender of the replies
  Address address;
  size_t kept_reply_bytes = 256u << 20;  // all kept replies together; the oldest go first
};

class RequestServer final : public Pollable {
 public:
  using Handler = std::function<void(Request)>;

  RequestServer(Context& context, RequestServerOptions options, Handler handler);
  ~RequestServer() override;

  void* socket() const override { return socket_.handle(); }
  void run_ready() override;
  const Address& address() const { return address_; }  // with the chosen port
  const Counters& counters() const { return counters_; }

 private:
  void handle(const Frame& peer, Frames frames);
  void refuse(const Frame& peer, const Message& message, const Status& status);
  void send_error(const Frame& peer, const Message& message, const Status& status);

  RequestServerOptions options_;
  Handler handler_;
  Socket socket_;
  Codec codec_;
  Address address_;
  std::shared_ptr<ReplyBook> book_;
  Counters counters_;
};

}  // namespace oneagent::net
