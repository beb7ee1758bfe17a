#include "core/distributions/kl.h"

#include <cmath>
#include <limits>

#include "core/distributions/distributions.h"
#include "core/ops/op_matrix.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor kl(const Normal& p, const Normal& q) {
  const Tensor ratio = square(p.scale() / q.scale());
  const Tensor shift = square((p.loc() - q.loc()) / q.scale());
  return (ratio + shift - 1.0 - log(ratio)) * 0.5;
}

Tensor kl(const Laplace& p, const Laplace& q) {
  const Tensor ratio = p.scale() / q.scale(), distance = abs(p.loc() - q.loc());
  return distance / q.scale() + ratio * exp(neg(distance / p.scale())) - log(ratio) - 1.0;
}

// F. Chyzak and F. Nielsen, "A closed-form formula for the Kullback-Leibler divergence between
// Cauchy distributions", 2019.
Tensor kl(const Cauchy& p, const Cauchy& q) {
  const Tensor top = square(p.scale() + q.scale()) + square(p.loc() - q.loc());
  return log(top) - log(p.scale() * q.scale() * 4.0);
}

Tensor kl(const Uniform& p, const Uniform& q) {
  const Tensor inside = logical_and(le(q.low(), p.low()), ge(q.high(), p.high()));
  return where(inside, log((q.high() - q.low()) / (p.high() - p.low())), kInfinity);
}

Tensor kl(const Exponential& p, const Exponential& q) {
  const Tensor ratio = q.rate() / p.rate();
  return ratio - log(ratio) - 1.0;
}

Tensor kl_gamma(const Tensor& a, const Tensor& rate, const Tensor& b, const Tensor& q_rate) {
  return b * log(rate / q_rate) + lgamma(b) - lgamma(a) + (a - b) * digamma(a) +
         (q_rate - rate) * (a / rate);
}
Tensor kl(const Gamma& p, const Gamma& q) {
  return kl_gamma(p.concentration(), p.rate(), q.concentration(), q.rate());
}
Tensor kl(const Gamma& p, const Exponential& q) {
  return kl_gamma(p.concentration(), p.rate(), ones_like(q.rate()), q.rate());
}
Tensor kl(const Exponential& p, const Gamma& q) {
  return kl_gamma(ones_like(p.rate()), p.rate(), q.concentration(), q.rate());
}

Tensor kl(const Beta& p, const Beta& q) {
  const Tensor a = p.concentration1(), b = p.concentration0(), c = q.concentration1(),
               d = q.concentration0(), total = a + b, q_total = c + d;
  return lgamma(total) - lgamma(a) - lgamma(b) + lgamma(c) + lgamma(d) - lgamma(q_total) +
         (a - c) * digamma(a) + (b - d) * digamma(b) + (q_total - total) * digamma(total);
}

Tensor kl(const Dirichlet& p, const Dirichlet& q) {
  const Tensor a = p.concentration(), b = q.concentration(), total = sum(a, {-1});
  const Tensor part = (a - b) * (digamma(a) - unsqueeze(digamma(total), -1));
  return lgamma(total) - lgamma(sum(b, {-1})) - sum(lgamma(a) - lgamma(b) - part, {-1});
}

// Infinite where q excludes what p does not, 0 where p excludes it.
Tensor kl(const Categorical& p, const Categorical& q) {
  const Tensor probs = p.probs();
  Tensor terms = probs * (p.logits() - q.logits());
  terms = where(eq(q.probs(), 0.0), kInfinity, terms);
  return sum(where(eq(probs, 0.0), 0.0, terms), {-1});
}
Tensor kl(const OneHotCategorical& p, const OneHotCategorical& q) {
  return kl(p.categorical(), q.categorical());
}

// The difference of both log-partition functions from the logits: no logarithm of 0.
Tensor kl(const Bernoulli& p, const Bernoulli& q) {
  const Tensor probs = p.probs(), q_probs = q.probs();
  const Tensor value =
      probs * (p.logits() - q.logits()) + softplus(q.logits()) - softplus(p.logits());
  const Tensor impossible = logical_or(logical_and(eq(q_probs, 0.0), gt(probs, 0.0)),
                                       logical_and(eq(q_probs, 1.0), lt(probs, 1.0)));
  return where(impossible, kInfinity, value);
}

Tensor kl(const Binomial& p, const Binomial& q) {
  OA_REQUIRE(equal(p.total_count(), q.total_count()),
             "kl_divergence: two binomials need the same total_count");
  return p.total_count() *
         (p.probs() * (p.logits() - q.logits()) + softplus(q.logits()) - softplus(p.logits()));
}

