// Hand-over between segments: on one strand, and between two strands beside two bare threads that
// pass a number to and fro with the same rule for waiting (look again for 20 us, then park).
#include <benchmark/benchmark.h>

#include <atomic>
#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/runtime/segment_runner.h"

namespace oneagent {
namespace {

constexpr int64_t kSteps = 5000;  // of one run; a step is a round there and back

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
  for (auto _ : state) {
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
    }
    other.join();
  }
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
  graph.segment("a", one, [&](const Firing& f) { sum += f.index; }, {{back}}, {{there}});
  graph.segment("b", two_strands ? two : one, [&](const Firing& f) { sum -= f.index; }, {{there}},
                {{back}});
  SegmentRunner runner(graph, board, {.trace = trace});
  for (auto _ : state) {
    const Status status = runner.run(steps);
    OA_CHECK(status.ok(), status.message());
    if (trace != nullptr) trace->clear();
  }
  benchmark::DoNotOptimize(sum);
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
