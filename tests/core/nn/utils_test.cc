#include <gtest/gtest.h>

#include <cmath>

#include "core/nn/utils/clip_grad.h"
#include "core/nn/utils/rnn.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

TEST(Utils, LargestGradientMayBeNaN) {
  const Tensor p = zeros({2}).requires_grad_(), q = zeros({2}).requires_grad_();
  p.set_grad(full({2}, NAN));
  q.set_grad(full({2}, 3.0));
  EXPECT_TRUE(std::isnan(nn::utils::clip_grad_norm_({p, q}, 1.0, INFINITY)));
  q.set_grad(full({2}, 3.0));
  EXPECT_THROW(nn::utils::clip_grad_norm_({p, q}, 1.0, INFINITY, true), Error);
  EXPECT_FLOAT_EQ(nn::utils::clip_grad_norm_({q}, 1.0, INFINITY), 3.0);
}

TEST(Utils, PermutationsStayInBounds) {
  EXPECT_TRUE(
      equal(nn::utils::rnn::invert_permutation(tensor({2, 0, 1})), tensor({1, 2, 0}, kInt64)));
  EXPECT_THROW(nn::utils::rnn::invert_permutation(tensor({2, 4, 1})), Error);
}

}  // namespace
}  // namespace oneagent
