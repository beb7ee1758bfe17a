// Matrix products on tensors: strides become transposes without copies, large ones are split over
// rows of the result.
#pragma once

#include "core/kernels/cpu/gemm.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// out[m, n] (contiguous columns) = activation(a[m, k] b[k, n] + bias[n]); bias may be undefined.
void run_gemm(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
              const Tensor& bias = {}, cpu::Activation activation = cpu::Activation::kNone);

// The same on raw blocks of one dtype; the workspace is filled in here.
void run_gemm(Stream& stream, DType dtype, cpu::GemmArgs args);

}  // namespace oneagent
