// clip_grad_norm_ in the function of a graph: the bits of eager code on one device, the weights of
// one device on a mesh, where the norm takes one collective.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/nn/utils/clip_grad.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::ParallelOptions;
using distributed::World;
using Tensors = std::vector<Tensor>;

constexpr int kSteps = 5;

nn::Sequential make_net(DType dtype) {
  manual_seed(17);
  nn::Sequential net(nn::Linear(8, 16), nn::Tanh(), nn::Linear(16, 16), nn::Tanh(),
                     nn::Linear(16, 4));
  net->to(dtype);
  return net;
}

Tensor batch_of(int step, DType dtype) {
  Generator generator(static_cast<uint64_t>(70 + step));
  return randn({32, 8}, generator, dtype);
}

struct Trained {
  Tensors weights;
  std::vector<double> norms;
};

Trained eager(double max_norm, double p, DType dtype) {
  nn::Sequential net = make_net(dtype);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  Trained out;
  for (int i = 0; i < kSteps; ++i) {
    sgd.zero_grad(true);
    nn::Sequential forward = net;
    forward->forward(batch_of(i, dtype)).square().mean().backward();
    out.norms.push_back(nn::utils::clip_grad_norm_(net->parameters(), max_norm, p));
    sgd.step();
  }
  for (const Tensor& parameter : net->parameters()) out.weights.push_back(parameter.detach());
  return out;
}

Trained recorded(double max_norm, double p, DType dtype,
                 std::shared_ptr<const ParallelOptions> parallel = nullptr, bool in_one = true) {
  nn::Sequential net = make_net(dtype);
  optim::SGD sgd(net->parameters(), optim::SGDOptions(0.1).momentum(0.9));
  nn::Graph step(
      [&, net](const Tensors& in) mutable {
        net->forward(in[0]).square().mean().backward();
        const Tensors parameters = net->parameters();
        Tensors gradients;
        for (const Tensor& parameter : parameters) gradients.push_back(parameter.grad());
        const Tensor norm = nn::utils::get_total_norm(gradients, p);
        if (!in_one) {
          nn::utils::clip_grads_with_norm_(parameters, max_norm, norm);
        } else {
          EXPECT_TRUE(std::isnan(nn::utils::clip_grad_norm_(parameters, max_norm, p)));
        }
        return Tensors{norm};
      },
      {.parallel = std::move(parallel)});
  step.add_optimizer(sgd);
  Trained out;
  for (int i = 0; i < kSteps; ++i)
    out.norms.push_back(whole_values(step({batch_of(i, dtype)})[0]).item<double>());
  for (const Tensor& parameter : net->parameters())
    out.weights.push_back(whole_values(parameter.detach()).clone());
  return out;
}

TEST(GraphClip, EqualsEagerBitForBit) {
  for (const DType dtype : {kFloat32, kFloat64})
    for (const double p : {1.0, 2.0, 3.0, std::numeric_limits<double>::infinity()})
      for (const double max_norm : {0.02, 100.0}) {  // clipped, and left as they are
        const Trained expected = eager(max_norm, p, dtype),
                      actual = recorded(max_norm, p, dtype, nullptr, p != 2 || dtype == kFloat64);
        for (int i = 0; i < kSteps; ++i)
          EXPECT_NEAR(actual.norms[static_cast<size_t>(i)], expected.norms[static_cast<size_t>(i)],
                      p == 3 ? 1e-12 : 0)
              << p << " " << max_norm;
        for (size_t i = 0; i < expected.weights.size(); ++i)
          EXPECT_TRUE(p == 3 ? allclose(actual.weights[i], expected.weights[i])
                             : equal(actual.weights[i], expected.weights[i]))
              << p << " " << max_norm;
      }
}

// The first power is a copy; in a run of elementwise calls it is one of them.
TEST(GraphClip, ThePowerOfOneIsJoinedWithOtherCalls) {
  nn::Graph graph([](const Tensors& in) { return Tensors{(in[0] + 1.0).pow(1) * 2.0}; });
  EXPECT_TRUE(equal(graph({arange(5).to(kFloat32)})[0], (arange(5).to(kFloat32) + 1.0) * 2.0));
}

