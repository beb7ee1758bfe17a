// Padding of the last dimensions: {left, right, top, bottom, ...}.
#pragma once

#include "core/nn/options/padding.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options);

}  // namespace oneagent::nn::functional
