// The eager engine on one thread: overhead of small ops, training steps of small networks, matrix
// products. peers/ has the same programs over libtorch.
#include <benchmark/benchmark.h>

#include "core/ops/op.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

void add_one_element(benchmark::State& state) {
  const Tensor a = rand({1}), b = rand({1});
  for (auto _ : state) benchmark::DoNotOptimize(add(a, b));
}
BENCHMARK(add_one_element);

void add_with_gradient(benchmark::State& state) {
  const Tensor a = rand({64}).requires_grad_(), b = rand({64});
  for (auto _ : state) benchmark::DoNotOptimize(add(a, b));
}
BENCHMARK(add_with_gradient);

void linear_batch_one(benchmark::State& state) {
  const NoGradGuard guard;
  const Tensor x = rand({1, 64}), w = rand({64, 64}), b = rand({64});
  for (auto _ : state) benchmark::DoNotOptimize(linear(x, w, b));
}
BENCHMARK(linear_batch_one);

void elementwise_tanh(benchmark::State& state) {
  const Tensor x = rand({4096});
  for (auto _ : state) benchmark::DoNotOptimize(tanh(x));
  state.SetItemsProcessed(state.iterations() * x.numel());
}
BENCHMARK(elementwise_tanh);

void matrix_product(benchmark::State& state) {
  const NoGradGuard guard;
  const Tensor a = rand({state.range(0), state.range(1)}),
               b = rand({state.range(1), state.range(2)});
  for (auto _ : state) benchmark::DoNotOptimize(mm(a, b));
  state.counters["flops"] = benchmark::Counter(
      2.0 * static_cast<double>(state.range(0) * state.range(1) * state.range(2)),
      benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(matrix_product)
    ->Args({64, 4, 64})
    ->Args({64, 64, 64})
    ->Args({64, 64, 2})
    ->Args({256, 64, 64})
    ->Args({2048, 64, 64})
    ->Args({256, 256, 256})
    ->Args({12800, 256, 32})
    ->Args({2592, 512, 64})
    ->Args({1568, 576, 64})
    ->Args({32, 3136, 512})
    ->Args({1024, 1024, 1024});

void convolution(benchmark::State& state) {
  const NoGradGuard guard;
  const Tensor x = rand({32, 4, 84, 84}), w = rand({32, 4, 8, 8}), b = rand({32});
  for (auto _ : state) benchmark::DoNotOptimize(conv2d(x, w, b, 4));
}
BENCHMARK(convolution)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
