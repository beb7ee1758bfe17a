// ZeRO 1 to 3: what a rank holds, what it sends, and that the weights are those of one device.
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/runtime/trace.h"
#include "core/torch/graph.h"
#include "core/torch/recompute.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::ParallelOptions;
using distributed::World;

constexpr int kSteps = 20;
constexpr int64_t kWidth = 32, kClasses = 8, kRows = 256;

nn::Sequential make_net() {
  manual_seed(11);
  nn::Sequential net(nn::Linear(kWidth, kWidth), nn::Tanh(), nn::Linear(kWidth, kWidth), nn::Tanh(),
                     nn::Linear(kWidth, kClasses));
  net->to(kFloat64);
  return net;
}

std::vector<Tensor> batch_of(int step) {
  Generator generator(static_cast<uint64_t>(50 + step));
  return {randn({kRows, kWidth}, generator, kFloat64),
          randint(kClasses, {kRows}, generator, kInt64)};
}

enum class Kind { kPlain, kAccumulating, kClipping, kRecomputing };

Tensor loss_of(nn::Sequential net, const std::vector<Tensor>& in, Kind kind) {
  const std::function<Tensor(const Tensor&)> forward = [net](const Tensor& x) mutable {
    return net->forward(x);
  };
  const Tensor logits =
      kind == Kind::kRecomputing ? nn::checkpoint(forward, in[0]) : forward(in[0]);
  const Tensor loss = nn::functional::cross_entropy(logits, in[1]);
  return kind == Kind::kAccumulating ? loss / 2 : loss;
}

std::unique_ptr<optim::Optimizer> make_optimizer(bool adam, const std::vector<Tensor>& parameters) {
  if (adam) return std::make_unique<optim::Adam>(parameters, optim::AdamOptions(1e-2));
  return std::make_unique<optim::SGD>(parameters, optim::SGDOptions(0.1).momentum(0.9));
}

std::vector<Tensor> values_of(nn::Sequential net) {
  std::vector<Tensor> out;
  for (const Tensor& parameter : net->parameters()) out.push_back(whole_values(parameter).clone());
  return out;
}

// The norm is a tensor: a graph knows no numbers.
void clip(const std::vector<Tensor>& parameters, double most) {
  const NoGradGuard no_grad;
  Tensor sum = zeros({}, kFloat64);
  for (const Tensor& parameter : parameters) sum = sum + parameter.grad().square().sum();
  const Tensor factor = (most / sum.sqrt()).clamp_max(1);
  for (const Tensor& parameter : parameters) parameter.grad().mul_(factor);
}

// A graph of the training step; on a mesh with `parallel`.
std::unique_ptr<nn::Graph> make_step(nn::Sequential net, optim::Optimizer& optimizer, Kind kind,
                                     std::shared_ptr<const ParallelOptions> parallel) {
  auto step = std::make_unique<nn::Graph>(
      [net, kind](const std::vector<Tensor>& in) mutable {
        const Tensor loss = loss_of(net, in, kind);
        loss.backward();
        if (kind == Kind::kClipping) clip(net->parameters(), 0.05);
        return std::vector<Tensor>{loss};
      },
      nn::GraphOptions{.micro_batches = kind == Kind::kAccumulating ? 2 : 1,
                       .parallel = std::move(parallel)});
  step->add_optimizer(optimizer);
  return step;
}

std::shared_ptr<ParallelOptions> options_of(const Mesh& mesh, int zero) {
  auto out = std::make_shared<ParallelOptions>();
  out->mesh = mesh;
  out->zero = zero;
  out->bucket_bytes = 0;  // so that collectives can be counted
  if (zero == 0) {
    out->pin_input = [](const Tensor&) { return distributed::Pin{Placement::split(0)}; };
    out->pin_leaf = [](const Tensor&) { return distributed::Pin{Placement::broadcast()}; };
  }
  out->cost.flops_per_second = 1e8;  // it pays to share out
  return out;
}

std::vector<Tensor> trained_on_one(bool adam, Kind kind) {
  const nn::Sequential net = make_net();
  const auto optimizer = make_optimizer(adam, net->parameters());
  const auto graph = make_step(net, *optimizer, kind, nullptr);
  nn::Graph& step = *graph;
  for (int i = 0; i < kSteps; ++i) step(batch_of(i));
  return values_of(net);
}

