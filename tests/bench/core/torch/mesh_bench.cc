// A step of two transformer blocks (forward and backward) on one thread, and shared out over two
// rank threads by rows of the batch, by parameters, or as a pipeline of a block each; beside them
// the products of such a block alone, on one thread and on two at once, which is what the machine
// gives.
#include <benchmark/benchmark.h>

#include "core/base/clock.h"
#include "core/comm/thread_communicator.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/torch/graph.h"

namespace oneagent {
namespace {

constexpr int64_t kBatch = 16, kTokens = 128, kWidth = 512, kHeads = 8;
constexpr int kSteps = 4;
constexpr int64_t kMicroBatches = 8;  // of the pipeline

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
    const Tensor y = x + out(mixed.reshape({x.size(0), kTokens, kWidth}));
    return y + down(gelu(up(norm2(y))));
  }
  nn::LayerNorm norm1;
  nn::Linear q, k, v, out;
  nn::LayerNorm norm2;
  nn::Linear up, down;
};
TORCH_MODULE(Block);

// Seconds of `kSteps` steps, after two that record.
double step_seconds(std::shared_ptr<const distributed::ParallelOptions> parallel,
                    int64_t micro_batches = 1) {
  manual_seed(1);
  nn::Sequential blocks{Block(), Block()};
  const Tensor x = randn({kBatch, kTokens, kWidth});
  nn::Graph step(
      [&](const std::vector<Tensor>& in) {
        const Tensor loss =
            square(blocks->forward(in[0])).mean() / static_cast<double>(micro_batches);
        loss.backward();
        return std::vector<Tensor>{loss};
      },
      {.micro_batches = micro_batches, .parallel = std::move(parallel)});
  step.add_parameters(blocks->parameters());
  const auto run = [&] {
    for (Tensor& parameter : blocks->parameters()) parameter.mutable_grad().reset();
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

enum class Way { kRows, kParameters, kPipeline };

std::shared_ptr<const distributed::ParallelOptions> parallel_options(Way way,
                                                                     const char* schedule) {
  auto parallel = std::make_shared<distributed::ParallelOptions>();
  if (way == Way::kPipeline) {
    parallel->pipeline = 2;
    parallel->schedule = schedule;
    return parallel;
  }
  parallel->mesh = Mesh({2});
  const bool rows = way == Way::kRows;
  parallel->pin_input = [rows](const Tensor&) {
    return distributed::pin({rows ? Placement::split(0) : Placement::broadcast()});
  };
  if (rows)
    parallel->pin_leaf = [](const Tensor&) { return distributed::pin({Placement::broadcast()}); };
  return parallel;
}

void two_ranks(benchmark::State& state, Way way, const char* schedule) {
  for (auto _ : state) {
    double seconds = 0;
    comm::run_ranks(2, [&](comm::Communicator& all) {
      set_num_threads(1);
      distributed::World world(all);
      const double own =
          step_seconds(parallel_options(way, schedule), way == Way::kPipeline ? kMicroBatches : 1);
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

const auto kOnce = [](benchmark::internal::Benchmark* b) {
  b->UseManualTime()->Iterations(1)->Unit(benchmark::kMillisecond);
};
BENCHMARK(one_thread)->Apply(kOnce);
BENCHMARK_CAPTURE(two_ranks, rows, Way::kRows, "")->Apply(kOnce);
BENCHMARK_CAPTURE(two_ranks, parameters, Way::kParameters, "")->Apply(kOnce);
BENCHMARK_CAPTURE(two_ranks, pipeline_1f1b, Way::kPipeline, "1f1b")->Apply(kOnce);
BENCHMARK_CAPTURE(two_ranks, pipeline_zb_h1, Way::kPipeline, "zb-h1")->Apply(kOnce);
BENCHMARK_CAPTURE(products, one, 1)->Apply(kOnce);
BENCHMARK_CAPTURE(products, two, 2)->Apply(kOnce);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
