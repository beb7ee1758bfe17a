// Fused elementwise ops of three operands, broadcast against each other.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor lerp(const Tensor& self, const Tensor& end, Scalar weight);  // self + weight (end - self)
Tensor lerp(const Tensor& self, const Tensor& end, const Tensor& weight);
// self + value tensor1 tensor2
Tensor addcmul(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);
// self + value tensor1 / tensor2; not of integers alone
Tensor addcdiv(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2, Scalar value = 1);

const Tensor& lerp_(const Tensor& self, const Tensor& end, Scalar weight);
const Tensor& lerp_(const Tensor& self, const Tensor& end, const Tensor& weight);
const Tensor& addcmul_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       Scalar value = 1);
const Tensor& addcdiv_(const Tensor& self, const Tensor& tensor1, const Tensor& tensor2,
                       Scalar value = 1);

}  // namespace oneagent
