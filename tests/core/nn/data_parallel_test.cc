#include "core/nn/data_parallel.h"

#include <gtest/gtest.h>

#include "core/nn/nn.h"

namespace oneagent {
namespace {

const Device kHere(kCPU);

TEST(DataParallel, EqualsTheModule) {
  nn::Linear linear(3, 2);
  const Tensor x = randn({5, 3}), expected = linear->forward(x);
  const Tensor y = nn::parallel::data_parallel(linear, x, std::vector<Device>(2, kHere));
  EXPECT_TRUE(allclose(y, expected));
  y.sum().backward();
  const Tensor gradient = linear->weight.grad().clone();
  linear->zero_grad();
  expected.sum().backward();
  EXPECT_TRUE(allclose(gradient, linear->weight.grad()));
  EXPECT_TRUE(
      equal(nn::parallel::data_parallel(linear, x, std::vector<Device>(1, kHere)), expected));
}

TEST(DataParallel, RefusesWhatDoesNotFit) {
  nn::Linear linear(3, 2);
  EXPECT_THROW(nn::parallel::data_parallel(linear, randn({5, 3})), Error);
  auto replicas = nn::parallel::replicate(linear, std::vector<Device>(2, kHere));
  EXPECT_THROW(nn::parallel::parallel_apply(replicas, {randn({5, 3})}), Error);
}

}  // namespace
}  // namespace oneagent
