// Hand-over between segments, best_ns: on one strand, and between two strands beside two bare
// threads that pass a number to and fro with the same rule for waiting (look again for 20 us, then
// park).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/runtime/segment_runner.h"

namespace oneagent {
namespace {

constexpr int64_t kSteps = 5000;  // of one run; a step is a round there and back

// The fastest 100 rounds in a row, so that a busy machine, which takes a core away for
// milliseconds, does not hide the time of a hand-over.
class Fastest {
 public:
  void round(int64_t index) {
    if (index % 100 != 0) return;
    const int64_t now = steady_ns();
    if (last_ != 0) best_ = std::min(best_, now - last_);
    last_ = now;
  }
  void pause() { last_ = 0; }
  double hand_over_ns() const { return static_cast<double>(best_) / 200; }

 private:
  int64_t last_ = 0, best_ = std::numeric_limits<int64_t>::max();
};

struct alignas(128) Cell {
  std::atomic<uint32_t> value{0};
};

void wait_for(std::atomic<uint32_t>& cell, uint32_t value) {
  int64_t until = 0;
  while (true) {
    for (int i = 0; i < 32; ++i) {
      if (cell.load(std::memory_order_acquire) == value) return;
      __builtin_ia32_pause();
    }
    const int64_t now = steady_ns();
    if (until == 0) until = now + 20'000;
    if (now < until) continue;
    const uint32_t old = cell.load();
    if (old != value) cell.wait(old);
  }
}

void bare_two_threads(benchmark::State& state) {
  Cell there, back;
  uint32_t round = 0;
  Fastest fastest;
  for (auto _ : state) {
    fastest.pause();
    const uint32_t last = round + kSteps;
    std::thread other([&, first = round + 1] {
      for (uint32_t i = first; i <= last; ++i) {
        wait_for(there.value, i);
        back.value.store(i);
        back.value.notify_one();
      }
    });
    while (round < last) {
      there.value.store(++round);
      there.value.notify_one();
      wait_for(back.value, round);
      fastest.round(round);
    }
    other.join();
  }
  state.counters["best_ns"] = fastest.hand_over_ns();
  state.SetItemsProcessed(state.iterations() * kSteps * 2);
}
BENCHMARK(bare_two_threads)->UseRealTime();

// a -> b -> a with a token from the start; items are hand-overs.
void ping_pong(benchmark::State& state, bool two_strands, Trace* trace) {
  WaitBoard board;
  SegmentGraph graph("bench");
  const StrandId one = graph.strand("one"), two = graph.strand("two");
  const SlotId there = graph.slot("there", 1), back = graph.slot("back", 1, 1);
  const int64_t steps = two_strands ? kSteps : 10 * kSteps;
  int64_t sum = 0;
  Fastest fastest;
  const auto first = [&](const Firing& f) {
    sum += f.index;
    fastest.round(f.index);
  };
  graph.segment("a", one, first, {{back}}, {{there}});
  graph.segment("b", two_strands ? two : one, [&](const Firing& f) { sum -= f.index; }, {{there}},
                {{back}});
  SegmentRunner runner(graph, board, {.trace = trace});
  for (auto _ : state) {
    fastest.pause();
    const Status status = runner.run(steps);
    OA_CHECK(status.ok(), status.message());
    if (trace != nullptr) trace->clear();
  }
  benchmark::DoNotOptimize(sum);
  state.counters["best_ns"] = fastest.hand_over_ns();
  state.SetItemsProcessed(state.iterations() * steps * 2);
}
void two_strands(benchmark::State& state) { ping_pong(state, true, nullptr); }
void one_strand(benchmark::State& state) { ping_pong(state, false, nullptr); }
void one_strand_traced(benchmark::State& state) {
  Trace trace;
  ping_pong(state, false, &trace);
}
BENCHMARK(two_strands)->UseRealTime();
BENCHMARK(one_strand)->UseRealTime();
BENCHMARK(one_strand_traced)->UseRealTime();

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
