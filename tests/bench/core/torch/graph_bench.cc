// One training step, eagerly and as a plan: forward, backward and Adam. Argument: batch.
#include <benchmark/benchmark.h>

#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/torch/graph.h"

namespace oneagent {
namespace {

using Tensors = std::vector<Tensor>;

nn::Sequential mlp(int64_t hidden) {
  return nn::Sequential(nn::Linear(4, hidden), nn::Tanh(), nn::Linear(hidden, hidden), nn::Tanh(),
                        nn::Linear(hidden, 2));
}

// A chain of small calls, as the losses of reinforcement learning are.
Tensor clipped_loss(nn::Sequential& net, const Tensor& x, const Tensor& y) {
  const Tensor log_probs = log_softmax(net->forward(x), -1);
  const Tensor ratio = exp(log_probs.select(1, 0) - y.select(1, 0));
  const Tensor advantage = (y.select(1, 1) - y.select(1, 1).mean()) / (y.select(1, 1).std() + 1e-8);
  const Tensor clipped = clamp(ratio, 0.8, 1.2);
  const Tensor entropy = -(log_probs * exp(log_probs)).sum(-1).mean();
  return -minimum(ratio * advantage, clipped * advantage).mean() - entropy * 0.01;
}
Tensor squared_loss(nn::Sequential& net, const Tensor& x, const Tensor& y) {
  return mse_loss(net->forward(x), y);
}

using Loss = Tensor (*)(nn::Sequential&, const Tensor&, const Tensor&);

void train(benchmark::State& state, int64_t hidden, Loss loss_of, bool plan) {
  manual_seed(0);
  nn::Sequential net = mlp(hidden);
  optim::Adam adam(net->parameters(), optim::AdamOptions(1e-3));
  const int64_t batch = state.range(0);
  const Tensor x = randn({batch, 4}), y = randn({batch, 2});
  const auto gradients = [&](const Tensors& in) {
    Tensor loss = loss_of(net, in[0], in[1]);
    loss.backward();
    return Tensors{loss};
  };
  nn::Graph graph(gradients);
  graph.add_optimizer(adam);
  for (auto _ : state) {
    if (plan) {
      graph({x, y});
      continue;
    }
    adam.zero_grad(true);
    gradients({x, y});
    adam.step();
  }
}

void mlp_64_eager(benchmark::State& state) { train(state, 64, squared_loss, false); }
void mlp_64_plan(benchmark::State& state) { train(state, 64, squared_loss, true); }
void mlp_256_eager(benchmark::State& state) { train(state, 256, squared_loss, false); }
void mlp_256_plan(benchmark::State& state) { train(state, 256, squared_loss, true); }
void clipped_64_eager(benchmark::State& state) { train(state, 64, clipped_loss, false); }
void clipped_64_plan(benchmark::State& state) { train(state, 64, clipped_loss, true); }
BENCHMARK(mlp_64_eager)->Arg(64)->Arg(256);
BENCHMARK(mlp_64_plan)->Arg(64)->Arg(256);
BENCHMARK(mlp_256_eager)->Arg(256);
BENCHMARK(mlp_256_plan)->Arg(256);
BENCHMARK(clipped_64_eager)->Arg(64)->Arg(256);
BENCHMARK(clipped_64_plan)->Arg(64)->Arg(256);

// Acting: log-probabilities and a draw for each of 8 rows.
void act(benchmark::State& state, bool plan) {
  manual_seed(0);
  const NoGradGuard no_grad;
  nn::Sequential net = mlp(64);
  const Tensor x = randn({8, 4});
  const auto draw = [&](const Tensors& in) {
    const Tensor logits = net->forward(in[0]);
    return Tensors{multinomial(softmax(logits, -1), 1, true), log_softmax(logits, -1)};
  };
  nn::Graph graph(draw);
  for (auto _ : state) benchmark::DoNotOptimize(plan ? graph({x}) : draw({x}));
}
void act_eager(benchmark::State& state) { act(state, false); }
void act_plan(benchmark::State& state) { act(state, true); }
BENCHMARK(act_eager);
BENCHMARK(act_plan);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
