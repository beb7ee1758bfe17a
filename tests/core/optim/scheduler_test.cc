// Learning rates, and momenta, of the schedulers equal those of Python's torch; StepLR's those of
// libtorch. A state that goes through JSON continues exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/optim/problem.h"

namespace oneagent {
namespace {

using namespace optim;  // NOLINT
using testing::golden_optim;

std::vector<OptimizerParamGroup> two_groups() {
  return {{"first", {zeros({1})}, 0.5}, {"second", {zeros({1})}, 0.25}};
}
std::unique_ptr<Optimizer> sgd() {
  return std::make_unique<SGD>(two_groups(), SGDOptions(0.1).momentum(0.9));
}

using Make = std::function<std::unique_ptr<LRScheduler>(Optimizer&)>;

struct Trial {
  explicit Trial(const Make& make, std::unique_ptr<Optimizer> own = sgd())
      : optimizer(std::move(own)), scheduler(make(*optimizer)) {}
  std::vector<double> lrs() const { return scheduler->get_last_lr(); }
  std::vector<double> momenta() const {
    std::vector<double> out;
    for (const OptimizerParamGroup& group : optimizer->param_groups())
      out.push_back(group.options().get_momentum().value());
    return out;
  }
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<LRScheduler> scheduler;
};

void expect_close(const std::vector<double>& actual, const Json& expected,
                  const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (size_t g = 0; g < actual.size(); ++g)
    EXPECT_NEAR(actual[g], expected[g].get<double>(), 1e-12) << where << ", group " << g;
}

using Step = std::function<void(LRScheduler&, size_t)>;

void expect_rates(
    const std::string& name, const Make& make,
    const std::function<std::unique_ptr<Optimizer>()>& optimizer = sgd,
    const Step& step = [](LRScheduler& scheduler, size_t) { scheduler.step(); }) {
  const Json& golden = golden_optim(name);
  Trial run(make, optimizer());
  std::unique_ptr<Trial> restored;
  for (size_t i = 0; i < golden["lr"].size(); ++i) {
    const std::string where = str(name, ", step ", i);
    expect_close(run.lrs(), golden["lr"][i], where);
    if (!golden["momentum"].empty()) expect_close(run.momenta(), golden["momentum"][i], where);
    if (restored) {
      EXPECT_EQ(restored->lrs(), run.lrs()) << where;
      EXPECT_EQ(restored->momenta(), run.momenta()) << where;
    }
    if (i == 7) {
      restored = std::make_unique<Trial>(make, optimizer());
      restored->scheduler->load_state_dict(run.scheduler->state_dict());
    }
    if (i + 1 == golden["lr"].size()) break;
    step(*run.scheduler, i);
    if (restored) step(*restored->scheduler, i);
  }
}

template <class S, class... Args>
Make make(Args... args) {
  return [=](Optimizer& optimizer) { return std::make_unique<S>(optimizer, args...); };
}

TEST(Schedulers, StepsAndFactors) {
  expect_rates("step_lr", make<StepLR>(3U, 0.5));
  expect_rates("multi_step_lr", make<MultiStepLR>(std::vector<unsigned>{2, 5, 5, 9}, 0.5));
  expect_rates("exponential_lr", make<ExponentialLR>(0.9));
  expect_rates("constant_lr", make<ConstantLR>(0.3, 4U));
  expect_rates("linear_lr", make<LinearLR>(0.2, 0.8, 7U));
  expect_rates("polynomial_lr", make<PolynomialLR>(9U, 2.0));
}

TEST(Schedulers, Cosines) {
  expect_rates("cosine_annealing_lr", make<CosineAnnealingLR>(10U, 0.01));
  expect_rates("cosine_annealing_warm_restarts", make<CosineAnnealingWarmRestarts>(3U, 2U, 0.01));
  expect_rates("cosine_annealing_warm_restarts_even", make<CosineAnnealingWarmRestarts>(5U));
}

TEST(Schedulers, Cycles) {
  expect_rates("one_cycle_lr", make<OneCycleLR>(1.0, 26U));
  expect_rates("one_cycle_lr_linear",
               make<OneCycleLR>(std::vector<double>{1.0, 2.0}, 24U,
                                OneCycleLROptions()
                                    .pct_start(0.4)
                                    .anneal_strategy("linear")
                                    .three_phase(true)
                                    .div_factor(10)
                                    .final_div_factor(50)),
               [] { return std::make_unique<Adam>(two_groups()); });
  expect_rates("cyclic_lr",
               make<CyclicLR>(0.1, 0.6, CyclicLROptions().step_size_up(4).step_size_down(3)));
  expect_rates(
      "cyclic_lr_triangular2",
      make<CyclicLR>(0.1, 0.6,
                     CyclicLROptions().step_size_up(3).mode("triangular2").cycle_momentum(false)));
  expect_rates(
      "cyclic_lr_exp_range",
      make<CyclicLR>(0.1, 0.6, CyclicLROptions().step_size_up(3).mode("exp_range").gamma(0.9)));
}

TEST(Schedulers, Functions) {
  expect_rates("lambda_lr", make<LambdaLR>(std::vector<EpochFunction>{
                                [](unsigned epoch) { return 1.0 / (1 + epoch); },
                                [](unsigned epoch) { return std::pow(0.9, epoch); }}));
  expect_rates("multiplicative_lr",
               make<MultiplicativeLR>(EpochFunction([](unsigned) { return 0.95; })));
}

TEST(Schedulers, Plateaus) {
  using Plateau = ReduceLROnPlateauScheduler;
  const auto with = [](std::vector<double> metrics) -> Step {
    return [=](LRScheduler& scheduler, size_t i) {
      static_cast<Plateau&>(scheduler).step(metrics[std::min(i, metrics.size() - 1)]);
    };
  };
  expect_rates(
      "plateau",
      make<Plateau>(Plateau::min, 0.5, 2, 1e-4, Plateau::rel, 1, std::vector<double>{0.05, 0.02}),
      sgd, with({3, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0.5, 0.5, 0.5, 0.5}));
  expect_rates("plateau_max", make<Plateau>(Plateau::max, 0.3, 1, 0.05, Plateau::abs), sgd,
               with({1, 1.04, 1.06, 1.07, 1.08, 1.2, 1.2, 1.2, 1.3}));
  Trial run(make<Plateau>());
  EXPECT_THROW(run.scheduler->step(), Error);
}

TEST(Schedulers, Compositions) {
  expect_rates("sequential_lr", [](Optimizer& o) {
    return std::make_unique<SequentialLR>(
        o,
        Schedulers{std::make_shared<ConstantLR>(o, 0.1, 3), std::make_shared<ExponentialLR>(o, 0.9),
                   std::make_shared<CosineAnnealingLR>(o, 8)},
        std::vector<unsigned>{4, 11});
  });
  const auto milestones = std::vector<unsigned>{3, 6};
  expect_rates("warm_up", [&](Optimizer& o) {
    return std::make_unique<WarmUp>(o, 5, std::make_shared<MultiStepLR>(o, milestones, 0.5), 0.1);
  });
  expect_rates("chained_scheduler", [](Optimizer& o) {
    return std::make_unique<ChainedScheduler>(
        Schedulers{std::make_shared<ConstantLR>(o, 0.1, 3), std::make_shared<ExponentialLR>(o, 0.9),
                   std::make_shared<MultiStepLR>(o, std::vector<unsigned>{6}, 0.5)});
  });
}

TEST(Schedulers, RefuseWhatDoesNotFit) {
  const auto one = sgd(), other = sgd();
  const auto scheduler = std::make_shared<ExponentialLR>(*other, 0.9);
  EXPECT_THROW(SequentialLR(*one, {scheduler}, {}), Error);
  EXPECT_THROW(SequentialLR(*other, {scheduler}, {3}), Error);
  EXPECT_THROW(ConstantLR(*one, 1.5), Error);
  EXPECT_THROW(OneCycleLR(*one, std::vector<double>{1.0}, 10), Error);
  Adagrad adagrad(two_groups());
  EXPECT_THROW(CyclicLR(adagrad, 0.1, 0.2), Error);
  EXPECT_THROW(scheduler->load_state_dict("{}"), Error);
}

// A scheduler of a user: only get_lrs().
TEST(Schedulers, CanBeDerivedAsInLibtorch) {
  struct Halving : LRScheduler {
    using LRScheduler::LRScheduler;
    std::vector<double> get_lrs() override {
      std::vector<double> lrs = get_current_lrs();
      if (step_count_ > 0)
        for (double& lr : lrs) lr /= 2;
      return lrs;
    }
  };
  const auto optimizer = sgd();
  Halving halving(*optimizer);
  for (int i = 0; i < 3; ++i) halving.step();
  EXPECT_EQ(halving.get_last_lr(), (std::vector<double>{0.125, 0.0625}));
}

}  // namespace
}  // namespace oneagent
