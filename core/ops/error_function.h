// The error function and its relatives. Integers become the default floating type; in place they
// are refused.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor erf(const Tensor& self);
Tensor erfc(const Tensor& self);
Tensor special_erf(const Tensor& self);
Tensor special_erfc(const Tensor& self);

const Tensor& erf_(const Tensor& self);
const Tensor& erfc_(const Tensor& self);

}  // namespace oneagent
