// Linear and bilinear maps.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias = {});
// input1 [..., in1], input2 [..., in2], weight [out, in1, in2] -> [..., out]
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias = Tensor());

}  // namespace oneagent::nn::functional