void expect_equal(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(allclose(actual[i], expected[i], 1e-9, 1e-12))
        << "parameter " << i << " differs by " << (actual[i] - expected[i]).abs().max();
}

// Bytes of the state of one parameter.
size_t state_bytes(optim::Optimizer& optimizer, const Tensor& parameter, bool adam) {
  auto& state = *optimizer.state().at(optim::param_key(parameter));
  if (!adam) return static_cast<optim::SGDParamState&>(state).momentum_buffer().nbytes();
  auto& moments = static_cast<optim::AdamParamState&>(state);
  return moments.exp_avg().nbytes() + moments.exp_avg_sq().nbytes();
}

struct Case {
  int zero;
  bool adam;
  Kind kind;
};

class Zero : public ::testing::TestWithParam<int> {};

TEST_P(Zero, EqualsOneDeviceAndHoldsItsShare) {
  const int zero = GetParam();
  for (const comm::RankRunner& runner : comm::rank_runners())
    for (const bool adam : {true, false}) {
      const std::vector<Tensor> expected = trained_on_one(adam, Kind::kPlain);
      runner.run(
          4,
          [&](comm::Communicator& all) {
            World world(all);
            const nn::Sequential net = make_net();
            const auto optimizer = make_optimizer(adam, net->parameters());
            const Mesh mesh({4}, {"data"});
            const auto graph = make_step(net, *optimizer, Kind::kPlain, options_of(mesh, zero));
            nn::Graph& step = *graph;
            step(batch_of(0));
            const comm::Traffic before = world.traffic();
            step(batch_of(1));
            const comm::Traffic after = world.traffic();
            for (int i = 2; i < kSteps; ++i) step(batch_of(i));

            size_t whole = 0, held = 0;
            for (const Tensor& parameter : net->parameters()) {
              whole += static_cast<size_t>(parameter.numel()) * 8;
              held += local_part(parameter).nbytes() + local_part(parameter.grad()).nbytes() +
                      state_bytes(*optimizer, parameter, adam);
            }
            // In multiples of the parameters: themselves, gradients, state.
            const double state = adam ? 2 : 1, n = 4;
            const double formula[] = {2 + state, 2 + state / n, 1 + (1 + state) / n,
                                      (2 + state) / n};
            const auto bytes = static_cast<double>(whole);
            EXPECT_LE(static_cast<double>(held), 1.05 * formula[zero] * bytes);
            EXPECT_GE(static_cast<double>(held), 0.999 * formula[zero] * bytes);

            // Each of the six leaves: reduced once, gathered once behind a step. In stage 3: for
            // forward and, what a gradient goes through, again for backward: weights but the
            // first; the last has just been used. Three more numbers are added for the loss.
            const int64_t leaves = 6, numbers = 3, share = 3 * static_cast<int64_t>(whole) / 4;
            const int64_t gathers[] = {0, leaves, leaves, leaves + 1};
            EXPECT_EQ(after.all_gather.calls - before.all_gather.calls, gathers[zero]);
            EXPECT_EQ(after.reduce_scatter.calls - before.reduce_scatter.calls,
                      zero >= 2 ? leaves : 0);
            EXPECT_EQ(after.all_reduce.calls - before.all_reduce.calls,
                      numbers + (zero >= 2 ? 0 : leaves))
                << step.sharding();
            EXPECT_EQ(after.all_to_all.calls, 0);
            EXPECT_EQ(after.reduce_scatter.bytes - before.reduce_scatter.bytes,
                      zero >= 2 ? share : 0);
            const int64_t again = 3 * kWidth * kWidth * 8 / 4;
            EXPECT_EQ(after.all_gather.bytes - before.all_gather.bytes,
                      zero == 0 ? 0 : share + (zero == 3 ? again : 0));
            if (zero < 2) {
              EXPECT_NEAR(static_cast<double>(after.all_reduce.bytes - before.all_reduce.bytes),
                          static_cast<double>(2 * share), numbers * 24.0);
            }
            expect_equal(values_of(net), expected);
          },
          {});
    }
}

