// Training steps and acting, eagerly and as plans, on one thread. Argument: batch. "floor" rows are
// the matrix products of a step alone.
#include <benchmark/benchmark.h>

#include <array>

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

// The products of a layer [m, k] x [k, n]: forward, then of backward those of the weight and of the
// operand.
struct Layer {
  int64_t m, k, n;
  int64_t count = 1;
  bool weight = true, operand = true;
};
Layer first(Layer layer) {  // nothing stands before it
  layer.operand = false;
  return layer;
}
void floor_of(benchmark::State& state, const std::vector<Layer>& layers) {
  const NoGradGuard no_grad;
  std::vector<std::array<Tensor, 3>> operands;
  for (const Layer& layer : layers)
    operands.push_back(
        {randn({layer.m, layer.k}), randn({layer.k, layer.n}), randn({layer.m, layer.n})});
  for (auto _ : state)
    for (size_t i = 0; i < layers.size(); ++i)
      for (int64_t copy = 0; copy < layers[i].count; ++copy) {
        const auto& [x, w, gradient] = operands[i];
        benchmark::DoNotOptimize(mm(x, w));
        if (layers[i].weight) benchmark::DoNotOptimize(mm(x.t(), gradient));
        if (layers[i].operand) benchmark::DoNotOptimize(mm(gradient, w.t()));
      }
}
void mlp_256_floor(benchmark::State& state) {
  const int64_t batch = state.range(0);
  floor_of(state, {first({batch, 4, 256}), {batch, 256, 256}, {batch, 256, 2}});
}
void mlp_64_floor(benchmark::State& state) {
  const int64_t batch = state.range(0);
  floor_of(state, {first({batch, 4, 64}), {batch, 64, 64}, {batch, 64, 2}});
}
BENCHMARK(mlp_64_floor)->Arg(64)->Arg(256);
BENCHMARK(mlp_256_floor)->Arg(256);

// One update of soft actor-critic: two critics of 17 + 6 numbers, their targets, a policy, 2 x 256
// each.
struct Sac {
  static nn::Sequential net(int64_t in, int64_t out) {
    return nn::Sequential(nn::Linear(in, 256), nn::ReLU(), nn::Linear(256, 256), nn::ReLU(),
                          nn::Linear(256, out));
  }
  // Actions in (-1, 1) and their log-probabilities.
  std::pair<Tensor, Tensor> act(const Tensor& state) {
    const Tensor out = policy->forward(state);
    const Tensor mean = out.narrow(1, 0, 6), log_std = clamp(out.narrow(1, 6, 6), -20.0, 2.0);
    const Tensor noise = randn({state.size(0), 6});
    const Tensor action = tanh(mean + exp(log_std) * noise);
    const Tensor log_prob =
        (noise.square() * -0.5 - log_std - 0.9189385 - log(1.0 - action.square() + 1e-6)).sum(1);
    return {action, log_prob};
  }
  Tensor critics_loss(const Tensors& in) {
    Tensor target;
    {
      const NoGradGuard no_grad;
      const auto [action, log_prob] = act(in[3]);
      const Tensor both = cat({in[3], action}, 1);
      target = in[2] + (minimum(targets[0]->forward(both), targets[1]->forward(both)).squeeze(1) -
                        log_prob * 0.2) *
                           0.99;
    }
    const Tensor both = cat({in[0], in[1]}, 1);
    return mse_loss(critics[0]->forward(both).squeeze(1), target) +
           mse_loss(critics[1]->forward(both).squeeze(1), target);
  }
  Tensor policy_loss(const Tensors& in) {
    const auto [action, log_prob] = act(in[0]);
    const Tensor both = cat({in[0], action}, 1);
    return (log_prob * 0.2 -
            minimum(critics[0]->forward(both), critics[1]->forward(both)).squeeze(1))
        .mean();
  }
  Tensors parameters_of(const nn::Sequential (&nets)[2]) const {
    Tensors all = nets[0]->parameters();
    for (const Tensor& parameter : nets[1]->parameters()) all.push_back(parameter);
    return all;
  }

  nn::Sequential critics[2] = {net(23, 1), net(23, 1)}, targets[2] = {net(23, 1), net(23, 1)};
  nn::Sequential policy = net(17, 12);
};

