// Results do not depend on the number of threads, on the batch around a row, or on the run.
#include <gtest/gtest.h>

#include <cmath>

#include "core/ops/op.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

// Large enough that work is split when there are two threads.
std::vector<Tensor> large_work() {
  Generator generator(7);
  const Tensor x = randn({700, 130}, generator).requires_grad_(),
               w = randn({90, 130}, generator).requires_grad_(),
               b = randn({90}, generator).requires_grad_();
  const Tensor y = linear(x, w, b, Activation::kTanh);
  const Tensor image = randn({6, 3, 20, 20}, generator),
               filter = randn({8, 3, 3, 3}, generator).requires_grad_();
  const Tensor z = conv2d(image, filter, {}, 1, 1);
  (sum(log_softmax(y, 1)) + sum(square(z)) + mean(exp(x * 0.1))).backward();
  return {y.detach(),
          z.detach(),
          x.grad(),
          w.grad(),
          b.grad(),
          filter.grad(),
          sum(x.detach(), {0}),
          rand({50000}, generator),
          cumsum(x.detach(), 1)};
}

TEST(Determinism, TwoThreadsGiveTheBitsOfOne) {
  set_num_threads(1);
  const auto one = large_work();
  set_num_threads(2);
  const auto two = large_work();
  set_num_threads(1);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(equal(one[i], two[i])) << "result " << i;
}

TEST(Determinism, ARowOfALinearLayerDoesNotDependOnTheBatchAroundIt) {
  Generator generator(1);
  const Tensor w = randn({64, 300}, generator), b = randn({64}, generator),
               x = randn({37, 300}, generator);
  const Tensor all = linear(x, w, b, Activation::kTanh);
  for (int64_t i = 0; i < x.size(0); ++i)
    EXPECT_TRUE(equal(linear(x.narrow(0, i, 1), w, b, Activation::kTanh), all.narrow(0, i, 1)))
        << "row " << i;
}

TEST(Determinism, FusedActivationGivesTheBitsOfTheSeparateOne) {
  Generator generator(2);
  const Tensor w = randn({33, 20}, generator), b = randn({33}, generator),
               x = randn({9, 20}, generator);
  EXPECT_TRUE(equal(linear(x, w, b, Activation::kTanh), tanh(linear(x, w, b))));
  EXPECT_TRUE(equal(linear(x, w, b, Activation::kRelu), relu(linear(x, w, b))));
  EXPECT_TRUE(equal(linear(x, w, b, Activation::kSigmoid), sigmoid(linear(x, w, b))));
}

TEST(Determinism, ElementwiseResultsDoNotDependOnHowAnArrayIsSplit) {
  Generator generator(3);
  const Tensor x = randn({1003}, generator) * 4.0;
  for (const auto& function : {tanh, exp, sigmoid}) {
    const Tensor whole = function(x);
    EXPECT_TRUE(
        equal(cat({function(x.narrow(0, 0, 501)), function(x.narrow(0, 501, 502))}), whole));
  }
}

TEST(Determinism, AGeneratorInTheSameStateGivesTheSameNumbers) {
  Generator a(5), b(5);
  EXPECT_TRUE(equal(rand({10}, a), rand({10}, b)));
  const RngState saved = a.state();
  const Tensor next = randn({4}, a);
  b.set_state(saved);
  EXPECT_TRUE(equal(randn({4}, b), next));
}

// Errors in units of the last place or absolute, as core/kernels/cpu/math.h states them.
TEST(ElementaryFunctions, StayWithinTheirErrorBounds) {
  std::vector<float> points;
  for (int i = -4000; i <= 4000; ++i) points.push_back(static_cast<float>(i) * 0.0217F);
  const Tensor x = tensor(points);
  const auto e = to_vector<float>(exp(x)), t = to_vector<float>(tanh(x)),
             s = to_vector<float>(sigmoid(x)), l = to_vector<float>(log(abs(x) + 1e-3));
  for (size_t i = 0; i < points.size(); ++i) {
    const double p = points[i];
    ASSERT_NEAR(e[i], std::exp(p), 1.2e-7 * std::exp(p) + 1e-37) << p;
    ASSERT_NEAR(t[i], std::tanh(p), 4e-7) << p;
    ASSERT_LE(std::abs(t[i]), 1.0F) << p;
    ASSERT_NEAR(s[i], 1 / (1 + std::exp(-p)), 2.5e-7 / (1 + std::exp(-p)) + 1e-37) << p;
    const double shifted = std::abs(points[i]) + 1e-3F;
    ASSERT_NEAR(l[i], std::log(static_cast<double>(static_cast<float>(shifted))),
                2e-7 * std::abs(std::log(shifted)) + 1.2e-7)
        << p;
  }
}

TEST(ElementaryFunctions, HandleTheEnds) {
  const float infinity = INFINITY;
  const auto e = to_vector<float>(exp(tensor({1000.0F, -1000.0F, 0.0F, -infinity, infinity})));
  EXPECT_EQ(e, (std::vector<float>{infinity, 0, 1, 0, infinity}));
  const auto l = to_vector<float>(log(tensor({0.0F, 1.0F, infinity})));
  EXPECT_EQ(l, (std::vector<float>{-infinity, 0, infinity}));
  EXPECT_TRUE(std::isnan(log(tensor({-1.0})).item<float>()));
  for (const auto& function : {exp, log, tanh, sigmoid, relu})
    EXPECT_TRUE(std::isnan(function(tensor({std::nan("")})).item<float>()));
  EXPECT_EQ(to_vector<float>(tanh(tensor({50.0, -50.0}))), (std::vector<float>{1, -1}));
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Generator generator(11);
  const Tensor u = rand({100000}, generator), n = randn({100000}, generator);
  EXPECT_NEAR(mean(u).item<double>(), 0.5, 0.005);
  EXPECT_GE(min(u).item<double>(), 0.0);
  EXPECT_LT(max(u).item<double>(), 1.0);
  EXPECT_NEAR(mean(n).item<double>(), 0.0, 0.015);
  EXPECT_NEAR(std(n).item<double>(), 1.0, 0.015);
}

TEST(Random, MultinomialFollowsItsWeightsAndNeverDrawsAZero) {
  Generator generator(12);
  const Tensor drawn = multinomial(tensor({1.0, 0.0, 3.0}), 40000, true, generator);
  const Tensor counts = sum(one_hot(drawn, 3), {0});
  EXPECT_EQ(counts[1].item<int64_t>(), 0);
  EXPECT_NEAR(counts[2].item<double>() / 40000, 0.75, 0.01);
  EXPECT_THROW(multinomial(tensor({0.0, 0.0}), 1, true, generator), Error);
  EXPECT_THROW(multinomial(tensor({1.0, std::nan("")}), 1, true, generator), Error);
}

TEST(Random, RandpermIsAPermutation) {
  Generator generator(13);
  const Tensor order = randperm(50, generator);
  EXPECT_TRUE(equal(index_select(arange(50), 0, order), order));
  EXPECT_TRUE(equal(sum(one_hot(order, 50), {0}), ones({50}, kInt64)));
  EXPECT_FALSE(equal(order, arange(50)));
}

}  // namespace
}  // namespace oneagent
