// Logarithms of sums and products: stable forms. Integers become the default floating type in
// xlogy, xlog1py and logit.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor logaddexp(const Tensor& self, const Tensor& other);   // log(exp(self) + exp(other))
Tensor logaddexp2(const Tensor& self, const Tensor& other);  // log2(2^self + 2^other)
// self log(other), 0 where self is 0 unless other is NaN.
Tensor xlogy(const Tensor& self, const Tensor& other);
Tensor xlogy(Scalar number, const Tensor& other);
Tensor xlogy(const Tensor& self, Scalar other);
Tensor special_xlogy(const Tensor& self, const Tensor& other);
Tensor special_xlogy(Scalar number, const Tensor& other);
Tensor special_xlogy(const Tensor& self, Scalar other);
Tensor special_xlog1py(const Tensor& self, const Tensor& other);  // self log(1 + other)
Tensor special_xlog1py(Scalar number, const Tensor& other);
Tensor special_xlog1py(const Tensor& self, Scalar other);
// log(x / (1 - x)); x is limited to [eps, 1 - eps] first when eps is given, and has no gradient
// outside.
Tensor logit(const Tensor& self, std::optional<double> eps = std::nullopt);
Tensor special_logit(const Tensor& self, std::optional<double> eps = std::nullopt);

const Tensor& xlogy_(const Tensor& self, const Tensor& other);
const Tensor& xlogy_(const Tensor& self, Scalar other);
const Tensor& logit_(const Tensor& self, std::optional<double> eps = std::nullopt);

// Mantissa in [1/2, 1) and exponent (int32) of a floating tensor.
std::tuple<Tensor, Tensor> frexp(const Tensor& self);

}  // namespace oneagent
