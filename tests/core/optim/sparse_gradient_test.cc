// Optimizers on sparse gradients: values from PyTorch, and only the rows that have a gradient.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"

namespace oneagent {
namespace {

using namespace optim;  // NOLINT
using ::testing::HasSubstr;

std::vector<double> trained(const std::function<std::unique_ptr<Optimizer>(const Tensor&)>& make) {
  const Tensor weight = (arange(12).to(kFloat64).view({4, 3}) / 10).requires_grad_();
  const std::unique_ptr<Optimizer> optimizer = make(weight);
  const Tensor index = tensor({{1, 3}, {3, 1}});
  const Tensor scale = arange(12).to(kFloat64).view({2, 2, 3});
  for (int step = 0; step < 3; ++step) {
    optimizer->zero_grad();
    const Tensor rows = embedding(weight, remainder(index + step, 4), -1, false, true);
    (rows * scale).sum().backward();
    optimizer->step();
  }
  return to_vector<double>(weight.reshape({-1}));
}

void expect_near(const std::vector<double>& values, const std::vector<double>& golden) {
  ASSERT_EQ(values.size(), golden.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], golden[i], 1e-11) << i;
}

TEST(SparseGradients, GradientDescent) {
  expect_near(trained([](const Tensor& w) {
                return std::make_unique<SGD>(std::vector<Tensor>{w}, SGDOptions(0.1));
              }),
              {-0.9, -1.0, -1.1, -1.5, -1.8, -2.1, -0.3, -0.4, -0.5, -0.9, -1.2, -1.5});
  expect_near(
      trained([](const Tensor& w) {
        return std::make_unique<SGD>(std::vector<Tensor>{w}, SGDOptions(0.1).momentum(0.9));
      }),
      {-1.71, -1.99, -2.27, -3.039, -3.681, -4.323, -1.11, -1.39, -1.67, -2.439, -3.081, -3.723});
}

TEST(SparseGradients, Adaptive) {
  expect_near(trained([](const Tensor& w) {
                return std::make_unique<Adagrad>(std::vector<Tensor>{w},
                                                 AdagradOptions(0.1).lr_decay(0.5));
              }),
              {-0.066666666666, 0.033333333334, 0.133333333334, 0.164644660942, 0.264644660942,
               0.364644660942, 0.533333333334, 0.633333333334, 0.733333333334, 0.764644660942,
               0.864644660942, 0.964644660942});
  expect_near(trained([](const Tensor& w) {
                return std::make_unique<SparseAdam>(std::vector<Tensor>{w}, SparseAdamOptions(0.1));
              }),
              {-0.074413679742, 0.025586319783, 0.125586319453, 0.11415375007, 0.214153749044,
               0.314153748333, 0.525586320258, 0.625586319783, 0.725586319453, 0.71415375007,
               0.814153749044, 0.914153748333});
}

TEST(SparseGradients, AreRefusedByName) {
  const Tensor weight = ones({4, 2}).requires_grad_();
  embedding(weight, tensor({1, 2}), -1, false, true).sum().backward();
  const auto error = [&](Optimizer&& optimizer) {
    try {
      optimizer.step();
    } catch (const Error& caught) {
      return std::string(caught.what());
    }
    return std::string();
  };
  const std::vector<Tensor> all = {weight};
  EXPECT_THAT(error(Adam(all)), HasSubstr("Adam does not support sparse gradients"));
  EXPECT_THAT(error(AdamW(all)), HasSubstr("AdamW does not support sparse gradients"));
  EXPECT_THAT(error(RMSprop(all)), HasSubstr("RMSprop does not support sparse gradients"));
  EXPECT_THAT(error(SGD(all, SGDOptions(0.1).weight_decay(0.1))),
              HasSubstr("weight_decay option is not compatible with sparse gradients"));
}

// The parts of complex parameters are numbers like others.
TEST(ComplexParameters, AreTrained) {
  const Tensor target = complex(tensor({1.0, -2.0}), tensor({0.5, 3.0}));
  const auto loss_after = [&](auto make) {
    const Tensor z = zeros({2}, kComplexFloat).requires_grad_();
    const auto optimizer = make(std::vector<Tensor>{z});
    Tensor loss;
    for (int step = 0; step < 300; ++step) {
      optimizer->zero_grad();
      loss = abs(z - target).square().sum();
      loss.backward();
      optimizer->step();
    }
    return loss.item<double>();
  };
  using All = std::vector<Tensor>;
  EXPECT_LT(loss_after([](All all) { return std::make_unique<SGD>(all, SGDOptions(0.1)); }), 1e-6);
  EXPECT_LT(loss_after([](All all) { return std::make_unique<Adam>(all, AdamOptions(0.1)); }),
            1e-4);
}

}  // namespace
}  // namespace oneagent
