// What a plan makes of the gradient of an activation followed by that of the bias before it:
// bias_gradient(gradient, result; activation) -> the gradient [..., n] before the activation and
// its sums over rows [n], float32 or float64, n a multiple of kBiasGradientColumns. Only plans have
// it.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

extern constinit const Op kBiasGradient;

}  // namespace oneagent
