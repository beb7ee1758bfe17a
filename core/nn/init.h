// Initialisers: fill a tensor in place and return it; no gradient is recorded. All draw from the
// given Philox generator, so that the same seed gives the same network on any machine.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent::nn::init {

const Tensor& zeros_(const Tensor& tensor);
const Tensor& ones_(const Tensor& tensor);
const Tensor& constant_(const Tensor& tensor, double value);
const Tensor& uniform_(const Tensor& tensor, double low, double high, Generator& generator);
const Tensor& normal_(const Tensor& tensor, double mean, double deviation, Generator& generator);
const Tensor& xavier_uniform_(const Tensor& tensor, double gain,
                              Generator& generator);  // Glorot 2010
const Tensor& xavier_normal_(const Tensor& tensor, double gain, Generator& generator);
const Tensor& kaiming_uniform_(const Tensor& tensor, double a,
                               Generator& generator);  // He 2015, fan-in, leaky relu with slope a
const Tensor& kaiming_normal_(const Tensor& tensor, double a, Generator& generator);

// Rows (or, where there are more rows than columns, columns) orthonormal times gain; dimensions
// beyond the first are flattened (Saxe 2013).
const Tensor& orthogonal_(const Tensor& tensor, double gain, Generator& generator);

struct Fans {
  double in, out;
};
Fans fans_of(const Tensor& tensor);  // [out, in, kernel...]

}  // namespace oneagent::nn::init
