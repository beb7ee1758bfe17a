// Draws beside the Philox blocks that define them, and samples beside their moments.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr int64_t kCount = 203;  // whole blocks of lanes and a part of one

std::array<uint32_t, 4> block_at(const RngState& at, uint64_t i) {
  const uint64_t counter = at.position + i;
  return philox_block({static_cast<uint32_t>(at.seed), static_cast<uint32_t>(at.seed >> 32)},
                      {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                       static_cast<uint32_t>(at.stream), static_cast<uint32_t>(at.stream >> 32)});
}

double fraction_of(uint32_t low, uint32_t high) {
  return static_cast<double>(((uint64_t{high} << 32) | low) >> 11) * 0x1p-53;
}

// Calls check(i, block of number i) for what `draw` returns.
template <class Draw, class Check>
void compare(const Draw& draw, const Check& check) {
  manual_seed(1234567890123);
  Generator& generator = default_generator();
  const RngState at = generator.state();
  const Tensor drawn = draw().to(kFloat64);
  const double* values = drawn.data_ptr<double>();
  for (int64_t i = 0; i < kCount; ++i) check(values[i], block_at(at, static_cast<uint64_t>(i)));
}

double normal_of(const std::array<uint32_t, 4>& b) {
  return std::sqrt(-2 * std::log(1 - fraction_of(b[0], b[1]))) *
         std::cos(6.283185307179586 * fraction_of(b[2], b[3]));
}

TEST(Random, UniformNumbersAreTheUpperBitsOfABlock) {
  compare([] { return rand({kCount}, kFloat64); },
          [](double x, const auto& b) { EXPECT_EQ(x, fraction_of(b[0], b[1])); });
  compare([] { return rand({kCount}, kFloat32); },
          [](double x, const auto& b) { EXPECT_EQ(x, (b[0] >> 8) * 0x1p-24); });
}

TEST(Random, NormalNumbersAreThoseOfBoxAndMuller) {
  compare([] { return randn({kCount}, kFloat64); },
          [](double x, const auto& b) { EXPECT_NEAR(x, normal_of(b), 1e-14); });
  compare([] { return randn({kCount}, kFloat32); },
          [](double x, const auto& b) { EXPECT_NEAR(x, normal_of(b), 2e-6); });
}

TEST(Random, WholeNumbersAreAShareOfTheRange) {
  compare([] { return randint(-3, 1000, {kCount}); },
          [](double x, const auto& b) {
            EXPECT_EQ(x, -3 + std::floor(1003 * fraction_of(b[0], b[1])));
          });
}

TEST(Random, PermutationsHoldEveryNumberOnce) {
  for (const int64_t n : {0, 1, 2, 63, 64, 1000}) {
    Tensor order = randperm(n);
    auto values = order.values<int64_t>();
    std::sort(values.begin(), values.end());
    for (int64_t i = 0; i < n; ++i) EXPECT_EQ(values[static_cast<size_t>(i)], i);
  }
  // Each of the 6 orders of 3 numbers comes as often as the others.
  int counts[27] = {};
  for (int i = 0; i < 6000; ++i) {
    const Tensor order = randperm(3);
    const auto v = order.values<int64_t>();
    ++counts[v[0] * 9 + v[1] * 3 + v[2]];
  }
  for (const int place : {5, 7, 11, 15, 19, 21}) EXPECT_NEAR(counts[place], 1000, 150);
}

TEST(Random, SamplesHaveTheirMoments) {
  constexpr int64_t kMany = 100000;
  for (const double a : {0.3, 1.0, 4.5}) {
    const Tensor x = _standard_gamma(full({kMany}, a, kFloat64));
    EXPECT_NEAR(x.mean().item<double>(), a, 0.03 * std::max(a, 1.0));
    EXPECT_NEAR(x.var().item<double>(), a, 0.06 * std::max(a, 1.0));
  }
  for (const double rate : {0.2, 3.0, 40.0}) {
    const Tensor x = poisson(full({kMany}, rate, kFloat64));
    EXPECT_NEAR(x.mean().item<double>(), rate, 0.03 * std::max(rate, 1.0));
    EXPECT_NEAR(x.var().item<double>(), rate, 0.06 * std::max(rate, 1.0));
  }
}

TEST(Random, ChosenIndicesFollowTheWeights) {
  const Tensor weights = tensor({0.0, 1.0, 2.0, 0.0, 5.0}, kFloat32);
  const Tensor counts = bincount(multinomial(weights, 80000, true), {}, 5);
  const auto n = counts.values<int64_t>();
  EXPECT_EQ(n[0], 0);
  EXPECT_EQ(n[3], 0);
  EXPECT_NEAR(n[1], 10000, 500);
  EXPECT_NEAR(n[2], 20000, 700);
  EXPECT_NEAR(n[4], 50000, 900);
}

TEST(Random, DrawsOfManyRowsAreThoseOfTheRowsOneByOne) {
  for (const int64_t n : {1, 2, 3, 4, 5, 9}) {
    const Tensor weights = rand({150, n}, kFloat32) + 0.1;
    manual_seed(5);
    const Tensor together = multinomial(weights, 1, true);
    manual_seed(5);
    for (int64_t r = 0; r < weights.size(0); ++r)
      EXPECT_EQ(multinomial(weights[r], 1, true).item<int64_t>(), together[r][0].item<int64_t>())
          << "row " << r << " of " << n << " weights";
  }
}

TEST(Random, RefusesWhatItCannotDraw) {
  EXPECT_THROW(bernoulli(tensor({0.5, 1.5})), Error);
  EXPECT_THROW(bernoulli(tensor({-0.1})), Error);
  EXPECT_THROW(bernoulli(tensor({0.5, std::nan("")})), Error);
  EXPECT_THROW(rand({2}, kInt32), Error);
  EXPECT_THROW(zeros({2}, kInt32).uniform_(), Error);
  EXPECT_THROW(randint(300, {2}, kUInt8), Error);
  EXPECT_THROW(zeros({2}, kUInt8).random_(300), Error);
  EXPECT_EQ(to_vector<double>(multinomial(tensor({0.0, 1.0, 0.0}), 2))[0], 1);
  EXPECT_THROW(multinomial(tensor({0.0, 0.0}), 2), Error);
}

}  // namespace
}  // namespace oneagent
