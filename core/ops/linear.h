// y = activation(x W^T + bias), with bias and activation applied while the result is in cache.
#pragma once

#include "core/graph/op.h"
#include "core/kernels/cpu/gemm.h"

namespace oneagent {

using cpu::Activation;

// x [..., in], weight [out, in], bias [out] or undefined -> [..., out]
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {},
              Activation activation = Activation::kNone);

}  // namespace oneagent
