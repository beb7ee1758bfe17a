#include "core/comm/thread_group_state.h"

#include <thread>

#include "core/base/check.h"

namespace oneagent::comm {

ThreadGroupState::ThreadGroupState(std::shared_ptr<World> whole, std::vector<int> members)
    : world(std::move(whole)),
      ranks(std::move(members)),
      slots(ranks.size()),
      inboxes(ranks.size()),
      wake_(*world, [this] { wake(); }) {}

void ThreadGroupState::wake() {
  for (Slot& slot : slots) {
    { std::lock_guard lock(slot.mutex); }
    slot.condition.notify_all();
  }
  for (Inbox& inbox : inboxes) {
    { std::lock_guard lock(inbox.mutex); }
    inbox.condition.notify_all();
  }
}

void ThreadGroupState::advance(int me, uint64_t phase) {
  Slot& slot = slots[me];
  slot.phase.store(phase, std::memory_order_seq_cst);
  if (slot.waiters.load(std::memory_order_seq_cst) == 0) return;
  { std::lock_guard lock(slot.mutex); }
  slot.condition.notify_all();
}

void ThreadGroupState::wait_for(int me, int other, uint64_t phase, CallKind kind, int64_t call) {
  Slot& slot = slots[other];
  const auto there = [&] { return slot.phase.load(std::memory_order_seq_cst) >= phase; };
  const auto ready = [&] { return there() || world->ended() || world->has_left(ranks[other]); };
  if (!there() && !(world->may_spin() && spin_until(ready) && there())) {
    World::Wait wait(*world, ranks[me], ranks[other],
                     {comm::name_of(kind), call, -1, part_ranks()});
    const Deadline deadline = Deadline::after_ms(world->options().deadline_ms);
    std::unique_lock lock(slot.mutex);
    slot.waiters.fetch_add(1, std::memory_order_seq_cst);
    const bool in_time = slot.condition.wait_until(lock, deadline, ready);
    slot.waiters.fetch_sub(1, std::memory_order_seq_cst);
    lock.unlock();
    if (!in_time) wait.fail_at_deadline();
    if (!there() && !world->ended()) wait.fail_as_left();
  }
  if (!there()) world->throw_reason();
}

void ThreadGroupState::wait_for_readers(int me) {
  for (int other = 0; other < size(); ++other) {
    while (other != me && slots[other].reads.load(std::memory_order_seq_cst))
      std::this_thread::yield();
  }
}

std::shared_ptr<ThreadGroupState> ThreadGroupState::part(const std::vector<int>& members, int nth) {
  std::lock_guard lock(parts_mutex_);
  const auto [it, fresh] = parts_.try_emplace({members, nth});
  if (fresh) {
    std::vector<int> of_world;
    for (const int member : members) of_world.push_back(ranks[member]);
    it->second = {std::make_shared<ThreadGroupState>(world, of_world), members.size()};
  }
  const std::shared_ptr<ThreadGroupState> state = it->second.state;
  if (--it->second.to_come == 0) parts_.erase(it);
  return state;
}

}  // namespace oneagent::comm
