// Ways to run a function on every rank of a group; the conformance suites run on all of them.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "core/base/check.h"
#include "core/comm/gloo_communicator.h"
#include "core/comm/thread_communicator.h"

namespace oneagent::comm {

struct RankRunner {
  std::string name;
  std::function<void(int n, const std::function<void(Communicator&)>& body, GroupOptions)> run;
};
inline void PrintTo(const RankRunner& runner, std::ostream* out) { *out << runner.name; }

// Each rank is a thread with connections of its own over the loopback interface.
inline void run_gloo_ranks(int n, const std::function<void(Communicator&)>& body,
                           GroupOptions options) {
  MemoryRendezvous rendezvous;
  std::mutex mutex;
  std::string first;
  const auto fail = [&](int rank, const std::string& text) {
    std::lock_guard lock(mutex);
    if (first.empty()) first = str("rank ", rank, ": ", text);
    return str("rank ", rank, ": ", text);
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      std::unique_ptr<Communicator> communicator;
      try {
        GlooOptions gloo;
        gloo.options = options;
        communicator = make_gloo_communicator(rank, n, rendezvous, gloo);
        body(*communicator);
      } catch (const std::exception& error) {
        const std::string text = fail(rank, error.what());
        if (communicator) communicator->abort(text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw Error(first);
}

// Debian's libgloo is not built with ThreadSanitizer, which does not see how it guards what it
// hands over (condition variables of its libstdc++) and reports races inside of it.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool kGloo = false;
#else
inline constexpr bool kGloo = true;
#endif

inline std::vector<RankRunner> rank_runners() {
  if (!kGloo) return {{"thread", run_ranks}};
  return {{"thread", run_ranks}, {"gloo", run_gloo_ranks}};
}

}  // namespace oneagent::comm
