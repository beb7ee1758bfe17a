// The sum of squares of all elements, as one number. No function of libtorch's: norms of gradients
// are made of it, whose parts ranks can add.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

Tensor sum_squares(const Tensor& x);  // any shape, floating -> [], of the same type

}  // namespace oneagent
