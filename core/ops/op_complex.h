// Calls with complex operands that their record has no kernel for: how each op that has a meaning
// for them is made of calls on real parts, which record gradients by themselves.
#pragma once

#include <string_view>

#include "core/graph/recorder.h"

namespace oneagent {

// Error: the op has no meaning for complex tensors.
void run_complex(const Call& call);

struct ComplexParts {
  Tensor real, imag;
};
ComplexParts parts_of(const Tensor& z);  // views
Tensor joined(const Tensor& real, const Tensor& imag);
Tensor complex_result(const Tensor& parts);  // [..., 2], a result of its own: no view of another

// An elementary function by its op's name, of z; undefined where there is none. `number` is what
// the call came with.
Tensor complex_function(std::string_view name, const Tensor& z, double number);
Tensor complex_product(const Tensor& a, const Tensor& b);
Tensor complex_quotient(const Tensor& a, const Tensor& b);
Tensor complex_power(const Tensor& z, const Tensor& w);

}  // namespace oneagent
