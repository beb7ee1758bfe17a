// A step of a transformer block (forward and backward) on one thread, and shared out over two rank
// threads by rows of the batch or by parameters; beside them the products of such a block alone, on
// one thread and on two at once, which is what the machine gives.
#include <benchmark/benchmark.h>

#include "core/base/clock.h"
#include "core/comm/thread_communicator.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/torch/graph.h"

namespace oneagent {
namespace {

constexpr int64_t kBatch = 8, kTokens = 128, kWidth = 512, kHeads = 8;
constexpr int kSteps = 6;

struct BlockImpl : nn::Module {
  BlockImpl()
      : norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        q(register_module("q", nn::Linear(kWidth, kWidth))),
        k(register_module("k", nn::Linear(kWidth, kWidth))),
        v(register_module("v", nn::Linear(kWidth, kWidth))),
        out(register_module("out", nn::Linear(kWidth, kWidth))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        up(register_module("up", nn::Linear(kWidth, 4 * kWidth))),
        down(register_module("down", nn::Linear(4 * kWidth, kWidth))) {}
  static Tensor heads(const Tensor& x) {
    return x.view({x.size(0), x.size(1), kHeads, kWidth / kHeads}).transpose(1, 2);
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = norm1(x);
    const Tensor scores = matmul(heads(q(h)), heads(k(h)).transpose(2, 3)) / 8.0;
    const Tensor mixed = matmul(softmax(scores, -1), heads(v(h))).transpose(1, 2);
    const Tensor y = x + out(mixed.reshape({kBatch, kTokens, kWidth}));
    return y + down(gelu(up(norm2(y))));
  }
  nn::LayerNorm norm1;
  nn::Linear q, k, v, out;
  nn::LayerNorm norm2;
  nn::Linear up, down;
};
TORCH_MODULE(Block);

// Seconds of `kSteps` steps, after two that record.
double step_seconds(std::shared_ptr<const distributed::ParallelOptions> parallel) {
  manual_seed(1);
  Block block;
  const Tensor x = randn({kBatch, kTokens, kWidth});
  nn::Graph step(
      [&](const std::vector<Tensor>& in) {
        const Tensor loss = square(block->forward(in[0])).mean();
        loss.backward();
        return std::vector<Tensor>{loss};
      },
      {.parallel = std::move(parallel)});
  step.add_parameters(block->parameters());
  const auto run = [&] {
    for (Tensor& parameter : block->parameters()) parameter.mutable_grad().reset();
    benchmark::DoNotOptimize(step({x}));
  };
  run();
  run();
  const int64_t started = steady_ns();
  for (int i = 0; i < kSteps; ++i) run();
  return seconds_since(started);
}

void one_thread(benchmark::State& state) {
  set_num_threads(1);
  for (auto _ : state) state.SetIterationTime(step_seconds(nullptr) / kSteps);
}

void two_ranks(benchmark::State& state, bool rows) {
  for (auto _ : state) {
    double seconds = 0;
    comm::run_ranks(2, [&](comm::Communicator& all) {
      set_num_threads(1);
      distributed::World world(all);
      auto parallel = std::make_shared<distributed::ParallelOptions>();
      parallel->mesh = Mesh({2});
      parallel->pin_input = [rows](const Tensor&) {
        return distributed::pin({rows ? Placement::split(0) : Placement::broadcast()});
      };
      if (rows)
        parallel->pin_leaf = [](const Tensor&) {
          return distributed::pin({Placement::broadcast()});
        };
      const double own = step_seconds(parallel);
      if (all.rank() == 0) seconds = own;
    });
    state.SetIterationTime(seconds / kSteps);
  }
}

// The products of a block's step, twice as much work for each of `threads` threads.
void products(benchmark::State& state, int threads) {
  for (auto _ : state) {
    double slowest = 0;
    comm::run_ranks(threads, [&](comm::Communicator& all) {
      set_num_threads(1);
      const Tensor x = randn({kBatch * kTokens, kWidth}), w = randn({kWidth, 4 * kWidth});
      mm(x, w);
      all.barrier();
      const int64_t started = steady_ns();
      for (int i = 0; i < 24 / threads; ++i) benchmark::DoNotOptimize(mm(x, w));
      all.barrier();
      if (all.rank() == 0) slowest = seconds_since(started);
    });
    state.SetIterationTime(slowest);
  }
}

BENCHMARK(one_thread)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_ranks, rows, true)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(two_ranks, parameters, false)
    ->UseManualTime()
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(products, one, 1)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(products, two, 2)->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
