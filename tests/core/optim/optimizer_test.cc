// What all optimizers share: groups, options, state, closures, layouts and types of parameters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/io/archive.h"
#include "core/optim/serialize.h"
#include "tests/core/optim/problem.h"

namespace oneagent {
namespace {

using namespace optim;  // NOLINT
using ::testing::HasSubstr;
using testing::Problem;
using testing::wave;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Optimizers, GroupsHaveTheirOwnOptions) {
  const Problem problem;
  std::vector<OptimizerParamGroup> groups;
  groups.emplace_back(std::vector<Tensor>{problem.p}, std::make_unique<AdamOptions>(0.1));
  groups.emplace_back(std::vector<Tensor>{problem.q});
  Adam adam(groups, AdamOptions(0.01));
  EXPECT_EQ(adam.size(), 2u);
  for (int step = 0; step < 40; ++step) problem.step(adam, step);
  const Json& golden = testing::golden_optim("adam_groups");
  testing::expect_values(problem.p, golden["p"], "p");
  testing::expect_values(problem.q, golden["q"], "q");

  static_cast<AdamOptions&>(adam.param_groups()[1].options()).lr(0.7).betas({0.5, 0.6});
  EXPECT_EQ(adam.param_groups()[1].options().get_lr(), 0.7);
  EXPECT_EQ(adam.param_groups()[0].options().get_lr(), 0.1);
  EXPECT_EQ(adam.defaults().get_lr(), 0.01);
  EXPECT_FALSE(static_cast<AdamOptions&>(adam.param_groups()[1].options()) == AdamOptions(0.7));
}

TEST(Optimizers, NamedGroups) {
  const Problem problem;
  std::vector<OptimizerParamGroup> groups = {{"policy", {problem.p}}, {"value", {problem.q}, 0.2}};
  Adam adam(groups, AdamOptions(1e-3));
  EXPECT_EQ(adam.lr("policy"), 1e-3);
  EXPECT_EQ(adam.lr("value"), 0.2);
  adam.set_lr("value", 0.5);
  EXPECT_EQ(adam.lr("value"), 0.5);
  EXPECT_THAT(error_of([&] { adam.set_lr("vlaue", 1.0); }),
              HasSubstr("no parameter group \"vlaue\"; did you mean \"value\"?"));
  adam.set_lr(0.3);
  EXPECT_EQ(adam.lr("policy"), 0.3);
}

TEST(Optimizers, RestoredStateContinuesBitForBit) {
  const auto check = [](const auto& make) {
    const Problem problem, other;
    auto optimizer = make(problem), restored = make(other);
    for (int step = 0; step < 7; ++step) problem.step(optimizer, step);
    {
      const NoGradGuard guard;
      other.p.copy_(problem.p);
      other.q.copy_(problem.q);
    }
    restored.load_state(optimizer.named_state());
    for (int step = 7; step < 12; ++step) {
      problem.step(optimizer, step);
      other.step(restored, step);
    }
    EXPECT_TRUE(equal(problem.p, other.p));
    EXPECT_TRUE(equal(problem.q, other.q));
  };
  const auto both = [](const Problem& p) { return std::vector<Tensor>{p.p, p.q}; };
  check([&](const Problem& p) { return Adam(both(p), AdamOptions(0.05).amsgrad(true)); });
  check([&](const Problem& p) { return AdamW(both(p), 0.05); });
  check([&](const Problem& p) { return SGD(both(p), SGDOptions(0.1).momentum(0.9)); });
  check([&](const Problem& p) { return Adagrad(both(p)); });
  check([&](const Problem& p) {
    return RMSprop(both(p), RMSpropOptions().momentum(0.5).centered(true));
  });
  check([&](const Problem& p) { return Adadelta(both(p)); });
  check([&](const Problem& p) { return Adamax(both(p)); });
  check([&](const Problem& p) { return NAdam(both(p)); });
  check([&](const Problem& p) { return RAdam(both(p)); });
  check([&](const Problem& p) { return LAMB(both(p)); });
  check([&](const Problem& p) { return LARS(both(p), LARSOptions(1.0).momentum(0.9)); });
}

TEST(Optimizers, AnothersStateIsRefusedAndNothingIsChanged) {
  const Problem problem;
  Adam adam({problem.p, problem.q}, 0.05);
  problem.step(adam, 5);
  std::vector<NamedState> state = adam.named_state();
  EXPECT_EQ(state.size(), 6u);
  EXPECT_EQ(state[1].name, "0.0.exp_avg");
  state[1].tensor = zeros({4, 3}, kFloat64);
  EXPECT_THAT(error_of([&] { adam.load_state(state); }),
              HasSubstr("\"0.0.exp_avg\" was saved as [4, 3] float64, expected [3, 4] float64"));
  state = adam.named_state();
  state.push_back({"0.7.step", state[0].tensor});
  EXPECT_THAT(error_of([&] { adam.load_state(state); }), HasSubstr("holds \"0.7.step\""));
  state.resize(2);
  EXPECT_THAT(error_of([&] { adam.load_state(state); }), HasSubstr("has no \"0.0.exp_avg_sq\""));
  EXPECT_EQ(adam.named_state().size(), 6u);
}

TEST(Optimizers, ArchivesRestoreStateButNotOptions) {
  const Problem problem, other;
  Adam adam({problem.p, problem.q}, 0.05), restored({other.p, other.q}, 0.2);
  problem.step(adam, 3);
  serialize::OutputArchive out, options;
  adam.save(out);
  AdamOptions(0.7).betas({0.5, 0.6}).serialize(options);
  out.write("own", options);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in, own;
  in.load_from(stream);
  restored.load(in);
  EXPECT_EQ(restored.param_groups()[0].options().get_lr(), 0.2);
  EXPECT_EQ(restored.named_state().size(), adam.named_state().size());
  in.read("own", own);
  AdamOptions read;
  read.serialize(own);
  EXPECT_EQ(read, AdamOptions(0.7).betas({0.5, 0.6}));
  Adam smaller({other.p}, 0.1);
  EXPECT_THAT(error_of([&] { smaller.load(in); }), HasSubstr("has a different size"));
}

// An optimizer in the style of libtorch's, saved with its macros.
struct SignOptions : OptimizerCloneableOptions<SignOptions> {
  SignOptions(double lr = 0.1) : lr_(lr) {}  // NOLINT: implicit
  using betas_t = std::tuple<double, double>;
  OA_ARG(double, lr) = 0.1;
  OA_ARG(betas_t, betas) = {0.9, 0.99};
  OA_ARG(std::optional<int64_t>, every) = std::nullopt;

