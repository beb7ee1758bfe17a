// all_reduce of 2 ranks and the hand-over of a message, beside bare threads that do as little as
// can be done. Figures are of one call, or of one round trip.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/comm/gloo_communicator.h"
#include "core/comm/thread_communicator.h"

namespace oneagent::comm {
namespace {

using Round = std::function<void(Communicator&)>;

// `round` on both ranks as often as the benchmark wants; this thread is rank 0.
void run_rounds(benchmark::State& state, Communicator& mine, Communicator& other,
                const Round& round) {
  const auto rounds = state.max_iterations;
  std::thread peer([&] {
    other.barrier();
    for (benchmark::IterationCount i = 0; i < rounds; ++i) round(other);
  });
  mine.barrier();
  for (auto _ : state) round(mine);
  peer.join();
}

void on_threads(benchmark::State& state, const Round& round) {
  ThreadGroup group(2);
  run_rounds(state, group.communicator(0), group.communicator(1), round);
}

void on_gloo(benchmark::State& state, const Round& round) {
  MemoryRendezvous rendezvous;
  std::unique_ptr<Communicator> one, other;
  std::thread peer([&] { other = make_gloo_communicator(1, 2, rendezvous, {}); });
  one = make_gloo_communicator(0, 2, rendezvous, {});
  peer.join();
  run_rounds(state, *one, *other, round);
}

using Ranks = void (*)(benchmark::State&, const Round&);

void all_reduce(benchmark::State& state, Ranks ranks) {
  const auto count = static_cast<size_t>(state.range(0)) / sizeof(float);
  std::vector<float> data[2] = {std::vector<float>(count), std::vector<float>(count)};
  ranks(state, [&](Communicator& comm) {
    comm.all_reduce(data[comm.rank()].data(), count, DType::kFloat32, Reduce::kSum);
  });
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

void ping_pong(benchmark::State& state, Ranks ranks) {
  ranks(state, [](Communicator& comm) {
    int value = 0;
    if (comm.rank() == 0) comm.send(&value, sizeof value, 1, 0);
    comm.receive(&value, sizeof value, 1 - comm.rank(), 0);
    if (comm.rank() == 1) comm.send(&value, sizeof value, 0, 0);
  });
}

// Two threads that hand a number to and fro through one cache line each.
void bare_ping_pong(benchmark::State& state) {
  struct alignas(128) Line {
    std::atomic<int64_t> value{0};
  };
  Line there, back;
  const auto rounds = static_cast<int64_t>(state.max_iterations);
  const auto wait = [](const Line& line, int64_t value) {
    for (int spins = 0; line.value.load(std::memory_order_acquire) != value; ++spins) {
      if (spins > 100'000) std::this_thread::yield();  // the other has no core now: a lost turn
    }
  };
  std::thread peer([&] {
    back.value.store(-1, std::memory_order_release);  // here
    for (int64_t i = 1; i <= rounds; ++i) {
      wait(there, i);
      back.value.store(i, std::memory_order_release);
    }
  });
  wait(back, -1);
  int64_t i = 0;
  for (auto _ : state) {
    there.value.store(++i, std::memory_order_release);
    wait(back, i);
  }
  peer.join();
}

// What an all_reduce cannot beat: one thread copies the data once.
void bare_copy(benchmark::State& state) {
  std::vector<char> from(static_cast<size_t>(state.range(0))), to(from.size());
  for (auto _ : state) {
    std::memcpy(to.data(), from.data(), from.size());
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * state.range(0));
}

double least(const std::vector<double>& values) {
  return *std::min_element(values.begin(), values.end());
}
// Short turns, many of them: a turn is worth something only while both threads have a core.
void turns(benchmark::internal::Benchmark* bench, int rounds, int repetitions) {
  bench->Iterations(rounds)->Repetitions(repetitions)->UseRealTime();
  bench->ComputeStatistics("least", least);
}
void hand_over(benchmark::internal::Benchmark* bench) { turns(bench, 300, 200); }
void over_gloo(benchmark::internal::Benchmark* bench) { turns(bench, 5, 100); }

BENCHMARK_CAPTURE(all_reduce, threads, on_threads)->Arg(4)->Apply(hand_over);
BENCHMARK_CAPTURE(ping_pong, threads, on_threads)->Apply(hand_over);
BENCHMARK(bare_ping_pong)->Apply(hand_over);
BENCHMARK_CAPTURE(all_reduce, threads, on_threads)->Arg(64 << 10)->Apply([](auto* bench) {
  turns(bench, 20, 200);
});
BENCHMARK(bare_copy)->Arg(64 << 10)->Apply([](auto* bench) { turns(bench, 20, 200); });
BENCHMARK_CAPTURE(all_reduce, threads, on_threads)->Arg(16 << 20)->Apply([](auto* bench) {
  turns(bench, 2, 40);
});
BENCHMARK(bare_copy)->Arg(16 << 20)->Apply([](auto* bench) { turns(bench, 2, 40); });
BENCHMARK_CAPTURE(all_reduce, gloo, on_gloo)->Arg(4)->Arg(64 << 10)->Apply(over_gloo);
BENCHMARK_CAPTURE(all_reduce, gloo, on_gloo)->Arg(16 << 20)->Apply([](auto* bench) {
  turns(bench, 2, 20);
});
BENCHMARK_CAPTURE(ping_pong, gloo, on_gloo)->Apply(over_gloo);

}  // namespace
}  // namespace oneagent::comm

BENCHMARK_MAIN();
