// Initialisers: fill a tensor in place and return it; no gradient is recorded. They draw from the
// default generator, or from the one given, so that the same seed gives the same network on any
// machine.
#pragma once

#include "core/nn/enum.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn::init {

using NonlinearityType =
    std::variant<enumtype::kLinear, enumtype::kConv1D, enumtype::kConv2D, enumtype::kConv3D,
                 enumtype::kConvTranspose1D, enumtype::kConvTranspose2D, enumtype::kConvTranspose3D,
                 enumtype::kSigmoid, enumtype::kTanh, enumtype::kReLU, enumtype::kLeakyReLU>;
using FanModeType = std::variant<enumtype::kFanIn, enumtype::kFanOut>;

// By how much a layer must be scaled for its activation; `param` is the slope of kLeakyReLU.
double calculate_gain(NonlinearityType nonlinearity, double param = 0.01);

Tensor constant_(Tensor tensor, Scalar value);
Tensor zeros_(Tensor tensor);
Tensor ones_(Tensor tensor);
Tensor eye_(Tensor matrix);
Tensor dirac_(Tensor tensor);  // a convolution that keeps its input, as far as channels match
Tensor uniform_(Tensor tensor, double low = 0, double high = 1);
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
// Of each column `sparsity` of the rows are 0, the others normal.
Tensor sparse_(Tensor tensor, double sparsity, double std = 0.01);
// Rows (or, where there are more rows than columns, columns) orthonormal times gain; dimensions
// beyond the first are flattened (Saxe 2013).
Tensor orthogonal_(Tensor tensor, double gain = 1.0);
Tensor xavier_uniform_(Tensor tensor, double gain = 1.0);  // Glorot 2010
Tensor xavier_normal_(Tensor tensor, double gain = 1.0);
Tensor kaiming_uniform_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                        NonlinearityType nonlinearity = kLeakyReLU);  // He 2015
Tensor kaiming_normal_(Tensor tensor, double a = 0, FanModeType mode = kFanIn,
                       NonlinearityType nonlinearity = kLeakyReLU);

// With a generator; kaiming: fan-in, leaky relu with slope a.
Tensor uniform_(Tensor tensor, double low, double high, Generator& generator);
Tensor normal_(Tensor tensor, double mean, double std, Generator& generator);
Tensor orthogonal_(Tensor tensor, double gain, Generator& generator);
Tensor xavier_uniform_(Tensor tensor, double gain, Generator& generator);
Tensor xavier_normal_(Tensor tensor, double gain, Generator& generator);
Tensor kaiming_uniform_(Tensor tensor, double a, Generator& generator);
Tensor kaiming_normal_(Tensor tensor, double a, Generator& generator);

// [out, in, kernel...] -> in and out times the size of the kernel
std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor);

}  // namespace oneagent::nn::init
