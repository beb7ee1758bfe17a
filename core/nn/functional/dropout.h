// Dropout: zeroes elements (or whole channels) with probability p and scales the others up; alpha
// dropout keeps mean and variance (Klambauer 2017).
#pragma once

#include "core/nn/options/dropout.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn::functional {

Tensor dropout(Tensor input, const DropoutFuncOptions& options = {});
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options = {});
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options = {});
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options = {});
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options = {});

}  // namespace oneagent::nn::functional
