// Trajectories of the optimizers equal PyTorch's; state is exact; groups have their own learning
// rates.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/optim/adam.h"
#include "core/optim/sgd.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

using optim::Adam;
using optim::AdamOptions;
using optim::Optimizer;
using optim::SGD;
using optim::SGDOptions;
using ::testing::HasSubstr;
using testing::wave;

struct Problem {
  Tensor p = wave(0.1, {3, 4}).requires_grad_();
  Tensor q = wave(0.7, {5}).requires_grad_();

  void step(Optimizer& optimizer, int step) const {
    optimizer.zero_grad();
    Tensor loss = sum(cos(p) * wave(0.3, {3, 4})) + 0.1 * sum(p * p);
    if (step >= 3) loss = loss + sum(sin(q) * wave(0.9, {5}));  // q has no gradient before
    loss.backward();
    optimizer.step();
  }
};

void expect_trajectory(const std::string& name,
                       const std::function<std::unique_ptr<Optimizer>(const Problem&)>& make) {
  const Problem problem;
  const auto optimizer = make(problem);
  for (int step = 0; step < 12; ++step) problem.step(*optimizer, step);
  const Json golden = testing::golden_nn(name);
  testing::expect_values(problem.p, golden["p"], name + " p");
  testing::expect_values(problem.q, golden["q"], name + " q");
}

template <class O, class Options>
void expect_trajectory(const std::string& name, const Options& options) {
  expect_trajectory(name, [&](const Problem& problem) {
    return std::make_unique<O>(std::vector<Tensor>{problem.p, problem.q}, options);
  });
}

TEST(Optimizers, FollowPyTorchsTrajectories) {
  expect_trajectory<Adam>("adam", AdamOptions{.lr = 0.05});
  expect_trajectory<Adam>(
      "adam_decay",
      AdamOptions{.lr = 0.05, .beta1 = 0.8, .beta2 = 0.95, .eps = 1e-5, .weight_decay = 0.1});
  expect_trajectory<Adam>("adamw", AdamOptions{.lr = 0.05, .weight_decay = 0.2, .decoupled = true});
  expect_trajectory<SGD>("sgd", SGDOptions{.lr = 0.1});
  expect_trajectory<SGD>("sgd_momentum",
                         SGDOptions{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.05});
  expect_trajectory<SGD>("sgd_dampening", SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.3});
  expect_trajectory<SGD>("sgd_nesterov", SGDOptions{.lr = 0.1, .momentum = 0.9, .nesterov = true});
}

TEST(Optimizers, GroupsHaveTheirOwnLearningRate) {
  expect_trajectory("adam_groups", [](const Problem& problem) {
    return std::make_unique<Adam>(
        std::vector<optim::ParamGroup>{{"first", {problem.p}, 0.1}, {"second", {problem.q}}},
        AdamOptions{.lr = 0.01});
  });
  const Problem problem;
  Adam adam(std::vector<optim::ParamGroup>{{"policy", {problem.p}}, {"value", {problem.q}}},
            AdamOptions{});
  adam.set_lr("value", 0.5);
  EXPECT_EQ(adam.lr("policy"), 1e-3);
  EXPECT_EQ(adam.lr("value"), 0.5);
  try {
    adam.set_lr("vlaue", 1.0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no parameter group \"vlaue\"; did you mean \"value\"?"));
  }
}

TEST(Optimizers, RestoredStateContinuesBitForBit) {
  const Problem problem;
  Adam adam({problem.p, problem.q}, AdamOptions{.lr = 0.05});
  for (int step = 0; step < 5; ++step) problem.step(adam, step);

  const Problem other;
  Adam restored({other.p, other.q}, AdamOptions{.lr = 0.05});
  const NoGradGuard guard;
  other.p.copy_(problem.p);
  other.q.copy_(problem.q);
  const auto from = adam.named_state(), to = restored.named_state();
  ASSERT_EQ(from.size(), to.size());
  for (size_t i = 0; i < from.size(); ++i) to[i].tensor.copy_(from[i].tensor);
  GradMode::set_enabled(true);
  for (int step = 5; step < 9; ++step) {
    problem.step(adam, step);
    other.step(restored, step);
  }
  EXPECT_TRUE(equal(problem.p, other.p));
  EXPECT_TRUE(equal(problem.q, other.q));
}

TEST(Optimizers, RefuseWhatIsNoParameter) {
  EXPECT_THROW(Adam(std::vector<Tensor>{zeros({2})}), Error);
  EXPECT_THROW(Adam(std::vector<Tensor>{zeros({2}).requires_grad_().mul(2.0)}), Error);
}

TEST(Optimizers, AStepCountsAsAWriteForAutograd) {
  const Tensor w = tensor({2.0}).requires_grad_();
  const Tensor y = square(w);
  SGD sgd({w}, SGDOptions{.lr = 0.1});
  w.set_grad(ones({1}));
  sgd.step();
  EXPECT_THROW(y.backward(), Error);
}

}  // namespace
}  // namespace oneagent
