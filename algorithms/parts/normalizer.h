// Running mean and variance of observations as buffers of the policy, so that they travel and are
// stored with its weights. Batches are merged exactly (Chan, Golub, LeVeque 1983, eq. 2.1) in
// float64; evaluation and acting only read.
#pragma once

#include "core/nn/module.h"
#include "core/tensor/tensor.h"

namespace oneagent {

class Normalizer final : public nn::Module {
 public:
  // `enabled` false: apply() returns its input. Normalised values are clipped to +-clip.
  Normalizer(const Shape& observation_shape, bool enabled, double clip = 10.0);

  Tensor apply(const Tensor& observation) const;  // [rows, ...] float32 -> same shape
  void update(const Tensor& observation);         // merges [rows, ...] into the statistics
  bool enabled() const { return enabled_; }

 private:
  bool enabled_;
  double clip_;
  Tensor count_, mean_, variance_;  // float64: [], [features], [features]
  Tensor shift_, scale_;            // float32 twins that apply() uses: (x - shift) * scale
};

}  // namespace oneagent
