// Vectors derived by hand for a rollout with a termination (step 2), a truncation (step 4) and a
// cut at its end.
#include "algorithms/parts/gae.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

#include "core/base/check.h"

namespace oneagent {
namespace {

struct Result {
  std::array<float, 6> advantage{}, returns{};
};

Result run(double gamma, double lambda) {
  const std::array<float, 6> reward = {1, 0, 2, -1, .5F, 1}, value = {.5F, .4F, .3F, .2F, .1F, .6F},
                             final_value = {0, 0, 0, 0, .9F, 0};
  const std::array<uint8_t, 6> terminated = {0, 0, 1, 0, 0, 0}, truncated = {0, 0, 0, 0, 1, 0};
  const std::array<float, 1> last_value = {.7F};
  Result result;
  gae({6, 1, reward, value, terminated, truncated, final_value, last_value, gamma, lambda},
      result.advantage, result.returns);
  return result;
}

void expect_near(const std::array<float, 6>& got, const std::array<double, 6>& expected) {
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(got[i], expected[i], 2e-6) << "step " << i;
}

TEST(Gae, EqualsTheHandComputedAdvantagesAndReturns) {
  const Result result = run(.99, .95);
  expect_near(result.advantage, {2.302846925, 1.49585, 1.7, .1131855, 1.291, 1.093});
  expect_near(result.returns, {2.802846925, 1.89585, 2.0, .3131855, 1.391, 1.693});
}

TEST(Gae, WithoutDiscountItIsTheReturnMinusTheValue) {
  expect_near(run(1, 1).advantage, {2.5, 1.6, 1.7, .2, 1.3, 1.1});
}

TEST(Gae, WithoutLambdaItIsTheOneStepError) {
  expect_near(run(.9, 0).advantage, {.86, -.13, 1.7, -1.11, 1.21, 1.03});
}

TEST(Gae, ATruncationIsNotATermination) {
  const Result result = run(.99, .95);
  EXPECT_GT(std::abs(result.advantage[3] - -.7248), 0.1);
  EXPECT_GT(std::abs(result.advantage[4] - .4), 0.1);
}

TEST(Gae, TheRecursionDoesNotLeakAcrossATruncation) {
  const Result result = run(.99, .95);
  EXPECT_GT(std::abs(result.advantage[3] - 1.079987993), 0.1);
  EXPECT_GT(std::abs(result.advantage[4] - 2.3189665), 0.1);
}

// Episodes of 64 steps with reward 1 on the last and a constant critic (Stable-Baselines3's check,
// restated): a closed form.
TEST(Gae, EqualsTheClosedFormForASparseRewardAndAConstantCritic) {
  constexpr int kLength = 64;
  for (const double gamma : {1.0, 0.99})
    for (const double lambda : {1.0, 0.9})
      for (const float critic : {0.0F, 1.0F})
        for (const int episodes : {1, 3}) {
          const auto rows = static_cast<size_t>(kLength * episodes);
          std::vector<float> reward(rows, 0), value(rows, critic), final_value(rows, 0),
              advantage(rows), returns(rows), last{critic};
          std::vector<uint8_t> terminated(rows, 0), truncated(rows, 0);
          for (size_t i = kLength - 1; i < rows; i += kLength) reward[i] = terminated[i] = 1;
          gae({static_cast<int64_t>(rows), 1, reward, value, terminated, truncated, final_value,
               last, gamma, lambda},
              advantage, returns);
          for (size_t i = 0; i < rows; ++i) {
            const auto to_end = static_cast<int>(kLength - 1 - i % kLength);
            double expected =
                std::pow(gamma * lambda, to_end) * (1.0 - critic);  // the last step's error
            for (int k = 0; k < to_end; ++k)
              expected += std::pow(gamma * lambda, k) * (gamma * critic - critic);
            ASSERT_NEAR(advantage[i], expected, 2e-5)
                << "gamma " << gamma << " lambda " << lambda << " step " << i;
          }
        }
}

TEST(Gae, LanesDoNotMix) {
  const std::vector<float> reward = {1, 10, 1, 10}, value(4, 0), final_value(4, 0), last = {0, 0};
  const std::vector<uint8_t> none(4, 0);
  std::vector<float> advantage(4), returns(4);
  gae({2, 2, reward, value, none, none, final_value, last, 1, 1}, advantage, returns);
  EXPECT_EQ(advantage, (std::vector<float>{2, 20, 1, 10}));
}

// In float64 the same recursion is exact to its own precision: the closed form above, to 1e-14.
TEST(Gae, InDoubleItIsAsExactAsDoublesAre) {
  const std::vector<double> reward = {.1, .2, .3}, value = {.7, .11, .13}, final_value(3, 0),
                            last = {.17};
  const std::vector<uint8_t> none(3, 0);
  std::vector<double> advantage(3), returns(3);
  gae({3, 1, reward, value, none, none, final_value, last, .99, .95}, advantage, returns);
  const double third = .3 + .99 * .17 - .13, second = .2 + .99 * .13 - .11 + .99 * .95 * third,
               first = .1 + .99 * .11 - .7 + .99 * .95 * second;
  EXPECT_NEAR(advantage[2], third, 1e-15);
  EXPECT_NEAR(advantage[1], second, 1e-15);
  EXPECT_NEAR(advantage[0], first, 1e-15);
  EXPECT_NEAR(returns[0], first + .7, 1e-15);
}

TEST(Gae, RefusesArraysOfAnotherSize) {
  std::vector<float> rows(5), lanes(1), out(6);
  const std::vector<uint8_t> flags(6, 0);
  EXPECT_THROW(gae({6, 1, rows, rows, flags, flags, rows, lanes, 1, 1}, out, out), Error);
}

}  // namespace
}  // namespace oneagent
