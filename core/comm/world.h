// What a group, its parts and its whole have in common: whether they are over and why, who has
// left, and who waits for whom. Ranks here are those of the whole. Thread safe.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/comm/communicator.h"
#include "core/strand/wait_board.h"

namespace oneagent::comm {

// The place of a wait: "all_reduce #17", of a part "all_reduce #17 of ranks 0, 2"; "receive (tag
// 5)".
struct Where {
  std::string_view what;
  int64_t call = 0;                        // 0: none
  int tag = -1;                            // -1: none
  const std::vector<int>* part = nullptr;  // null for the whole
};
std::string to_text(const Where& where);

class World {
 public:
  // of_one_process: all ranks share this object; else it knows the waits of one rank only.
  World(int size, GroupOptions options, bool of_one_process);

  int size() const { return static_cast<int>(left_.size()); }
  const GroupOptions& options() const { return options_; }
  // Spinning pays only where every rank of this process has a core to itself.
  bool may_spin() const { return may_spin_; }

  // The first reason stays; wakes every wait.
  void end(const std::string& reason);
  bool ended() const { return ended_.load(std::memory_order_seq_cst); }
  std::string reason() const;
  // Throws Error(reason()) if the world is over.
  void require_running() const {
    if (ended()) [[unlikely]]
      throw_reason();
  }
  [[noreturn]] void throw_reason() const;

  // The rank calls nothing any more: waits for it end at once. Wakes every wait.
  void leave(int rank);
  bool has_left(int rank) const { return left_[rank].load(std::memory_order_seq_cst); }

  struct Note {
    int rank = 0, holder = 0;
    Where where;
  };

  // Called by end() and leave() until the registration goes.
  class Wake {
   public:
    Wake(World& world, std::function<void()> wake);
    ~Wake();
    Wake(const Wake&) = delete;
    Wake& operator=(const Wake&) = delete;

   private:
    World& world_;
    std::list<std::function<void()>>::iterator entry_;
  };

  // One wait of `rank` for `holder`, from construction to destruction.
  class Wait {
   public:
    Wait(World& world, int rank, int holder, const Where& where);
    ~Wait();
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    // End the world: "rank 2 waits in all_reduce #17 for rank 0 ...", then the others' waits. `ms`:
    // a deadline of another length than that of the group.
    void fail_at_deadline(int64_t ms = 0);
    void fail_as_left();
    void fail_as_lost(const std::string& how);

   private:
    void fail(const std::string& how);

    World& world_;
    std::list<Note>::iterator note_;
    std::optional<WaitScope> row_;
  };

  // The waits of now, "; rank 2 waits in all_reduce #17 for rank 0" each.
  std::string waits_text() const;

 private:
  static std::string text_of(const Note& note);
  void wake_all();

  const GroupOptions options_;
  std::vector<std::atomic<bool>> left_;
  const bool of_one_process_;
  bool may_spin_ = false;
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;
  std::string reason_;
  std::list<Note> waits_;
  std::mutex wakes_mutex_;
  std::list<std::function<void()>> wakes_;
};

// Runs ready() until it holds, for a moment (at most 20 us).
template <class Ready>
bool spin_until(const Ready& ready) {
  const int64_t end = steady_ns() + 20'000;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
  } while (steady_ns() < end);
  return ready();
}

}  // namespace oneagent::comm
