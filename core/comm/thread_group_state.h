// The memory that the ranks of one thread group meet in. A rank publishes a call in its slot, then
// its phase; the others wait for the phase. Internal to thread_communicator.cc.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/comm/call.h"
#include "core/comm/world.h"
#include "core/strand/condition.h"

namespace oneagent::comm {

// Call number c is in phase 4 c + step.
enum class Step : uint64_t { kJoined = 1, kReduced = 2, kDone = 3 };
inline uint64_t phase_of(int64_t call, Step step) {
  return 4 * static_cast<uint64_t>(call) + static_cast<uint64_t>(step);
}

// What others may see of a rank's call. Two of each rank take turns: when all have joined call
// c + 1, all are done with call c.
struct Publication {
  Call call;
  const void* in = nullptr;  // the caller's memory, or the copy of a small one
  std::unique_ptr<std::byte[]> copy;
};

struct alignas(128) Slot {
  std::atomic<uint64_t> phase{0};
  std::atomic<bool> reads{false};  // this rank reads memory of others
  std::atomic<int> waiters{0};     // those that are parked here for the phase
  alignas(64) std::array<Publication, 2> publications;
  std::mutex mutex;
  Condition condition;
};

// A receive that came before its send: the sender writes straight to its place.
struct PostedReceive {
  void* data = nullptr;
  size_t bytes = 0, sent_bytes = 0;
  enum State : int { kOpen, kFilling, kFilled };
  std::atomic<int> state{kOpen};
};

struct Channel {
  struct Message {
    std::unique_ptr<std::byte[]> data;
    size_t bytes = 0;
  };
  std::deque<Message> messages;
  PostedReceive* posted = nullptr;
};

struct alignas(128) Inbox {
  std::mutex mutex;
  Condition condition;
  std::atomic<int> waiters{0};
  std::map<std::pair<int, int>, Channel> channels;  // by sender and tag
};

class ThreadGroupState {
 public:
  // `ranks` are those of the world.
  ThreadGroupState(std::shared_ptr<World> world, std::vector<int> ranks);

  int size() const { return static_cast<int>(ranks.size()); }
  // Returns when rank `other` is in `phase` or beyond; throws when the world is over.
  void wait_for(int me, int other, uint64_t phase, CallKind kind, int64_t call);
  void advance(int me, uint64_t phase);
  // Returns when nobody reads memory of others any more; the world is over.
  void wait_for_readers(int me);
  // To say in a wait which group it is: null for the whole.
  const std::vector<int>* part_ranks() const { return size() == world->size() ? nullptr : &ranks; }
  // The part of these ranks, made by the first that asks; `nth` counts its splits into these.
  std::shared_ptr<ThreadGroupState> part(const std::vector<int>& members, int nth);

  const std::shared_ptr<World> world;
  const std::vector<int> ranks;
  std::vector<Slot> slots;
  std::vector<Inbox> inboxes;

 private:
  void wake();

  struct Part {
    std::shared_ptr<ThreadGroupState> state;
    size_t to_come = 0;
  };
  std::mutex parts_mutex_;
  std::map<std::pair<std::vector<int>, int>, Part> parts_;
  World::Wake wake_;  // last: it must go first
};

}  // namespace oneagent::comm
