// Asks one server and waits. The request is resent every second until the answer comes, so that a
// lost connection or a restarted server costs no more than a pause; the server recognises
// repetitions. One object, one strand, one request at a time.
#pragma once

#include <optional>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/socket.h"
#include "core/strand/wait_board.h"

namespace oneagent::net {

struct RequestClientOptions {
  std::string name;  // ours: "learner"
  std::string peer;  // the server's, for waits and errors: "replay"
  Address address;
  int64_t resend_ms = 1000;
};

class RequestClient {
 public:
  RequestClient(Context& context, WaitBoard& board, RequestClientOptions options);

  // The answer, or
  //   DeadlineExceeded  "replay at tcp://..: no answer to sample within 2000 ms (not connected)"
  //   the server's own status, when it answered with an error
  //   InvalidArgument   the message breaks a limit
  // `reason` is what the wait board shows; empty: "asked for <kind>".
  Result<Message> call(Message message, Deadline deadline, std::string_view reason = "");

  const Counters& counters() const { return counters_; }

 private:
  std::optional<Result<Message>> await(uint64_t request_id, const Frames& frames, Deadline deadline,
                                       bool& sent);
  std::optional<Result<Message>> receive(uint64_t request_id);

  RequestClientOptions options_;
  WaitBoard& board_;
  Socket socket_;
  Codec codec_;
  uint64_t incarnation_;
  uint64_t next_request_ = 1;
  Counters counters_;
};

}  // namespace oneagent::net
