// The receiving end of a versioned broadcast; holds the newest value. One object, one strand.
// Progress is made inside poll() and wait_for().
#pragma once

#include <memory>
#include <string>

#include "core/net/codec.h"
#include "core/net/counters.h"
#include "core/net/poller.h"
#include "core/net/socket.h"
#include "core/strand/wait_board.h"

namespace oneagent::net {

struct BroadcastSubscriberOptions {
  std::string name;  // ours: "actor-0"
  std::string peer;  // the publisher's, for waits and errors: "learner"
  Address address;
  int64_t silent_after_ms =
      1500;  // without a heartbeat for this long the publisher counts as silent
};

class BroadcastSubscriber final : public Pollable {
 public:
  BroadcastSubscriber(Context& context, WaitBoard& board, BroadcastSubscriberOptions options);

  // Takes what has come; true when latest() changed. Never blocks.
  bool poll();
  // Newest value, or null before the first. head.version is its version.
  std::shared_ptr<const Message> latest() const { return latest_; }
  int64_t version() const { return latest_ ? latest_->head.version : -1; }
  // Newest version that the publisher has announced: lag = newest_version() - version in use.
  int64_t newest_version() const { return newest_version_; }
  // Waits, named on the board, for a value of at least this version. DeadlineExceeded says what is
  // at hand and whether the publisher is silent; FailedPrecondition: it speaks another schema
  // version.
  Result<std::shared_ptr<const Message>> wait_for(int64_t version, Deadline deadline);

  // Time since the publisher was last heard.
  int64_t silent_ms() const;
  bool silent() const { return silent_ms() > options_.silent_after_ms; }

  void* socket() const override { return socket_.handle(); }
  void run_ready() override { poll(); }
  int64_t due_ms() const override;
  const Counters& counters() const { return counters_; }

 private:
  bool handle(Message message);
  void ask();  // sends what we have; the publisher answers when it has something newer
  std::string what_is_missing(int64_t version) const;

  BroadcastSubscriberOptions options_;
  WaitBoard& board_;
  Socket socket_;
  Codec codec_;
  std::shared_ptr<const Message> latest_;
  uint64_t publisher_ = 0;  // incarnation of the publisher that latest_ came from
  uint64_t have_ = 0;       // its count of the value at hand
  int64_t newest_version_ = -1;
  uint64_t incarnation_;
  int64_t heard_ns_;
  int64_t tried_ns_ = 0;  // when we last asked, or tried to
  bool asked_ = false;    // it went out
  Status refused_;        // the publisher speaks another schema version, or has no room
  Counters counters_;
};

}  // namespace oneagent::net