TEST_P(Zero, AccumulatesClipsAndRecomputes) {
  const int zero = GetParam();
  for (const Kind kind : {Kind::kAccumulating, Kind::kClipping, Kind::kRecomputing})
    for (const bool adam : {true, false}) {
      SCOPED_TRACE(str("kind ", static_cast<int>(kind), adam ? " adam" : " sgd"));
      const std::vector<Tensor> expected = trained_on_one(adam, kind);
      for (const comm::RankRunner& runner : comm::rank_runners())
        runner.run(2,
                   [&](comm::Communicator& all) {
                     World world(all);
                     const nn::Sequential net = make_net();
                     const auto optimizer = make_optimizer(adam, net->parameters());
                     const auto graph =
                         make_step(net, *optimizer, kind, options_of(Mesh({2}, {"data"}), zero));
                     nn::Graph& step = *graph;
                     for (int i = 0; i < kSteps; ++i) step(batch_of(i));
                     for (const Tensor& parameter : net->parameters())
                       EXPECT_EQ(local_part(parameter.grad()).numel() * (zero >= 2 ? 2 : 1),
                                 parameter.numel());
                     if (zero >= 2) {
                       EXPECT_GT(world.traffic().reduce_scatter.calls, 0);
                     }
                     expect_equal(values_of(net), expected);
                   },
                   {});
    }
}

INSTANTIATE_TEST_SUITE_P(Stages, Zero, ::testing::Values(0, 1, 2, 3));

// Beside a dimension that splits parameters.
TEST(ZeroMesh, DataAndTensor) {
  const std::vector<Tensor> expected = trained_on_one(true, Kind::kPlain);
  for (const int zero : {1, 2, 3})
    comm::run_ranks(4, [&](comm::Communicator& all) {
      World world(all);
      const nn::Sequential net = make_net();
      const auto optimizer = make_optimizer(true, net->parameters());
      auto options = options_of(Mesh({2, 2}, {"data", "tensor"}), zero);
      options->split_leaves = {1};
      const auto graph = make_step(net, *optimizer, Kind::kPlain, options);
      nn::Graph& step = *graph;
      for (int i = 0; i < kSteps; ++i) step(batch_of(i));
      size_t whole = 0, held = 0;
      for (const Tensor& parameter : net->parameters()) {
        whole += static_cast<size_t>(parameter.numel()) * 8;
        held += local_part(parameter).nbytes() + local_part(parameter.grad()).nbytes() +
                state_bytes(*optimizer, parameter, true);
      }
      const double formula[] = {4.0 / 2, (2 + 2.0 / 2) / 2, (1 + 3.0 / 2) / 2, 4.0 / 4};
      EXPECT_LE(static_cast<double>(held), 1.05 * formula[zero] * static_cast<double>(whole))
          << step.sharding();
      expect_equal(values_of(net), expected);
    });
}

// Checkpoints hold whole tensors, so that a run goes on with any other stage.
TEST(ZeroMesh, StateMovesBetweenStages) {
  const std::vector<Tensor> expected = trained_on_one(true, Kind::kPlain);
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    std::vector<optim::NamedState> state;
    std::vector<Tensor> values;
    for (int zero = 0; zero <= 3; ++zero) {
      const nn::Sequential net = make_net();
      const auto optimizer = make_optimizer(true, net->parameters());
      const auto graph =
          make_step(net, *optimizer, Kind::kPlain, options_of(Mesh({2}, {"data"}), zero));
      nn::Graph& step = *graph;
      if (zero > 0) {
        const NoGradGuard no_grad;
        const std::vector<Tensor> parameters = net->parameters();
        for (size_t i = 0; i < values.size(); ++i) parameters[i].copy_(values[i]);
      }
      if (zero > 0) optimizer->load_state(state);
      for (int i = 5 * zero; i < 5 * zero + 5; ++i) step(batch_of(i));
      state.clear();
      for (const optim::NamedState& entry : optimizer->named_state())
        state.push_back({entry.name, entry.tensor.clone()});
      values = values_of(net);
    }
    expect_equal(values, expected);
  });
}

// A step of a net of equal layers, 64 by 64, without anything between them.
struct DeepStep {
  DeepStep(int layers, const std::shared_ptr<ParallelOptions>& options)
      : net(make(layers)),
        sgd(net->parameters(), optim::SGDOptions(0.1)),
        step(
            [net = net](const std::vector<Tensor>& in) mutable {
              const Tensor loss = net->forward(in[0]).square().mean();
              loss.backward();
              return std::vector<Tensor>{loss};
            },
            {.parallel = options}) {
    step.add_optimizer(sgd);
  }

