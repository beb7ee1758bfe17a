// Edges, shapes and refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/distributions/distributions.h"
#include "core/graph/autograd.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using namespace distributions;  // NOLINT
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Distributions, CheckTheirParameters) {
  EXPECT_THAT(error_of([] {
                Normal(0.0, tensor({1.0, -1.0}));
              }),
              HasSubstr("normal: scale must be positive, element 1 is -1"));
  EXPECT_THAT(error_of([] { Normal(NAN, 1.0); }), HasSubstr("loc must be a number"));
  EXPECT_THAT(error_of([] {
                Bernoulli(tensor({0.5, 1.5}));
              }),
              HasSubstr("probs must be in [0, 1], element 1 is 1.5"));
  EXPECT_THAT(error_of([] { Categorical(Tensor(), Tensor()); }),
              HasSubstr("either probs or logits"));
  EXPECT_THAT(error_of([] { Uniform(2.0, 1.0); }), HasSubstr("high - low must be positive"));
  EXPECT_THAT(error_of([] {
                MultivariateNormal(zeros({2}), {}, {}, ones({2, 2}));
              }),
              HasSubstr("scale_tril must be lower triangular"));
  EXPECT_THROW(Normal(zeros({3}), ones({2})), Error);
  EXPECT_THROW(Independent(Normal(0.0, 1.0), 1), Error);
  const Tensor mask = tensor({1, 1, 0, 0}).to(kBool).view({2, 2});
  EXPECT_THAT(error_of([&] {
                MaskedCategorical(zeros({2, 2}), mask);
              }),
              HasSubstr("every row of the mask needs a true entry"));
}

TEST(Distributions, CheckValues) {
  EXPECT_THAT(error_of([] { Bernoulli(tensor({0.5})).log_prob(tensor({0.5})); }),
              HasSubstr("bernoulli: value must be 0 or 1, element 0 is 0.5"));
  EXPECT_THAT(error_of([] { Exponential(1.0).log_prob(tensor({-1.0})); }),
              HasSubstr("value must be at least 0"));
  EXPECT_THAT(error_of([] { Dirichlet(ones({3})).log_prob(full({3}, 0.5)); }),
              HasSubstr("not negative with sum 1"));
  EXPECT_THAT(error_of([] { Normal(zeros({3}), 1.0).log_prob(zeros({2})); }),
              HasSubstr("values are of shape [3], was [2]"));
  EXPECT_THROW(Categorical(ones({3})).log_prob(tensor(std::vector<int64_t>{3})), Error);
  EXPECT_THROW(Binomial(3, tensor({0.5})).log_prob(tensor({4.0})), Error);
  Distribution::set_default_validate_args(false);
  EXPECT_NO_THROW(Bernoulli(tensor({0.5})).log_prob(tensor({0.5})));
  Distribution::set_default_validate_args(true);
}

TEST(Distributions, SayWhatTheyHaveNot) {
  EXPECT_THAT(error_of([] { Poisson(2.0).entropy(); }),
              HasSubstr("poisson: has no entropy in closed form"));
  EXPECT_THAT(error_of([] { Categorical(ones({3})).rsample(); }), HasSubstr("use sample()"));
  EXPECT_THAT(error_of([] { kl_divergence(Normal(0.0, 1.0), Poisson(1.0)); }),
              HasSubstr("no closed form for normal and poisson"));
}

TEST(Distributions, BroadcastTheirParametersAndTypes) {
  const Normal normal(zeros({4, 1}), full({3}, 2.0, kFloat64));
  EXPECT_EQ(normal.batch_shape(), (Shape{4, 3}));
  EXPECT_EQ(normal.sample({5}).sizes(), (Shape{5, 4, 3}));
  EXPECT_EQ(normal.sample().scalar_type(), kFloat64);
  EXPECT_EQ(normal.mean().sizes(), (Shape{4, 3}));
  EXPECT_EQ(normal.stddev().sizes(), (Shape{4, 3}));
  EXPECT_EQ(normal.log_prob(zeros({7, 1, 1, 1})).sizes(), (Shape{7, 1, 4, 3}));
  EXPECT_EQ(Normal(0.0, 1.0).sample({2}).scalar_type(), kFloat32);
  EXPECT_EQ(Independent(normal, 2).log_prob(zeros({4, 3})).sizes(), (Shape{}));
  EXPECT_NEAR(normal.perplexity().max().item<double>(), 2 * std::sqrt(2 * M_PI * M_E), 1e-6);
}

