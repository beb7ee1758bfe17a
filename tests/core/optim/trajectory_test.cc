// Trajectories of the optimizers equal PyTorch's over 40 steps (LAMB, LARS: their papers').
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "tests/core/optim/problem.h"

namespace oneagent {
namespace {

using namespace optim;  // NOLINT
using testing::golden_optim;
using testing::Problem;
using testing::wave;

template <class O, class Options>
void expect_trajectory(const std::string& name, const Options& options) {
  const Problem problem;
  O optimizer({problem.p, problem.q}, options);
  for (int step = 0; step < 40; ++step) problem.step(optimizer, step);
  testing::expect_values(problem.p, golden_optim(name)["p"], name + " p");
  testing::expect_values(problem.q, golden_optim(name)["q"], name + " q");
}

TEST(Trajectories, Adam) {
  expect_trajectory<Adam>("adam", AdamOptions(0.05));
  expect_trajectory<Adam>("adam_decay",
                          AdamOptions(0.05).betas({0.8, 0.95}).eps(1e-5).weight_decay(0.1));
  expect_trajectory<Adam>("adam_amsgrad", AdamOptions(0.1).betas({0.8, 0.9}).amsgrad(true));
}

TEST(Trajectories, AdamW) {
  expect_trajectory<AdamW>("adamw", AdamWOptions(0.05));
  expect_trajectory<AdamW>("adamw_amsgrad",
                           AdamWOptions(0.1).betas({0.8, 0.9}).weight_decay(0.2).amsgrad(true));
}

TEST(Trajectories, Sgd) {
  expect_trajectory<SGD>("sgd", 0.1);
  expect_trajectory<SGD>("sgd_decay", SGDOptions(0.1).weight_decay(0.3));
  expect_trajectory<SGD>("sgd_momentum", SGDOptions(0.1).momentum(0.9).weight_decay(0.05));
  expect_trajectory<SGD>("sgd_dampening", SGDOptions(0.1).momentum(0.9).dampening(0.3));
  expect_trajectory<SGD>("sgd_nesterov", SGDOptions(0.1).momentum(0.9).nesterov(true));
}

TEST(Trajectories, Adagrad) {
  expect_trajectory<Adagrad>("adagrad", AdagradOptions(0.1));
  expect_trajectory<Adagrad>(
      "adagrad_decay",
      AdagradOptions(0.1).lr_decay(0.05).weight_decay(0.1).initial_accumulator_value(0.2));
}

TEST(Trajectories, RMSprop) {
  expect_trajectory<RMSprop>("rmsprop", RMSpropOptions(0.02));
  expect_trajectory<RMSprop>("rmsprop_decay",
                             RMSpropOptions(0.02).alpha(0.9).eps(1e-4).weight_decay(0.1));
  expect_trajectory<RMSprop>("rmsprop_momentum", RMSpropOptions(0.01).momentum(0.8));
  expect_trajectory<RMSprop>("rmsprop_centered", RMSpropOptions(0.01).centered(true));
  expect_trajectory<RMSprop>("rmsprop_both",
                             RMSpropOptions(0.01).momentum(0.8).centered(true).weight_decay(0.1));
}

TEST(Trajectories, Adadelta) {
  expect_trajectory<Adadelta>("adadelta", AdadeltaOptions());
  expect_trajectory<Adadelta>("adadelta_decay",
                              AdadeltaOptions(0.5).rho(0.8).eps(1e-3).weight_decay(0.1));
}

TEST(Trajectories, AdamsRelatives) {
  expect_trajectory<Adamax>("adamax", AdamaxOptions(0.05).weight_decay(0.1));
  expect_trajectory<NAdam>("nadam", NAdamOptions(0.05).weight_decay(0.1));
  expect_trajectory<RAdam>("radam", RAdamOptions(0.05).weight_decay(0.1));
  expect_trajectory<RAdam>("radam_short", RAdamOptions(0.05).betas({0.8, 0.9}));
}

TEST(Trajectories, LayerwiseRates) {
  expect_trajectory<LAMB>("lamb", LAMBOptions(0.05).weight_decay(0.1));
  expect_trajectory<LARS>("lars", LARSOptions(20.0).momentum(0.5).weight_decay(0.1));
}

constexpr double kRounding = 1e-6;  // differences of rounding grow over the iterations

// Rosenbrock's valley in six dimensions.
void expect_lbfgs(const std::string& name, int rounds, const LBFGSOptions& options) {
  const Tensor x = wave(0.4, {2, 2}).requires_grad_(), y = wave(0.8, {2}).requires_grad_();
  LBFGS lbfgs({x, y}, options);
  const Json& golden = golden_optim(name);
  for (int round = 0; round < rounds; ++round) {
    const Tensor loss = lbfgs.step([&] {
      lbfgs.zero_grad();
      const Tensor z = cat({x.reshape({-1}), y}, 0);
      const Tensor left = z.narrow(0, 0, 5), right = z.narrow(0, 1, 5);
      Tensor out = sum(square(right - square(left)) * 100.0 + square(1.0 - left));
      out.backward();
      return out;
    });
    const double expected = golden["losses"][static_cast<size_t>(round)].get<double>();
    EXPECT_NEAR(loss.item<double>(), expected, kRounding * (1 + expected)) << name << ", " << round;
  }
  testing::expect_values(x, golden["p"], name + " x", kRounding);
  testing::expect_values(y, golden["q"], name + " y", kRounding);
  const auto& state = static_cast<const LBFGSParamState&>(*lbfgs.state().begin()->second);
  EXPECT_EQ(state.func_evals(), golden["func_evals"].get<int64_t>()) << name;
  EXPECT_EQ(state.n_iter(), golden["n_iter"].get<int64_t>()) << name;
}

TEST(Trajectories, Lbfgs) {
  expect_lbfgs("lbfgs", 2, LBFGSOptions(0.1));
  expect_lbfgs("lbfgs_short", 6, LBFGSOptions(0.05).max_iter(4).history_size(3));
  expect_lbfgs("lbfgs_wolfe", 2, LBFGSOptions().line_search_fn("strong_wolfe"));
  expect_lbfgs("lbfgs_wolfe_lr", 3,
               LBFGSOptions(0.5).max_iter(7).history_size(4).line_search_fn("strong_wolfe"));
}

}  // namespace
}  // namespace oneagent
