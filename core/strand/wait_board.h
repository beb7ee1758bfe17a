// Who waits for whom. Every blocking wait of a process puts one row on the board while it lasts:
// who waits, for whom, and what is missing. Services publish the snapshot with their heartbeat;
// `oneagent status` and the dashboard show it in words.
//
//   WaitScope wait(board, "learner", "replay/rollout", "needs 1 item, has 0");
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace oneagent {

struct WaitRow {
  std::string waiter;
  std::string holder;
  std::string reason;
  int64_t since_ms = 0;   // wall time at which the wait began
  int64_t waited_ms = 0;  // how long it has lasted, at the time of the snapshot
};

// "learner waits for replay/rollout: needs 1 item, has 0 (for 2.3 s)"
std::string to_text(const WaitRow& row);

// Thread safe. A scope that ended at its deadline (WaitScope::expired) and begins again within a
// second keeps its `since`, so that a loop of short waits shows as the one long wait that it is.
class WaitBoard {
 public:
  // Waits in progress and those that expired less than a second ago, longest first.
  std::vector<WaitRow> snapshot() const;
  // Like snapshot, without waits shorter than min_ms: what a person wants to see.
  std::vector<WaitRow> snapshot_longer_than(int64_t min_ms) const;

 private:
  friend class WaitScope;
  struct Entry {
    std::string waiter, holder, reason;
    int64_t since_wall_ms = 0;
    int64_t since_ns = 0;
    int64_t expired_ns = 0;  // 0 while the wait is in progress
  };
  using Entries = std::list<Entry>;

  Entries::iterator begin_wait(std::string_view waiter, std::string_view holder,
                               std::string_view reason);
  void forget_old(int64_t now_ns);

  mutable std::mutex mutex_;
  Entries entries_;
};

// One wait, from construction to destruction.
class WaitScope {
 public:
  WaitScope(WaitBoard& board, std::string_view waiter, std::string_view holder,
            std::string_view reason);
  ~WaitScope();
  WaitScope(const WaitScope&) = delete;
  WaitScope& operator=(const WaitScope&) = delete;

  void update(std::string_view reason);
  // The waiter gave up at its deadline: the row stays for a second, and goes on if the same waiter
  // waits for the same holder again.
  void expired() { expired_ = true; }

 private:
  WaitBoard& board_;
  WaitBoard::Entries::iterator entry_;
  bool expired_ = false;
};

}  // namespace oneagent