TEST(GraphClip, WhatIsNotFiniteGoesThroughAsInEagerCode) {
  Tensor w = ones({3}).requires_grad_();
  nn::Graph step([&](const Tensors& in) {
    (w * in[0]).sum().backward();
    const Tensor norm = nn::utils::get_total_norm({w.grad()});
    nn::utils::clip_grads_with_norm_({w}, 1.0, norm);
    return Tensors{norm};
  });
  step.add_parameters({w});
  EXPECT_TRUE(std::isnan(step({tensor({std::nan(""), 1.0, 2.0}).to(kFloat32)})[0].item<double>()));
  EXPECT_TRUE(w.grad().isnan().all().item<bool>());
}

// Parameters split by tensor ranks: each adds the squares of its parts, and one number is sent.
TEST(GraphClip, OneCollectiveAddsTheNormOfAMesh) {
  const Trained expected = eager(0.02, 2, kFloat64);
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(2,
               [&](comm::Communicator& all) {
                 World world(all);
                 auto parallel = std::make_shared<ParallelOptions>();
                 parallel->mesh = Mesh({2}, {"tensor"});
                 parallel->split_leaves = {0};
                 parallel->cost.flops_per_second = 1e6;
                 parallel->bucket_bytes = 0;
                 const Trained actual = recorded(0.02, 2, kFloat64, parallel);
                 for (size_t i = 0; i < expected.weights.size(); ++i)
                   EXPECT_TRUE(allclose(actual.weights[i], expected.weights[i], 1e-9, 1e-12));
                 for (size_t i = 0; i < expected.norms.size(); ++i)
                   EXPECT_NEAR(actual.norms[i], expected.norms[i], 1e-9);
                 // With and without: one all-reduce of one number more.
                 int64_t calls[2] = {}, bytes[2] = {};
                 for (const bool clips : {false, true}) {
                   nn::Sequential net = make_net(kFloat64);
                   nn::Graph step(
                       [&, net](const Tensors& in) mutable {
                         net->forward(in[0]).square().mean().backward();
                         if (clips) nn::utils::clip_grad_norm_(net->parameters(), 0.02);
                         return Tensors{};
                       },
                       {.parallel = parallel});
                   step.add_parameters(net->parameters());
                   step({batch_of(0, kFloat64)});
                   const comm::Traffic before = world.traffic();
                   step({batch_of(1, kFloat64)});
                   const comm::Traffic now = world.traffic();
                   calls[clips] = now.all_reduce.calls - before.all_reduce.calls +
                                  now.all_gather.calls - before.all_gather.calls;
                   bytes[clips] = now.all_reduce.bytes - before.all_reduce.bytes +
                                  now.all_gather.bytes - before.all_gather.bytes;
                 }
                 EXPECT_EQ(calls[1], calls[0] + 1);
                 EXPECT_LE(bytes[1], bytes[0] + 16);
               },
               {});
}

TEST(GraphClip, SaysWhatCannotBe) {
  using ::testing::HasSubstr;
  const auto message = [](const std::function<void(const Tensor&)>& clip, int64_t parts) {
    Tensor w = ones({3}).requires_grad_();
    nn::Graph step(
        [&](const Tensors& in) {
          (w * in[0]).sum().backward();
          clip(w);
          return Tensors{};
        },
        {.micro_batches = parts});
    step.add_parameters({w});
    try {
      step({ones({2, 3})});
    } catch (const nn::RecordingError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](const Tensor& w) { nn::utils::clip_grad_norm_(w, 1.0, 2.0, true); }, 1),
              HasSubstr("error_if_nonfinite reads the norm"));
  EXPECT_THAT(message([](const Tensor& w) { nn::utils::clip_grad_norm_(w, 1.0); }, 2),
              HasSubstr("in a graph of 2 micro-batches"));
}

}  // namespace
}  // namespace oneagent
