// How actors and evaluators follow the learner's weights. One object, one strand.
#pragma once

#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/data/weights.h"
#include "core/net/broadcast_subscriber.h"

namespace oneagent {

class WeightsClient final {
 public:
  // `name` is the waiter on the board: "actor-0".
  WeightsClient(net::Context& context, WaitBoard& board, const std::string& name,
                const std::string& address);

  // Takes what has come; true when current() changed.
  bool poll();
  // Newest weights, or null before the first.
  const ring::Weights* current() const { return current_.get(); }
  // Waits, named on the board with `reason`, until current() changes; false at the deadline.
  bool wait_newer(Deadline deadline, const std::string& reason);
  // Hears what has come and keeps current() as it is, for who is in the middle of using it.
  void listen() { subscriber_.poll(); }
  // Newest version the learner has announced; lag = announced() - version in use.
  int64_t announced() const { return subscriber_.newest_version(); }
  int64_t silent_ms() const { return subscriber_.silent_ms(); }

 private:
  bool take();

  std::string name_;
  WaitBoard& board_;
  net::BroadcastSubscriber subscriber_;
  std::shared_ptr<const net::Message> taken_;
  std::unique_ptr<ring::Weights> current_;
};

}  // namespace oneagent
