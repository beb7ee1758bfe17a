// The replay on the wire: requests of learners, chunk streams of actors. What cannot be done now is
// parked (a sample until its deadline, a chunk until there is room) and done when something
// changes; nothing is polled for. Runs on its service's strand.
#pragma once

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/net/poller.h"
#include "core/net/request_server.h"
#include "core/net/stream_receiver.h"
#include "core/strand/timer.h"
#include "core/strand/wait_board.h"
#include "services/replay/replay.h"
#include "services/replay/replay_messages.h"

namespace oneagent {

// Binds at construction; serve() is one round. The service of a run is ReplayService.
class ReplayServer final {
 public:
  ReplayServer(net::Context& context, WaitBoard& board, const ReplayOptions& options,
               const fs::path& run_folder, const std::string& run,
               std::vector<ring::TableSpec> tables);
  ~ReplayServer();
  ReplayServer(const ReplayServer&) = delete;
  ReplayServer& operator=(const ReplayServer&) = delete;

  void serve(Deadline until);     // sleeps until something comes or is due
  void wake() { waker_.wake(); }  // any thread
  const Replay& replay() const { return replay_; }
  const net::Address& address() const { return requests_.address(); }

 private:
  // A message that was delivered and could not be taken yet.
  struct Held {
    uint64_t number = 0;  // in the stream
    net::Message message;
    std::string holder, reason;
  };
  struct Waiting {
    net::Request request;
    SampleTicket ticket;
    std::string table;
    int64_t count = 0;
    Deadline deadline;
  };

  Status check_run(const std::string& sender, const std::string& run) const;
  Result<net::Welcome> on_hello(const std::string& sender, const net::Message& hello);
  bool on_delivery(net::Delivery delivery);
  Offer take(const std::string& sender, const net::Message& message);
  void on_request(net::Request request);
  void on_sample(net::Request request);
  net::Message answer(const net::Message& request);
  void progress();  // offers what is held, answers what waits, until nothing moves
  bool offer_held();
  bool answer_waiting();
  void expire_waiting();
  void show_waits();
  int64_t next_due_ms() const;

  WaitBoard& board_;
  ReplayOptions options_;
  Replay replay_;
  net::RequestServer requests_;
  net::StreamReceiver stream_;
  net::Waker waker_;
  net::Poller poller_;
  std::map<std::string, std::deque<Held>> held_;  // by sender
  std::list<Waiting> waiting_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<WaitScope>>
      waits_;  // by waiter and holder
  Timer show_due_{100};
  Timer retry_due_{50};  // a full disk frees up without telling us
  bool changed_ = false;
};

}  // namespace oneagent
