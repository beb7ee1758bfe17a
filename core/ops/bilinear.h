// Products of two or three tensors that are summed over dimensions.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// y[..., o] = sum over i, j of input1[..., i] weight[o, i, j] input2[..., j] + bias[o]
Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const std::optional<Tensor>& bias = {});

// The product of three tensors, each with new dimensions of size 1 where its list says, summed over
// sumdim. unroll_dim has no effect on the result.
Tensor _trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Shape& expand1,
                  const Shape& expand2, const Shape& expand3, const Shape& sumdim,
                  int64_t unroll_dim = 1);

}  // namespace oneagent
