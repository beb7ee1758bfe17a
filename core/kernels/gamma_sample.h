// Samples of the gamma distribution with rate 1, and their derivative by its shape parameter.
#pragma once

#include "core/base/rng.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// out = a sample for each element of `shape` (contiguous, out's dtype), never 0. G. Marsaglia and
// W. W. Tsang, "A simple method for generating gamma variables", 2000; below 1 the sample of shape
// + 1 times u^(1 / shape).
void run_standard_gamma(Stream& stream, const Tensor& out, const Tensor& shape, const RngState& at);

// dx / da at samples x of shape a with the quantile held: -(dP(a, x) / da) / p(a, x). M. Figurnov,
// S. Mohamed and A. Mnih, "Implicit reparameterization gradients", 2018.
void run_standard_gamma_grad(Stream& stream, const Tensor& out, const Tensor& shape,
                             const Tensor& sample);
double standard_gamma_grad(double a, double x);

}  // namespace oneagent