  static nn::Sequential make(int layers) {
    manual_seed(12);
    nn::Sequential net;
    for (int i = 0; i < layers; ++i) net->push_back(nn::Linear(64, 64));
    net->to(kFloat64);
    return net;
  }

  nn::Sequential net;
  optim::SGD sgd;
  nn::Graph step;
};

// A parameter is gathered for the calls that read it: of a deep net no more than two are whole at a
// time.
TEST(ZeroMesh, GatheredParametersAreDropped) {
  constexpr int kLayers = 12;
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    size_t arena[2];
    for (const bool keep : {false, true}) {
      auto options = options_of(Mesh({2}, {"data"}), 3);
      options->prefetch_calls = 0;
      if (keep) options->gathered_bytes = 1e9;
      DeepStep deep(kLayers, options);
      deep.step({ones({4, 64}, kFloat64)});
      arena[keep ? 1 : 0] = deep.step.plan().arena_bytes;
    }
    const size_t weight = 64 * 64 * 8;
    EXPECT_GT(arena[1], (kLayers - 1) * weight);  // backward reads all but the first
    EXPECT_LT(arena[0], 4 * weight);              // weights and gradients
  });
}

// One gather after the other, on a link that takes its time: while a layer computes, the next
// one's weight comes. So many layers more are whole at a time as are asked for, and no bit differs.
TEST(ZeroMesh, TheNextLayersAreGatheredBesideCompute) {
  constexpr int kLayers = 8, kTraced = 8;  // steps: on a busy machine threads may take turns
  constexpr int64_t kWide = 64;
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    comm::GroupOptions slow;
    slow.inject = [](int, std::string_view point) {
      if (point == "step") std::this_thread::sleep_for(std::chrono::milliseconds(2));
    };
    std::vector<std::vector<Tensor>> weights(3);
    size_t arena[3] = {};
    int64_t gathers[3] = {};
    Trace trace;
    for (const int ahead : {0, 1, 2})
      runner.run(
          2,
          [&](comm::Communicator& all) {
            World world(all);
            auto options = options_of(Mesh({2}, {"data"}), 3);
            options->prefetch_calls = ahead;
            DeepStep deep(kLayers, options);
            nn::Graph& step = deep.step;
            step({ones({2048, kWide}, kFloat64)});
            if (ahead == 1) step.set_trace(&trace, str("rank ", all.rank(), " "));
            const comm::Traffic before = world.traffic();
            for (int i = 0; i < kTraced; ++i) step({ones({2048, kWide}, kFloat64)});
            const int64_t calls = world.traffic().all_gather.calls - before.all_gather.calls;
            step.set_trace(nullptr);
            const auto values = values_of(deep.net);  // all ranks take part
            if (all.rank() != 0) return;
            const auto at = static_cast<size_t>(ahead);
            arena[at] = step.plan().arena_bytes;
            gathers[at] = calls;
            weights[at] = values;
          },
          slow);
    const size_t layer = (kWide + 1) * kWide * 8 + 256;  // and what aligning takes
    for (const size_t ahead : {size_t{1}, size_t{2}}) {
      EXPECT_LE(arena[ahead], arena[0] + ahead * layer) << runner.name;
      EXPECT_EQ(gathers[ahead], gathers[0]);
      for (size_t i = 0; i < weights[0].size(); ++i)
        EXPECT_TRUE(equal(weights[ahead][i], weights[0][i])) << runner.name << " " << i;
    }
    for (const int rank : {0, 1}) {
      int64_t both = 0, sent = 0;
      const std::vector<TraceSpan> work = trace.spans(str("rank ", rank, " compute"));
      for (const TraceSpan& gather : trace.spans(str("rank ", rank, " communication"))) {
        if (gather.name != "all_gather") continue;
        ++sent;
        for (const TraceSpan& span : work)
          if (span.name.find("linear") != span.name.npos || span.name.find("mm") != span.name.npos)
            both += std::max<int64_t>(
                0, std::min(gather.end_ns, span.end_ns) - std::max(gather.begin_ns, span.begin_ns));
      }
      EXPECT_EQ(sent, gathers[0]) << runner.name;
      EXPECT_GT(both, 0) << runner.name;
    }
  }
}

}  // namespace
}  // namespace oneagent
