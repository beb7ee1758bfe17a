// Samples follow their distributions: Kolmogorov-Smirnov against the cdf, frequencies against
// probabilities, moments, and the gradients of moments through rsample().
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/distributions/distributions.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using namespace distributions;  // NOLINT

constexpr int64_t kCount = 20000;

// The largest distance between the empirical and the true distribution function; below 1.95 /
// sqrt(n) in 999 of 1000 seeds.
void expect_follows(const std::vector<double>& samples, const std::function<double(double)>& cdf,
                    const std::string& where) {
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  double distance = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double p = cdf(sorted[i]), k = static_cast<double>(i);
    distance = std::max({distance, p - k / n, (k + 1) / n - p});
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(n)) << where;
}

void expect_follows(const Distribution& d, uint64_t seed) {
  const Tensor drawn = d.sample({kCount}, Generator(seed));
  EXPECT_EQ(drawn.sizes(), d.extended_shape({kCount}));
  EXPECT_FALSE(drawn.requires_grad());
  const auto p = to_vector<double>(d.cdf(drawn));
  expect_follows(
      p, [](double x) { return x; }, d.name());
}

TEST(Samples, FollowTheirDistributionFunctions) {
  for (const DType dtype : {kFloat32, kFloat64}) {
    const Tensor loc = full({}, 0.7, dtype), scale = full({}, 1.3, dtype);
    expect_follows(Normal(loc, scale), 1);
    expect_follows(LogNormal(loc, scale), 2);
    expect_follows(Laplace(loc, scale), 3);
    expect_follows(Cauchy(loc, scale), 4);
    expect_follows(Uniform(loc, scale), 5);
    expect_follows(Exponential(scale), 6);
    expect_follows(TanhNormal(loc, scale), 7);
    expect_follows(MixtureSameFamily(Categorical(tensor({0.2, 0.5, 0.3}).to(dtype)),
                                     Normal(tensor({-2.0, 0.0, 4.0}).to(dtype), scale)),
                   8);
  }
}

// P(a, x), the regularised incomplete gamma function, by its series.
double gamma_cdf(double a, double x) {
  if (x > a + 40 * (1 + std::sqrt(a))) return 1;
  double term = 1, total = 1;
  for (int n = 1; n < 3000 && term > 1e-17 * total; ++n) total += term *= x / (a + n);
  return total * std::exp(a * std::log(x) - x - std::lgamma(a + 1));
}

TEST(Samples, OfGammaFollowTheIncompleteGammaFunction) {
  uint64_t seed = 10;
  for (const double a : {0.05, 0.5, 1.0, 2.5, 40.0}) {
    const Tensor drawn =
        Gamma(full({}, a, kFloat64), 2.0).sample({kCount}, Generator(++seed)) * 2.0;
    expect_follows(
        to_vector<double>(drawn), [a](double x) { return gamma_cdf(a, x); }, str("gamma ", a));
  }
  const Tensor drawn = Chi2(3.0).sample({kCount}, Generator(++seed));
  expect_follows(
      to_vector<double>(drawn), [](double x) { return gamma_cdf(1.5, x / 2); }, "chi2");
}

// Mean and variance of each element within 5 standard errors, the kurtosis of the samples included.
void expect_moments(const Distribution& d, uint64_t seed) {
  const Tensor drawn = d.sample({kCount}, Generator(seed)).to(kFloat64);
  const Tensor mean = d.mean().to(kFloat64), variance = d.variance().to(kFloat64);
  const Tensor centred = drawn - mean, squares = square(centred);
  const auto n = static_cast<double>(kCount);
  const Tensor mean_error = abs(oneagent::sum(centred, {0}) / n) / sqrt(variance / n);
  // the squares of a fair coin are all equal
  const Tensor spread = sqrt(oneagent::var(squares, {0}) / n).clamp_min(1e-9);
  const Tensor variance_error = abs(oneagent::sum(squares, {0}) / n - variance) / spread;
  for (const double error : to_vector<double>(mean_error)) EXPECT_LT(error, 5) << d.name();
  for (const double error : to_vector<double>(variance_error)) EXPECT_LT(error, 5) << d.name();
}

TEST(Samples, HaveTheMomentsOfTheirDistributions) {
  const auto t = [](std::vector<double> values) { return tensor(values).to(kFloat64); };
  expect_moments(Beta(t({0.5, 2.0, 30.0}), t({0.7, 5.0, 3.0})), 21);
  expect_moments(Dirichlet(t({0.3, 2.0, 5.0})), 22);
  expect_moments(StudentT(t({9.0, 30.0}), 1.0, t({0.5, 2.0})), 23);
  expect_moments(Poisson(t({0.3, 4.0, 60.0})), 24);
  expect_moments(Binomial(12, t({0.1, 0.5, 0.93})), 25);
  expect_moments(Geometric(t({0.1, 0.5, 0.95})), 26);
  expect_moments(Bernoulli(t({0.1, 0.5, 0.95})), 27);
  expect_moments(OneHotCategorical(t({0.1, 0.5, 0.4})), 28);
  const Tensor factor = t({1.0, 0.0, 0.0, 0.5, 0.8, 0.0, -0.3, 0.2, 1.5}).view({3, 3});
  const MultivariateNormal joint(t({1.0, -2.0, 0.5}), {}, {}, factor);
  expect_moments(joint, 29);
  const Tensor centred = joint.sample({kCount}, Generator(30)) - joint.loc();
  const Tensor covariance = matmul(centred.t(), centred) / static_cast<double>(kCount);
  EXPECT_TRUE(allclose(covariance, joint.covariance_matrix(), 0.05, 0.05));
}

