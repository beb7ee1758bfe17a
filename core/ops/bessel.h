// Bessel, modified Bessel and Airy functions. Integers become the default floating type; in place
// they are refused. Only the modified functions of the first kind have gradients, as in PyTorch.
// Those of the first and second kind and Airy's are right to double precision, where PyTorch 1.13
// has errors of 4e-7.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor i0(const Tensor& self);
Tensor special_i0(const Tensor& self);
Tensor special_i0e(const Tensor& self);  // exp(-|x|) I0(x)
Tensor special_i1(const Tensor& self);
Tensor special_i1e(const Tensor& self);
Tensor special_bessel_j0(const Tensor& self);
Tensor special_bessel_j1(const Tensor& self);
Tensor special_bessel_y0(const Tensor& self);
Tensor special_bessel_y1(const Tensor& self);
Tensor special_modified_bessel_i0(const Tensor& self);
Tensor special_modified_bessel_i1(const Tensor& self);
Tensor special_modified_bessel_k0(const Tensor& self);
Tensor special_modified_bessel_k1(const Tensor& self);
Tensor special_scaled_modified_bessel_k0(const Tensor& x);  // exp(x) K0(x)
Tensor special_scaled_modified_bessel_k1(const Tensor& x);
Tensor special_spherical_bessel_j0(const Tensor& x);
Tensor special_airy_ai(const Tensor& x);

const Tensor& i0_(const Tensor& self);

}  // namespace oneagent
