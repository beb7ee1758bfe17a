#include "core/nn/distributions.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

constexpr double kMasked =
    -1e8;  // finite, so that 0 * log p stays 0; exp() of it is exactly 0 in both floating types

}  // namespace

Categorical::Categorical(const Tensor& logits, const Tensor& mask)
    : log_probabilities_(log_softmax(mask.defined() ? where(mask, logits, kMasked) : logits, -1)) {}

Tensor Categorical::probs() const { return exp(log_probabilities_); }

Tensor Categorical::log_prob(const Tensor& action) const {
  return squeeze(gather(log_probabilities_, -1, unsqueeze(action.to(kInt64), -1)), -1);
}

Tensor Categorical::entropy() const {
  return neg(sum(exp(log_probabilities_) * log_probabilities_, {-1}));
}

Tensor Categorical::sample(Generator& generator) const {
  const NoGradGuard guard;
  const Tensor weights = exp(log_probabilities_).reshape({-1, log_probabilities_.size(-1)});
  Shape sizes = log_probabilities_.sizes();
  sizes.erase(sizes.size() - 1);
  return multinomial(weights, 1, true, generator).view(sizes);
}

Tensor Categorical::mode() const { return argmax(log_probabilities_, -1); }

Normal::Normal(const Tensor& mean, const Tensor& deviation)
    : mean_(mean), deviation_(expand(deviation, mean.sizes())) {}

Tensor Normal::log_prob(const Tensor& action) const {
  const Tensor z = (action - mean_) / deviation_;
  const Tensor each = square(z) * -0.5 - log(deviation_) - 0.5 * std::log(2 * M_PI);
  return sum(each, {-1});
}

Tensor Normal::entropy() const {
  return sum(log(deviation_) + 0.5 * (1 + std::log(2 * M_PI)), {-1});
}

Tensor Normal::sample(Generator& generator) const {
  const NoGradGuard guard;
  return rsample(generator);
}

Tensor Normal::rsample(Generator& generator) const {
  return mean_ + deviation_ * randn(mean_.sizes(), generator, mean_.dtype());
}

}  // namespace oneagent::nn