 public:
  void serialize(serialize::InputArchive& archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(double, lr);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(betas_t, betas);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG_OPTIONAL(int64_t, every);
  }
  void serialize(serialize::OutputArchive& archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(lr);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(betas);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(every);
  }
  double get_lr() const override { return lr(); }
  void set_lr(const double value) override { lr(value); }
};
struct SignParamState : OptimizerCloneableParamState<SignParamState> {
  OA_ARG(int64_t, step) = 0;
  OA_ARG(Tensor, mean);
  OA_ARG(Tensor, absent);
  OA_ARG(std::deque<Tensor>, last);

 public:
  void serialize(serialize::InputArchive& archive) override {
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(int64_t, step);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(Tensor, mean);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG(Tensor, absent);
    _TORCH_OPTIM_DESERIALIZE_TORCH_ARG_DEQUE(std::deque<Tensor>, last);
  }
  void serialize(serialize::OutputArchive& archive) const override {
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(step);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(mean);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG(absent);
    _TORCH_OPTIM_SERIALIZE_TORCH_ARG_DEQUE(last);
  }
};
class Sign : public Optimizer {
 public:
  explicit Sign(std::vector<Tensor> parameters, SignOptions options = {})
      : Optimizer({OptimizerParamGroup(std::move(parameters))},
                  std::make_unique<SignOptions>(options)) {}
  Tensor step(LossClosure) override {
    const NoGradGuard guard;
    for (const Tensor& p : param_groups_[0].params()) {
      auto& slot = state_[param_key(p)];
      if (!slot) slot = std::make_unique<SignParamState>();
      auto& state = static_cast<SignParamState&>(*slot);
      state.step(state.step() + 1).mean(p.grad().clone());
      state.last().push_back(p.grad().clone());
      p.sub_(p.grad().sign(), param_groups_[0].options().get_lr());
    }
    return {};
  }
  void save(serialize::OutputArchive& archive) const override { serialize(*this, archive); }
  void load(serialize::InputArchive& archive) override { serialize(*this, archive); }

