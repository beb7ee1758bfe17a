// Complex tensors (kComplexFloat, kComplexDouble) and their parts. view_as_real(),
// view_as_complex(), real() and imag() share memory; conj() is computed at once. Sums, products,
// quotients, powers, exp, log, sqrt, trigonometric and hyperbolic functions, sum, mean, matrix
// products, == and !=, and all that only moves elements take complex tensors through the usual
// functions (core/ops/op_complex.h); what does not is an Error that names the op. Gradients follow
// PyTorch's convention: dL/dRe + i dL/dIm.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor view_as_real(const Tensor& self);     // complex [...] -> real [..., 2]
Tensor view_as_complex(const Tensor& self);  // real [..., 2], neighbours -> complex [...]
Tensor real(const Tensor& self);             // of real types the tensor itself
Tensor imag(const Tensor& self);             // complex only
Tensor complex(const Tensor& real, const Tensor& imag);  // of one floating type
Tensor polar(const Tensor& abs, const Tensor& angle);    // abs (cos(angle) + i sin(angle))

Tensor conj(const Tensor& self);  // of real types the tensor itself
OA_IN_PLACE
Tensor conj_physical(const Tensor& self);
Tensor resolve_conj(const Tensor& self);  // the tensor itself
Tensor resolve_neg(const Tensor& self);
bool is_complex(const Tensor& tensor);
bool is_conj(const Tensor& tensor);

}  // namespace oneagent
