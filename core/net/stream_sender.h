// The sending end of a credit-window stream (actor -> replay). Messages are numbered; each stays in
// memory, unacknowledged, until the receiver says that it is durable. At most a window of items and
// bytes, set by the receiver, may be unacknowledged: beyond that send() waits, which is
// back-pressure. After a lost connection or a restarted receiver everything unacknowledged goes out
// again; the receiver drops duplicates. One object, one strand. Progress (acknowledgements,
// resending) is made inside send(), flush() and poll().
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/socket.h"
#include "core/strand/wait_board.h"

namespace oneagent::net {

struct StreamSenderOptions {
  std::string name;  // ours, the key of deduplication: "actor-0"
  std::string peer;  // for waits and errors: "replay"
  Address address;
  int64_t probe_ms =
      500;  // without an acknowledgement for this long, asks the receiver where it stands
};

class StreamSender {
 public:
  StreamSender(Context& context, WaitBoard& board, StreamSenderOptions options);

  // First exchange; call it before send(). `hello` (body and arrays are the application's) reaches
  // the receiver's on_hello, now and after each reconnect; its answer is returned. Sets
  // next_sequence() to what the receiver expects.
  Result<Message> connect(Message hello, Deadline deadline);

  // Queues the message as number next_sequence() and returns; waits, named on the board, while
  // there is no credit. The message's arrays are shared, not copied, until acknowledged. Codes:
  //   DeadlineExceeded    no credit until the deadline; nothing was queued, send again
  //   InvalidArgument     larger than a limit or than the whole window
  //   FailedPrecondition  a later process took over our name, or the receiver speaks another schema
  //   version DataLoss            the receiver has forgotten messages that it had acknowledged
  Status send(Message&& message, Deadline deadline);
  // Waits until everything is acknowledged.
  Status flush(Deadline deadline);
  // Makes progress without waiting. Returns what send() would: OK or why the stream has ended.
  Status poll();

  uint64_t next_sequence() const {
    return next_sequence_;
  }  // of the next send(); the first ever is 1
  uint64_t acknowledged_through() const { return acknowledged_; }
  uint64_t incarnation() const { return incarnation_; }
  size_t unacknowledged_items() const { return pending_.size(); }
  size_t unacknowledged_bytes() const { return pending_bytes_; }
  // Called, inside the calls above, for each sequence that became durable, in order: the place for
  // an audit log.
  void on_acknowledged(std::function<void(uint64_t sequence)> callback) {
    on_acknowledged_ = std::move(callback);
  }
  // Called, inside the calls above, for each notice of the receiver (StreamReceiver::tell).
  void on_notice(std::function<void(Message)> callback) { on_notice_ = std::move(callback); }
  const Counters& counters() const { return counters_; }

 private:
  struct Pending {
    uint64_t sequence;
    Frames frames;
    size_t bytes;
  };
  enum class State { kNew, kGreeting, kStreaming, kEnded };

  Status wait_until(const std::function<bool()>& ready, Deadline deadline);
  bool has_credit(size_t bytes) const;
  void progress();  // takes what has come, greets or probes when due, sends what is unsent
  void receive_all();
  void handle(Message message);
  void handle_welcome(Message welcome);
  void acknowledge(uint64_t through);
  void begin_greeting();  // from now on nothing but hellos goes out until a welcome
  void greet();
  void send_unsent();
  void end(Status status);
  bool probe_due() const;
  Deadline next_due(Deadline deadline) const;
  std::string what_is_missing() const;
  std::string peer_text() const;  // "replay at tcp://..."

  StreamSenderOptions options_;
  WaitBoard& board_;
  Socket socket_;
  Codec codec_;
  uint64_t incarnation_;
  State state_ = State::kNew;
  Status ended_;
  Message hello_;
  Message welcome_;
  bool started_ = false;      // the first welcome has come
  uint64_t nonce_ = 0;        // of the newest hello
  uint64_t first_nonce_ = 0;  // of the first hello of this greeting
  int64_t moved_ns_ =
      0;  // last acknowledgement, or first message after everything was acknowledged
  int64_t greeted_ns_ = 0;   // 0: the hello has not gone out
  int64_t tried_ns_ = 0;     // when it was last tried
  int64_t received_ns_ = 0;  // when we last looked for what has come
  uint64_t next_sequence_ = 1;
  uint64_t acknowledged_ = 0;
  uint64_t sent_ = 0;  // last sequence handed to ZeroMQ
  uint32_t window_items_ = 0;
  uint64_t window_bytes_ = 0;
  std::deque<Pending> pending_;  // unacknowledged, in order
  size_t pending_bytes_ = 0;
  std::function<void(uint64_t)> on_acknowledged_;
  std::function<void(Message)> on_notice_;
  Counters counters_;
};

}  // namespace oneagent::net