Tensor kl(const Geometric& p, const Geometric& q) {
  return neg(p.entropy()) - log1p(neg(q.probs())) / p.probs() - q.logits();
}

Tensor kl(const Poisson& p, const Poisson& q) {
  return p.rate() * (log(p.rate()) - log(q.rate())) - (p.rate() - q.rate());
}

Tensor kl(const MultivariateNormal& p, const MultivariateNormal& q) {
  const Tensor l = p.scale_tril(), m = q.scale_tril();
  const auto log_det = [](const Tensor& x) { return sum(log(matrix::diagonal(x)), {-1}); };
  const Tensor ratio = linalg_solve_triangular(m, l, false);
  const Tensor shift = linalg_solve_triangular(m, unsqueeze(q.loc() - p.loc(), -1), false);
  const auto d = static_cast<double>(p.event_shape()[0]);
  return log_det(m) - log_det(l) +
         (sum(square(ratio), {-2, -1}) + sum(square(shift), {-2, -1}) - d) * 0.5;
}

Tensor kl(const Uniform& p, const Normal& q) {
  const Tensor width = p.high() - p.low();
  const Tensor shift = (p.high() + p.low() - q.loc() * 2.0) * 0.5;
  return (square(width) * (1.0 / 12) + square(shift)) / square(q.scale()) * 0.5 +
         log(q.scale() * std::sqrt(2 * M_PI) / width);
}

Tensor kl(const Laplace& p, const Normal& q) {
  const Tensor variance = square(q.scale()), ratio = square(p.scale()) / variance;
  return log(ratio * 2.0 / M_PI) * -0.5 + ratio + square(p.loc() - q.loc()) / variance * 0.5 - 1.0;
}

Tensor kl(const Normal& p, const Laplace& q) {
  const Tensor shift = p.loc() - q.loc(), ratio = p.scale() / q.scale(), z = shift / p.scale();
  const Tensor distance = exp(square(z) * -0.5) * std::sqrt(2 / M_PI) + z * erf(z * M_SQRT1_2);
  return ratio * distance - log(ratio) - 0.5 * (1 + std::log(M_PI / 2));
}

Tensor kl(const Independent& p, const Independent& q) {
  OA_REQUIRE(p.reinterpreted_batch_ndims() == q.reinterpreted_batch_ndims(),
             "kl_divergence: two independents must share reinterpreted_batch_ndims, were ",
             p.reinterpreted_batch_ndims(), " and ", q.reinterpreted_batch_ndims());
  return sum_rightmost(kl_divergence(p.base(), q.base()), p.reinterpreted_batch_ndims());
}

Tensor kl(const TransformedDistribution& p, const TransformedDistribution& q) {
  bool same = p.transforms().size() == q.transforms().size();
  for (size_t i = 0; same && i < p.transforms().size(); ++i)
    same = p.transforms()[i]->equals(*q.transforms()[i]);
  OA_REQUIRE(same, "kl_divergence: two transformed distributions need the same transforms");
  return kl_divergence(p.base(), q.base());
}

template <class P, class Q>
bool take(const Distribution& p, const Distribution& q, Tensor& out) {
  const auto* first = dynamic_cast<const P*>(&p);
  const auto* second = dynamic_cast<const Q*>(&q);
  if (first == nullptr || second == nullptr) return false;
  out = kl(*first, *second);
  return true;
}

template <class... D>
bool take_same(const Distribution& p, const Distribution& q, Tensor& out) {
  return (take<D, D>(p, q, out) || ...);
}

}  // namespace

Tensor kl_divergence(const Distribution& p, const Distribution& q) {
  Tensor out;
  const bool known =
      take_same<Normal, Categorical, Independent, TransformedDistribution, Bernoulli, Beta,
                Dirichlet, Gamma, Laplace, Exponential, Uniform, Cauchy, OneHotCategorical,
                Binomial, Geometric, Poisson, MultivariateNormal>(p, q, out) ||
      take<Gamma, Exponential>(p, q, out) || take<Exponential, Gamma>(p, q, out) ||
      take<Uniform, Normal>(p, q, out) || take<Laplace, Normal>(p, q, out) ||
      take<Normal, Laplace>(p, q, out);
  OA_REQUIRE(known, "kl_divergence: has no closed form for ", p.name(), " and ", q.name());
  return out;
}

}  // namespace oneagent::distributions
