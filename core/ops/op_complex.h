// Calls with complex operands that their record has no kernel for: how each op that has a meaning
// for them is made of calls on real parts.
#pragma once

#include "core/graph/recorder.h"

namespace oneagent {

// Error: the op has no meaning for complex tensors.
void run_complex(const Call& call);

struct ComplexParts {
  Tensor real, imag;
};
ComplexParts parts_of(const Tensor& x);  // views; of a real tensor it and zeros

}  // namespace oneagent
