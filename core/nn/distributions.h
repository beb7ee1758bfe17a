// Probability distributions over actions. log_prob, entropy and mode are differentiable in the
// parameters; sample is not.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent::nn {

// Over 0 .. n-1 from logits [..., n]. With a mask (bool [..., n]) the actions where it is false
// have probability exactly 0 and take no part in entropy or gradients; every row needs one true
// entry, and log_prob of a masked action is -inf-like (at most -1e8).
class Categorical {
 public:
  explicit Categorical(const Tensor& logits, const Tensor& mask = {});
  const Tensor& logits() const { return log_probabilities_; }  // normalised
  Tensor probs() const;
  Tensor log_prob(const Tensor& action) const;  // int64 [...] -> [...]
  Tensor entropy() const;                       // [...]
  Tensor sample(Generator& generator) const;    // int64 [...]
  Tensor mode() const;                          // int64 [...]

 private:
  Tensor log_probabilities_;
};

// Independent normals per action dimension; log_prob and entropy are summed over the last
// dimension.
class Normal {
 public:
  Normal(const Tensor& mean, const Tensor& deviation);  // [..., d], deviation broadcast
  Tensor log_prob(const Tensor& action) const;          // [..., d] -> [...]
  Tensor entropy() const;                               // [...]
  Tensor sample(Generator& generator) const;            // [..., d], without gradient
  Tensor rsample(Generator& generator) const;           // with gradient through mean and deviation
  const Tensor& mean() const { return mean_; }
  const Tensor& stddev() const { return deviation_; }
  const Tensor& mode() const { return mean_; }

 private:
  Tensor mean_, deviation_;
};

}  // namespace oneagent::nn
