// Ranks as threads of one process. They read each other's memory: nothing is copied but results and
// what is small. Large reductions are shared out: each rank reduces its chunk over all ranks, then
// all gather.
//
//   ThreadGroup group(4, {.deadline_ms = 1000});
//   group.communicator(rank).all_reduce(...)   // on the thread of that rank
//
//   run_ranks(4, [](Communicator& comm) { ... });
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/comm/communicator.h"

namespace oneagent::comm {

class World;

class ThreadGroup {
 public:
  explicit ThreadGroup(int size, GroupOptions options = {});
  ~ThreadGroup();

  int size() const { return static_cast<int>(communicators_.size()); }
  Communicator& communicator(int rank) { return *communicators_.at(rank); }
  // The rank calls nothing any more: whoever waits for it, now or later, gets an Error at once.
  void leave(int rank);
  void abort(const std::string& reason);

 private:
  std::shared_ptr<World> world_;
  std::vector<std::unique_ptr<Communicator>> communicators_;
};

// Runs body(communicator) on one thread for each of n ranks and returns when all are done. What a
// rank throws aborts the group; the first one is thrown as Error("rank 2: " + its text).
void run_ranks(int n, const std::function<void(Communicator&)>& body, GroupOptions options = {});

}  // namespace oneagent::comm