 private:
  template <class Self, class Archive>
  static void serialize(Self& self, Archive& archive) {
    _TORCH_OPTIM_SERIALIZE_WITH_TEMPLATE_ARG(Sign);
  }
};

TEST(Optimizers, OnesOfProgramsAreSavedWithTheMacros) {
  const Tensor p = ones({3}).requires_grad_();
  Sign sign({p});
  for (int i = 0; i < 2; ++i) {
    p.mutable_grad() = full({3}, 2.0 + i);
    sign.step(nullptr);
  }
  serialize::OutputArchive out;
  sign.save(out);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in;
  in.load_from(stream);
  Sign other({ones({3}).requires_grad_()}, SignOptions(5));
  other.load(in);
  ASSERT_EQ(other.state().size(), 1u);
  auto& state = static_cast<SignParamState&>(*other.state().begin()->second);
  EXPECT_EQ(state.step(), 2);
  EXPECT_TRUE(equal(state.mean(), full({3}, 3)) && !state.absent().defined());
  ASSERT_EQ(state.last().size(), 2u);
  EXPECT_TRUE(equal(state.last()[0], full({3}, 2)));
  EXPECT_EQ(other.param_groups()[0].options().get_lr(), 5);  // libtorch keeps them, too
  Sign more({ones({3}).requires_grad_(), ones({2}).requires_grad_()});
  EXPECT_THAT(error_of([&] { more.load(in); }), HasSubstr("different size"));
}

TEST(Optimizers, RefuseWhatTheyCannotUse) {
  const Tensor w = wave(0.1, {2}).requires_grad_();
  EXPECT_THAT(error_of([&] { Adam(std::vector<Tensor>{w.mul(2.0)}); }),
              HasSubstr("can't optimize a non-leaf Tensor"));
  Adam adam({w});
  w.set_grad(ones({2}, kFloat64));
  adam.step();
  EXPECT_THAT(error_of([&] { adam.add_param_group(OptimizerParamGroup({w})); }),
              HasSubstr("another parameter group"));
  EXPECT_THROW(Adam({w}, AdamOptions(-1.0)), Error);
  EXPECT_THROW(Adam({w}, AdamOptions().betas({1.0, 0.9})), Error);
  EXPECT_THROW(SGD({w}, SGDOptions(0.1).nesterov(true)), Error);
  EXPECT_THROW(LBFGS({w}, LBFGSOptions().line_search_fn("golden")), Error);
  EXPECT_THROW(LBFGS({w}).step(nullptr), Error);
}

TEST(Optimizers, StateIsReachableAsInLibtorch) {
  const Problem problem;
  Adam adam({problem.p, problem.q}, 0.05);
  EXPECT_TRUE(adam.state().empty());
  for (int step = 0; step < 5; ++step) problem.step(adam, step);
  EXPECT_EQ(adam.state().size(), 2u);
  auto& state = static_cast<AdamParamState&>(*adam.state().at(param_key(problem.q)));
  EXPECT_EQ(state.step(), 2);
  EXPECT_EQ(state.exp_avg().sizes(), (Shape{5}));
  const Tensor before = problem.q.detach().clone();
  adam.state().clear();  // the next step starts again
  problem.step(adam, 5);
  EXPECT_EQ(static_cast<AdamParamState&>(*adam.state().at(param_key(problem.q))).step(), 1);
  EXPECT_NEAR((abs(problem.q.detach() - before) - 0.05).abs().max().item<double>(), 0.0, 1e-6);
}

TEST(Optimizers, ZeroGradKeepsGradientsUnlessTold) {
  const Problem problem;
  SGD sgd({problem.p, problem.q}, 0.1);
  problem.loss(0).backward();
  sgd.zero_grad();
  EXPECT_EQ(abs(problem.p.grad()).sum().item<double>(), 0.0);
  EXPECT_FALSE(problem.q.grad().defined());
  sgd.zero_grad(true);
  EXPECT_FALSE(problem.p.grad().defined());
}

TEST(Optimizers, AStepCountsAsAWriteForAutograd) {
  const Tensor w = tensor({2.0}).requires_grad_();
  const Tensor y = square(w);
  SGD sgd({w}, 0.1);
  w.set_grad(ones({1}));
  sgd.step();
  EXPECT_THROW(y.backward(), Error);
}

TEST(Optimizers, TheClosureRunsWithGradientsAndItsLossIsReturned) {
  const Problem problem;
  SGD sgd({problem.p, problem.q}, 0.1);
  const NoGradGuard no_grad;
  const Tensor loss = sgd.step([&] {
    sgd.zero_grad();
    Tensor out = problem.loss(4);
    out.backward();
    return out;
  });
  EXPECT_NEAR(loss.item<double>(), Problem().loss(4).item<double>(), 1e-12);
  EXPECT_FALSE(GradMode::is_enabled());
}

// A transposed parameter, or a gradient with other strides, moves like a contiguous one.
TEST(Optimizers, AnyLayoutGivesTheSameSteps) {
  const Tensor plain = wave(0.1, {4, 3}).requires_grad_();
  const Tensor turned = wave(0.1, {4, 3}).t().contiguous().t().detach().requires_grad_();
  ASSERT_FALSE(turned.is_contiguous());
  Adam a({plain}, 0.1), b({turned}, 0.1);
  for (int step = 0; step < 5; ++step) {
    const Tensor gradient = wave(0.3 + step, {4, 3});
    plain.set_grad(gradient);
    turned.set_grad(step % 2 == 0 ? gradient : gradient.t().contiguous().t());
    a.step();
    b.step();
  }
  EXPECT_TRUE(equal(plain, turned));
}

TEST(Optimizers, SixteenBitParametersAreUpdatedInFloat32) {
  for (const DType dtype : {kBFloat16, kFloat16}) {
    const Tensor half = wave(0.1, {50}).to(dtype).requires_grad_();
    const Tensor full = half.detach().to(kFloat32).requires_grad_();
    Adam a({half}, 0.05), b({full}, 0.05);
    half.set_grad(wave(0.4, {50}).to(dtype));
    full.set_grad(half.grad().to(kFloat32));
    a.step();
    b.step();
    EXPECT_TRUE(equal(half.detach(), full.detach().to(dtype)));
    EXPECT_EQ(static_cast<AdamParamState&>(*a.state().begin()->second).exp_avg().scalar_type(),
              kFloat32);
  }
}

TEST(Optimizers, LargeParametersAreUpdatedAlikeByAnyNumberOfThreads) {
  const auto after = [](int threads) {
    set_num_threads(threads);
    const Tensor w = wave(0.1, {300, 400}).requires_grad_();
    LAMB lamb({w}, 0.1);
    for (int step = 0; step < 3; ++step) {
      w.set_grad(wave(0.2 + step, {300, 400}));
      lamb.step();
    }
    set_num_threads(1);
    return w.detach();
  };
  EXPECT_TRUE(equal(after(1), after(3)));
}

}  // namespace
}  // namespace oneagent