TEST(Samples, OfCategoriesFollowTheProbabilitiesAndNeverTheMask) {
  const Tensor logits = tensor({0.0, 1.0, 5.0}).expand({kCount, 3}),
               mask = tensor({1, 1, 0}).to(kBool).expand({kCount, 3});
  const Tensor action = MaskedCategorical(logits, mask).sample({}, Generator(31));
  EXPECT_EQ(action.sizes(), (Shape{kCount}));
  const auto share = to_vector<double>(oneagent::sum(one_hot(action, 3), {0}));
  EXPECT_EQ(share[2], 0.0);
  EXPECT_NEAR(share[1] / kCount, 1 / (1 + std::exp(-1.0)), 0.015);
  const Tensor many =
      Categorical(tensor({0.2, 0.8, 0.5, 0.5}).view({2, 2})).sample({kCount}, Generator(32));
  EXPECT_EQ(many.sizes(), (Shape{kCount, 2}));
  const auto means = to_vector<double>(oneagent::sum(many, {0}));
  EXPECT_NEAR(means[0] / kCount, 0.8, 0.015);
  EXPECT_NEAR(means[1] / kCount, 0.5, 0.015);
}

// d E[x] / d parameter by samples, against the gradient of mean().
void expect_mean_gradients(const std::function<DistributionPtr()>& make,
                           const std::vector<Tensor>& parameters, double tolerance) {
  const auto d = make();
  for (const Tensor& parameter : parameters) parameter.set_grad({});
  sum(d->mean()).backward();
  std::vector<Tensor> expected;
  for (const Tensor& parameter : parameters) {
    const Tensor& grad = parameter.grad();  // none where the mean does not depend on it
    expected.push_back(grad.defined() ? grad.clone() : zeros_like(parameter));
    parameter.set_grad({});
  }
  (sum(make()->rsample({4 * kCount}, Generator(41))) / (4.0 * kCount)).backward();
  for (size_t i = 0; i < parameters.size(); ++i)
    EXPECT_TRUE(allclose(parameters[i].grad(), expected[i], tolerance, tolerance))
        << d->name() << ", parameter " << i << ": " << parameters[i].grad() << expected[i];
}

TEST(Samples, CarryGradients) {
  const auto t = [](std::vector<double> values) {
    return tensor(values).to(kFloat64).requires_grad_();
  };
  const Tensor a = t({0.3, 2.0, 30.0}), b = t({0.8, 1.5, 4.0});
  const auto check = [&](const auto& make, double tolerance = 0.03) {
    expect_mean_gradients(make, {a, b}, tolerance);
  };
  check([&] { return std::make_shared<Gamma>(a, b); });
  check([&] { return std::make_shared<Beta>(a, b); });
  check([&] { return std::make_shared<Normal>(a, b); });
  check([&] { return std::make_shared<Laplace>(a, b); });
  check([&] { return std::make_shared<Uniform>(a - 3.0, a + b); });
  check([&] { return std::make_shared<LogNormal>(a * 0.1, b * 0.2); });
  const Tensor weights = tensor({1.0, -2.0, 0.5}).to(kFloat64);
  const Tensor c = t({0.5, 2.0, 4.0});
  sum(Dirichlet(c).mean() * weights).backward();
  const Tensor expected = c.grad().clone();
  c.set_grad({});
  (sum(Dirichlet(c).rsample({4 * kCount}, Generator(42)) * weights) / (4.0 * kCount)).backward();
  EXPECT_TRUE(allclose(c.grad(), expected, 0.03, 0.01)) << c.grad() << expected;
}

TEST(Samples, DependOnTheGeneratorOnly) {
  const Gamma gamma(full({50}, 0.7), 1.0);
  EXPECT_TRUE(equal(gamma.sample({3}, Generator(5)), gamma.sample({3}, Generator(5))));
  EXPECT_FALSE(equal(gamma.sample({3}, Generator(5)), gamma.sample({3}, Generator(6))));
  set_num_threads(3);
  const Tensor parallel = gamma.sample({300}, Generator(5));
  set_num_threads(1);
  EXPECT_TRUE(equal(parallel, gamma.sample({300}, Generator(5))));
}

}  // namespace
}  // namespace oneagent
