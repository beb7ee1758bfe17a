// The exponential of batches of square matrices, by scaling and squaring with Pade approximants of
// degree 3 to 13 (N. J. Higham, "The scaling and squaring method for the matrix exponential
// revisited", 2005).
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

void matrix_exponential(Stream& stream, const Tensor& out, const Tensor& a);

}  // namespace oneagent
