// Activations as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/activation.h"

namespace oneagent::nn {

OA_LAYER(ELU, (Tensor input));
OA_LAYER_OF(Softmax, (const Tensor& input), (int64_t dim), (dim));
OA_LAYER_OF(LogSoftmax, (const Tensor& input), (int64_t dim), (dim));
OA_LAYER(ReLU, (Tensor input));
OA_LAYER(GELU, (const Tensor& input));
OA_PLAIN_LAYER(Sigmoid, (const Tensor& input));
OA_PLAIN_LAYER(Tanh, (const Tensor& input));

}  // namespace oneagent::nn
