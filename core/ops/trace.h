// The sum of the diagonal of a matrix [m, n]; of integers as int64.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor trace(const Tensor& self);

}  // namespace oneagent
