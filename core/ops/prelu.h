// Leaky rectifiers whose slope is learned (He et al. 2015) or drawn (Xu et al. 2015).
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// weight: one slope, or one for each channel (dimension 1)
Tensor prelu(const Tensor& self, const Tensor& weight);
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight);  // of self and of weight

// In training the slope of each element that is not positive is drawn from [lower, upper);
// otherwise all have the middle of it. rrelu_with_noise writes the slopes (1 where positive) to
// noise.
Tensor rrelu(const Tensor& self, Scalar lower = 0.125, Scalar upper = 0.3333333333333333,
             bool training = false, std::optional<Generator> generator = std::nullopt);
Tensor& rrelu_(const Tensor& self, Scalar lower = 0.125, Scalar upper = 0.3333333333333333,
               bool training = false, std::optional<Generator> generator = std::nullopt);
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, Scalar lower = 0.125,
                        Scalar upper = 0.3333333333333333, bool training = false,
                        std::optional<Generator> generator = std::nullopt);
Tensor& rrelu_with_noise_(const Tensor& self, const Tensor& noise, Scalar lower = 0.125,
                          Scalar upper = 0.3333333333333333, bool training = false,
                          std::optional<Generator> generator = std::nullopt);
Tensor rrelu_with_noise_backward(const Tensor& grad_output, const Tensor& self, const Tensor& noise,
                                 Scalar lower, Scalar upper, bool training, bool self_is_result);

}  // namespace oneagent
