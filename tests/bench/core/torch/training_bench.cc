// Training steps through nn and optim on one thread: forward, cross entropy, backward, Adam.
#include <benchmark/benchmark.h>

#include "core/graph/context.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/adam.h"

namespace oneagent {
namespace {

nn::Sequential mlp(int64_t width) {
  return nn::Sequential(nn::Linear(4, width), nn::Tanh(), nn::Linear(width, width), nn::Tanh(),
                        nn::Linear(width, 2));
}

// 4-width-width-2: {width, batch}
void mlp_step(benchmark::State& state) {
  nn::Sequential net = mlp(state.range(0));
  const Tensor x = randn({state.range(1), 4}), y = randint(0, 2, {state.range(1)});
  optim::Adam adam(net->parameters());
  for (auto _ : state) {
    adam.zero_grad(true);
    cross_entropy(net->forward(x), y).backward();
    adam.step();
  }
}
BENCHMARK(mlp_step)
    ->Args({64, 64})
    ->Args({64, 256})
    ->Args({64, 2048})
    ->Args({256, 256})
    ->Unit(benchmark::kMicrosecond);

void mlp_forward(benchmark::State& state) {
  const NoGradGuard guard;
  nn::Sequential net = mlp(64);
  const Tensor x = randn({state.range(0), 4});
  for (auto _ : state) benchmark::DoNotOptimize(net->forward(x));
}
BENCHMARK(mlp_forward)->Arg(1)->Arg(8)->Arg(64)->Unit(benchmark::kMicrosecond);

// Mnih et al. 2015: 84 x 84 x 4, three convolutions, 512, six actions.
void nature_cnn_step(benchmark::State& state) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(4, 32, 8).stride(4)), nn::ReLU(),
                     nn::Conv2d(nn::Conv2dOptions(32, 64, 4).stride(2)), nn::ReLU(),
                     nn::Conv2d(64, 64, 3), nn::ReLU(), nn::Flatten(), nn::Linear(3136, 512),
                     nn::ReLU(), nn::Linear(512, 6));
  const Tensor x = randn({state.range(0), 4, 84, 84}), y = randint(0, 6, {state.range(0)});
  optim::Adam adam(net->parameters());
  for (auto _ : state) {
    adam.zero_grad(true);
    cross_entropy(net->forward(x), y).backward();
    adam.step();
  }
}
BENCHMARK(nature_cnn_step)->Arg(32)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