TEST(Distributions, MasksLeaveNoTrace) {
  const Tensor logits = tensor({0.5, 80.0, -3.0}).view({1, 3}).requires_grad_();
  const Tensor mask = tensor({1, 0, 1}).to(kBool).view({1, 3});
  const MaskedCategorical d(logits, mask);
  EXPECT_EQ(d.probs()[0][1].item<float>(), 0.0F);
  EXPECT_EQ(d.mode().item<int64_t>(), 0);
  EXPECT_LT(d.log_prob(tensor(std::vector<int64_t>{1})).item<float>(), -1e7F);
  (d.entropy() + d.log_prob(tensor(std::vector<int64_t>{2}))).sum().backward();
  EXPECT_EQ(logits.grad()[0][1].item<float>(), 0.0F);
  EXPECT_EQ(kl_divergence(d, d).item<float>(), 0.0F);
}

TEST(Distributions, CertainProbabilitiesAreNoTrouble) {
  const Tensor p = tensor({0.0, 1.0}), infinite = tensor({INFINITY, INFINITY});
  EXPECT_TRUE(allclose(Bernoulli(p).entropy(), zeros({2}), 0, 1e-5));
  EXPECT_TRUE(equal(kl_divergence(Bernoulli(tensor({0.5, 0.5})), Bernoulli(p)), infinite));
  EXPECT_EQ(Geometric(tensor({1.0})).log_prob(tensor({0.0})).item<float>(), 0.0F);
  EXPECT_EQ(Uniform(0.0, 1.0).log_prob(tensor({1.5})).item<float>(), -INFINITY);
  EXPECT_TRUE(std::isnan(Cauchy(0.0, 1.0).mean().item<float>()));
  EXPECT_TRUE(std::isnan(StudentT(1.0).mean().item<float>()));
  EXPECT_EQ(StudentT(2.0).variance().item<float>(), INFINITY);
}

// At the edge atanh has no value; sampling with the log_prob needs none, and log_prob stays finite.
TEST(TanhNormal, IsStableAtTheEdges) {
  for (const DType dtype : {kFloat32, kFloat64}) {
    const Tensor loc = full({2}, 15.0, dtype).requires_grad_();
    const TanhNormal d(loc, 0.5);
    const auto [y, log_prob] = d.rsample_with_log_prob({100}, Generator(3));
    EXPECT_TRUE(isfinite(log_prob).all().item<bool>());
    log_prob.sum().backward();
    EXPECT_TRUE(isfinite(loc.grad()).all().item<bool>());
    EXPECT_TRUE(isfinite(d.log_prob(tensor({1.0, -1.0}).to(dtype))).all().item<bool>());
  }
  // Where tanh is far from its edges both ways agree.
  const TanhNormal d(full({50}, 0.3, kFloat64), 0.5);
  const auto [y, log_prob] = d.rsample_with_log_prob({}, Generator(4));
  EXPECT_TRUE(allclose(d.log_prob(y), log_prob, 1e-9, 1e-9));
  // And the density integrates to 1.
  const Tensor grid = linspace(-0.999995, 0.999995, 200001, kFloat64);
  const double area =
      TanhNormal(full({}, 0.3, kFloat64), 0.5).prob(grid).sum().item<double>() * 1e-5 * 0.999995;
  EXPECT_NEAR(area, 1.0, 1e-4);
}

TEST(Distributions, PassGradientsTwice) {
  const Tensor a = tensor({1.5}).to(kFloat64).requires_grad_();
  const Tensor once = autograd::grad({Gamma(a, 2.0).entropy().sum()}, {a}, {}, true, true)[0];
  const Tensor twice = autograd::grad({once}, {a})[0];
  // d2/da2 of a + lgamma(a) + (1 - a) digamma(a) = (1 - a) polygamma(2, a) -
  // polygamma(1, a)
  const double expected = -0.5 * polygamma(2, a).item<double>() - polygamma(1, a).item<double>();
  EXPECT_NEAR(twice.item<double>(), expected, 1e-9);
}

}  // namespace
}  // namespace oneagent
