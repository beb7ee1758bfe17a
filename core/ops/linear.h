// y = activation(x W^T + bias), with bias and activation applied while the result is in cache.
#pragma once

#include "core/kernels/cpu/gemm.h"
#include "core/ops/api.h"

namespace oneagent {

using cpu::Activation;

// input [..., in], weight [out, in] or [in], bias [out] or none -> [..., out] or [...]
Tensor linear(const Tensor& input, const Tensor& weight, const std::optional<Tensor>& bias = {},
              Activation activation = Activation::kNone);

}  // namespace oneagent
