// Fans live events out to open dashboard tabs. Publishing never blocks: a tab that does not read
// loses its queue and is told so with one "overflow" event, after which it fetches what it missed.
// Thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/strand/condition.h"

namespace oneagent {

class EventHub final {
 public:
  static constexpr size_t kMaxQueuedBytes = 4 << 20;  // per tab
  static constexpr int kQuietMs =
      5000;  // a comment is sent after this long, so that a dead tab is noticed

  // One open tab. Ends itself when destroyed.
  class Tab final {
   public:
    Tab(EventHub& hub, std::set<std::string> runs) : hub_(hub), runs_(std::move(runs)) {}
    ~Tab();
    Tab(const Tab&) = delete;
    Tab& operator=(const Tab&) = delete;

    // Blocks up to kQuietMs; server-sent-events text. Sets `end` when the hub was closed.
    std::string next(bool& end);

   private:
    friend class EventHub;
    EventHub& hub_;
    const std::set<std::string> runs_;
    std::deque<std::shared_ptr<const std::string>> queue_;  // guarded by hub_.mutex_
    size_t queued_bytes_ = 0;
    Condition news_;
  };

  explicit EventHub(size_t max_tabs) : max_tabs_(max_tabs) {}

  // Null when max_tabs are open or the hub is closed. The hub outlives its tabs.
  std::shared_ptr<Tab> open(std::set<std::string> runs);
  // To every tab that shows `run`; an empty run means all tabs.
  void publish(const std::string& run, const std::string& event, const Json& data);
  std::set<std::string> runs_shown() const;
  size_t tabs() const;
  void close();  // wakes every tab

 private:
  const size_t max_tabs_;
  mutable std::mutex mutex_;
  std::set<Tab*> tabs_;
  bool closed_ = false;
};

}  // namespace oneagent
