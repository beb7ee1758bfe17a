// Dropout (Srivastava et al. 2014), of elements or of whole channels; the alpha forms keep mean and
// variance of inputs of a self-normalizing network (Klambauer et al. 2017). Nothing happens unless
// train is set.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor dropout(const Tensor& input, double p, bool train);
Tensor& dropout_(const Tensor& self, double p, bool train);
Tensor feature_dropout(const Tensor& input, double p, bool train);  // [n, c, ...]
Tensor& feature_dropout_(const Tensor& self, double p, bool train);
Tensor alpha_dropout(const Tensor& input, double p, bool train);
Tensor& alpha_dropout_(const Tensor& self, double p, bool train);
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train);
Tensor& feature_alpha_dropout_(const Tensor& self, double p, bool train);

// The result and a bool mask of what was kept.
std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p, std::optional<bool> train);
Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale);

}  // namespace oneagent
