// The error function and its relatives, the normal distribution among them. Integers become the
// default floating type; in place they are refused.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor erf(const Tensor& self);
Tensor erfc(const Tensor& self);
Tensor erfinv(const Tensor& self);
Tensor special_erf(const Tensor& self);
Tensor special_erfc(const Tensor& self);
Tensor special_erfinv(const Tensor& self);
Tensor special_erfcx(const Tensor& self);     // exp(x^2) erfc(x)
Tensor special_ndtr(const Tensor& self);      // the distribution function of N(0, 1)
Tensor special_ndtri(const Tensor& self);     // its inverse
Tensor special_log_ndtr(const Tensor& self);  // its logarithm
Tensor special_entr(const Tensor& self);      // -x log(x), -infinity below 0

const Tensor& erf_(const Tensor& self);
const Tensor& erfc_(const Tensor& self);
const Tensor& erfinv_(const Tensor& self);

}  // namespace oneagent
