// How actors and evaluators follow the learner's weights. Those of a learner of several ranks come
// in shards, from each rank its own; a version becomes current() when all of it is there. One
// object, one strand.
#pragma once

#include <deque>
#include <map>
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
  void listen();
  // Newest version the learner has announced; lag = announced() - version in use.
  int64_t announced() const { return subscriber_.newest_version(); }
  int64_t silent_ms() const { return subscriber_.silent_ms(); }

 private:
  // Shards of one rank, newest last: others may be a version ahead or behind.
  struct Source {
    std::unique_ptr<net::BroadcastSubscriber> subscriber;
    std::shared_ptr<const net::Message> taken;
    std::deque<ring::Weights> kept;
  };
  bool take();
  void follow(const std::vector<std::string>& addresses);
  static void keep(Source& source);
  bool complete();  // makes pending_ the current one, if it is all there

  std::string name_;
  WaitBoard& board_;
  net::Context& context_;
  net::BroadcastSubscriber subscriber_;
  std::shared_ptr<const net::Message> taken_;
  std::unique_ptr<ring::Weights> pending_;  // of which shards are still to come
  std::map<std::string, Source> sources_;   // by address
  std::unique_ptr<ring::Weights> current_;
};

}  // namespace oneagent
