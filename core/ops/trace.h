// The sum of the diagonal of a matrix [m, n]; of integers as int64.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

Tensor trace(const Tensor& self);

}  // namespace oneagent
