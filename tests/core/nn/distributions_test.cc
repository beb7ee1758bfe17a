// Distributions equal PyTorch's, with and without masks; samples follow them.
#include "core/nn/distributions.h"

#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

using nn::Categorical;
using nn::Normal;
using testing::expect_values;
using testing::golden_nn;
using testing::wave;

Tensor some_mask() {
  return tensor({1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1})
      .view({4, 5})
      .to(kBool);
}

void expect_categorical(const std::string& name, const Tensor& mask) {
  const Tensor logits = (wave(0.2, {4, 5}) * 2.0).requires_grad_();
  const Categorical distribution(logits, mask);
  const Tensor log_prob = distribution.log_prob(tensor(std::vector<int64_t>{3, 1, 4, 4})),
               entropy = distribution.entropy();
  const Json golden = golden_nn(name);
  expect_values(log_prob, golden["log_prob"], name + " log_prob");
  expect_values(entropy, golden["entropy"], name + " entropy");
  expect_values(distribution.probs(), golden["probs"], name + " probs");
  (sum(log_prob * wave(0.4, {4})) + sum(entropy * wave(0.5, {4}))).backward();
  expect_values(logits.grad(), golden["gradient"], name + " gradient");
}

TEST(Categorical, EqualsPyTorch) { expect_categorical("categorical", {}); }

TEST(Categorical, WithAMaskEqualsPyTorchWithInfiniteLogits) {
  expect_categorical("categorical_masked", some_mask());
}

TEST(Categorical, SamplesFollowTheProbabilitiesAndNeverTheMask) {
  Generator generator(21);
  const Tensor logits = tensor({0.0, 1.0, 5.0}).expand({20000, 3}),
               mask = tensor({1, 1, 0}).to(kBool).expand({20000, 3});
  const Tensor action = Categorical(logits, mask).sample(generator);
  EXPECT_EQ(action.sizes(), (Shape{20000}));
  const Tensor share = sum(one_hot(action, 3), {0}).to(kFloat64) / 20000.0;
  EXPECT_EQ(share[2].item<double>(), 0.0);
  EXPECT_NEAR(share[1].item<double>(), 1 / (1 + std::exp(-1.0)), 0.01);
}

TEST(Categorical, ModeIsTheLikeliestAllowedAction) {
  const Tensor logits = tensor({0.0, 1.0, 5.0}).view({1, 3});
  EXPECT_EQ(Categorical(logits).mode().item<int64_t>(), 2);
  EXPECT_EQ(Categorical(logits, tensor({1, 1, 0}).to(kBool).view({1, 3})).mode().item<int64_t>(),
            1);
}

TEST(Normal, EqualsPyTorch) {
  const Tensor mean = wave(0.2, {4, 3}).requires_grad_(),
               log_std = (wave(0.6, {3}) * 0.3).requires_grad_();
  const Normal distribution(mean, exp(log_std));
  const Tensor log_prob = distribution.log_prob(wave(1.1, {4, 3})),
               entropy = distribution.entropy();
  const Json golden = golden_nn("normal");
  expect_values(log_prob, golden["log_prob"], "log_prob");
  expect_values(entropy, golden["entropy"], "entropy");
  (sum(log_prob * wave(0.4, {4})) + sum(entropy * wave(0.5, {4}))).backward();
  expect_values(mean.grad(), golden["mean_gradient"], "mean gradient");
  expect_values(log_std.grad(), golden["log_std_gradient"], "log_std gradient");
}

TEST(Normal, SamplesHaveItsMoments) {
  Generator generator(22);
  const Normal distribution(full({25000, 2}, 3.0), full({2}, 0.5));
  const Tensor drawn = distribution.sample(generator);
  EXPECT_NEAR(oneagent::mean(drawn).item<double>(), 3.0, 0.02);
  EXPECT_NEAR(oneagent::std(drawn).item<double>(), 0.5, 0.02);
}

}  // namespace
}  // namespace oneagent