void sac(benchmark::State& state, bool plan) {
  manual_seed(0);
  Sac sac;
  const Tensors all = sac.parameters_of(sac.critics), targets = sac.parameters_of(sac.targets);
  optim::Adam critics(all, optim::AdamOptions(3e-4));
  optim::Adam policy(sac.policy->parameters(), optim::AdamOptions(3e-4));
  const int64_t batch = state.range(0);
  const Tensors in = {randn({batch, 17}), randn({batch, 6}), randn({batch}), randn({batch, 17})};
  const auto critics_step = [&](const Tensors& inputs) {
    Tensor loss = sac.critics_loss(inputs);
    loss.backward();
    return Tensors{loss};
  };
  const auto policy_step = [&](const Tensors& inputs) {
    Tensor loss = sac.policy_loss(inputs);
    loss.backward({}, std::nullopt, false, sac.policy->parameters());
    return Tensors{loss};
  };
  const auto follow = [&](const Tensors&) {
    const NoGradGuard no_grad;
    for (size_t i = 0; i < all.size(); ++i) targets[i].lerp_(all[i], 0.005);
    return Tensors{};
  };
  nn::Graph critics_graph(critics_step), policy_graph(policy_step), follow_graph(follow);
  critics_graph.add_optimizer(critics);
  policy_graph.add_optimizer(policy);
  for (auto _ : state) {
    if (plan) {
      critics_graph(in);
      policy_graph(in);
      follow_graph({});
      continue;
    }
    critics.zero_grad(true);
    critics_step(in);
    critics.step();
    policy.zero_grad(true);
    policy_step(in);
    policy.step();
    follow(in);
  }
}
void sac_eager(benchmark::State& state) { sac(state, false); }
void sac_plan(benchmark::State& state) { sac(state, true); }
void sac_floor(benchmark::State& state) {
  const int64_t batch = state.range(0);
  std::vector<Layer> layers;
  const auto add = [&](int64_t in, int64_t out, int64_t count, bool weight, bool operand,
                       bool first_operand) {
    layers.push_back({batch, in, 256, count, weight, first_operand});
    layers.push_back({batch, 256, 256, count, weight, operand});
    layers.push_back({batch, 256, out, count, weight, operand});
  };
  add(17, 12, 1, false, false, false);  // the next action
  add(23, 1, 2, false, false, false);   // its targets
  add(23, 1, 2, true, true, false);     // critics
  add(17, 12, 1, true, true, false);    // policy
  add(23, 1, 2, false, true, true);     // and what the critics say of it
  floor_of(state, layers);
}
BENCHMARK(sac_floor)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK(sac_eager)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK(sac_plan)->Arg(256)->Unit(benchmark::kMicrosecond);

// forward, the mean square, backward and Adam of any module.
template <class Net>
void step_of(benchmark::State& state, Net& net, const Tensor& x, bool plan) {
  optim::Adam adam(net->parameters());
  const auto gradients = [&](const Tensors& in) {
    Tensor loss = net->forward(in[0]).square().mean();
    loss.backward();
    return Tensors{loss};
  };
  nn::Graph graph(gradients);
  graph.add_optimizer(adam);
  for (auto _ : state) {
    if (plan) {
      graph({x});
      continue;
    }
    adam.zero_grad(true);
    gradients({x});
    adam.step();
  }
}

// Mnih et al. 2015: 84 x 84 x 4, three convolutions, 512, six actions.
void nature_cnn(benchmark::State& state, bool plan) {
  nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(4, 32, 8).stride(4)), nn::ReLU(),
                     nn::Conv2d(nn::Conv2dOptions(32, 64, 4).stride(2)), nn::ReLU(),
                     nn::Conv2d(64, 64, 3), nn::ReLU(), nn::Flatten(), nn::Linear(3136, 512),
                     nn::ReLU(), nn::Linear(512, 6));
  step_of(state, net, randn({state.range(0), 4, 84, 84}), plan);
}
void nature_cnn_eager(benchmark::State& state) { nature_cnn(state, false); }
void nature_cnn_plan(benchmark::State& state) { nature_cnn(state, true); }
BENCHMARK(nature_cnn_eager)->Arg(32)->Unit(benchmark::kMicrosecond);
BENCHMARK(nature_cnn_plan)->Arg(32)->Unit(benchmark::kMicrosecond);

// A transformer layer of 256 numbers, 8 heads, 1024 inside, over 128 places.
void transformer(benchmark::State& state, bool plan) {
  nn::TransformerEncoderLayer net(
      nn::TransformerEncoderLayerOptions(256, 8).dim_feedforward(1024).dropout(0));
  step_of(state, net, randn({128, state.range(0), 256}), plan);
}
void transformer_eager(benchmark::State& state) { transformer(state, false); }
void transformer_plan(benchmark::State& state) { transformer(state, true); }
void transformer_floor(benchmark::State& state) {
  const int64_t batch = state.range(0), rows = 128 * batch, heads = 8 * batch;
  floor_of(state, {first({rows, 256, 768}),
                   {128, 32, 128, heads},
                   {128, 128, 32, heads},
                   {rows, 256, 256},
                   {rows, 256, 1024},
                   {rows, 1024, 256}});
}
BENCHMARK(transformer_eager)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(transformer_plan)->Arg(8)->Unit(benchmark::kMicrosecond);
BENCHMARK(transformer_floor)->Arg(8)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace oneagent

int main(int argc, char** argv) {
  oneagent::set_num_threads(1);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
