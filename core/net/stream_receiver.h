// The receiving end of credit-window streams from many senders. Each message of a sender is
// delivered once, in order. The owner acknowledges when a message is durable: at once (return true
// from on_message) or later (acknowledge()). Acknowledgements are gathered for up to 2 ms. Runs on
// its owner's strand: add it to a Poller, or call run_ready().
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
#include "core/net/socket.h"
#include "core/strand/timer.h"

namespace oneagent::net {

struct StreamReceiverOptions {
  std::string name;  // ours: "replay"
  Address address;
  uint32_t window_items = 128;        // per sender, unacknowledged
  uint64_t window_bytes = 64u << 20;  // per sender; also the largest message
  size_t max_senders = 1024;
  int64_t acknowledge_after_ms = 2;
};

// The owner's answer to a sender's hello.
struct Welcome {
  uint64_t next_sequence = 1;  // the first that the owner has not accepted; what came before is
                               // durable, and dropped as a duplicate
  Message message;             // body and arrays for the sender: its saved state
};

struct Delivery {
  std::string_view sender;
  uint64_t sequence;
  Message message;
};

class StreamReceiver final : public Pollable {
 public:
  // Asked once per process of a sender, and again after our restart. Unavailable lets the sender
  // try again; another error refuses it for good, and it gets the text.
  using OnHello = std::function<Result<Welcome>(const std::string& sender, const Message& hello)>;
  // True: durable now, and everything before it. False: the owner will call acknowledge().
  using OnMessage = std::function<bool(Delivery)>;

  StreamReceiver(Context& context, StreamReceiverOptions options, OnHello on_hello,
                 OnMessage on_message);

  // Everything of this sender through `sequence` is durable. Unknown senders (before their hello
  // after our restart) are ignored.
  void acknowledge(std::string_view sender, uint64_t sequence);

  // Sends a notice to a sender, ahead of later acknowledgements. It is not repeated when it is
  // lost.
  void tell(std::string_view sender, Message notice);
  // Forgets all senders: each must say hello again before its next message is delivered.
  void forget_senders();

  void* socket() const override { return socket_.handle(); }
  void run_ready() override;
  int64_t due_ms() const override;
  const Address& address() const { return address_; }
  const Counters& counters() const { return counters_; }

 private:
  struct Sender {
    Frame peer;
    uint64_t incarnation = 0;
    uint64_t expected = 1;  // next sequence to deliver
    uint64_t durable = 0;   // acknowledged by the owner
    uint64_t told = 0;      // acknowledged to the sender
    Message greeting;  // the owner's answer to the hello, kept until the first message shows that
                       // it has arrived
    bool asked_for_hello = false;
  };

  void handle(const Frame& peer, Frames frames);
  void handle_hello(const Frame& peer, const Message& hello);
  Sender* admit(
      const Frame& peer,
      const Message& hello);  // a new sender or a new process of a known one; null when refused
  void handle_data(const Frame& peer, Message message);
  void deliver(const std::string& name, Sender& sender, Message message);
  void ask_for_hello(const Frame& peer);
  void refuse(const Frame& peer, const Status& status);
  void note_durable(Sender& sender, uint64_t sequence);
  void send_acknowledgement(Sender& sender);
  void send_to(const Frame& peer, Message& message);

  StreamReceiverOptions options_;
  OnHello on_hello_;
  OnMessage on_message_;
  Socket socket_;
  Codec codec_;
  Address address_;
  std::map<std::string, Sender, std::less<>> senders_;
  int64_t first_untold_ns_ = 0;  // when the oldest gathered acknowledgement became due; 0 = none
  Counters counters_;
};

}  // namespace oneagent::net
