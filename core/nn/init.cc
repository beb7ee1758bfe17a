#include "core/nn/init.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::nn::init {
namespace {

// Modified Gram-Schmidt, twice for full orthogonality, on `rows` vectors of length `columns` <=
// rows' length.
void orthonormalise(std::vector<double>& values, int64_t rows, int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    double* row = values.data() + i * columns;
    for (int pass = 0; pass < 2; ++pass)
      for (int64_t j = 0; j < i; ++j) {
        const double* other = values.data() + j * columns;
        double dot = 0;
        for (int64_t k = 0; k < columns; ++k) dot += row[k] * other[k];
        for (int64_t k = 0; k < columns; ++k) row[k] -= dot * other[k];
      }
    double norm = 0;
    for (int64_t k = 0; k < columns; ++k) norm += row[k] * row[k];
    const double scale = 1.0 / std::sqrt(norm);
    for (int64_t k = 0; k < columns; ++k) row[k] *= scale;
  }
}

}  // namespace

const Tensor& zeros_(const Tensor& tensor) { return constant_(tensor, 0); }
const Tensor& ones_(const Tensor& tensor) { return constant_(tensor, 1); }
const Tensor& constant_(const Tensor& tensor, double value) {
  const NoGradGuard guard;
  return tensor.fill_(value);
}
const Tensor& uniform_(const Tensor& tensor, double low, double high, Generator& generator) {
  const NoGradGuard guard;
  return tensor.uniform_(low, high, generator);
}
const Tensor& normal_(const Tensor& tensor, double mean, double deviation, Generator& generator) {
  const NoGradGuard guard;
  return tensor.normal_(mean, deviation, generator);
}

Fans fans_of(const Tensor& tensor) {
  OA_REQUIRE(tensor.dim() >= 2, "init: fan-in and fan-out need at least 2 dimensions, was shape ",
             tensor.sizes());
  const double kernel = static_cast<double>(tensor.numel()) /
                        static_cast<double>(std::max<int64_t>(tensor.size(0) * tensor.size(1), 1));
  return {static_cast<double>(tensor.size(1)) * kernel,
          static_cast<double>(tensor.size(0)) * kernel};
}

const Tensor& xavier_uniform_(const Tensor& tensor, double gain, Generator& generator) {
  const Fans fans = fans_of(tensor);
  const double limit = gain * std::sqrt(6.0 / (fans.in + fans.out));
  return init::uniform_(tensor, -limit, limit, generator);
}
const Tensor& xavier_normal_(const Tensor& tensor, double gain, Generator& generator) {
  const Fans fans = fans_of(tensor);
  return init::normal_(tensor, 0.0, gain * std::sqrt(2.0 / (fans.in + fans.out)), generator);
}
const Tensor& kaiming_uniform_(const Tensor& tensor, double a, Generator& generator) {
  const double limit = std::sqrt(6.0 / ((1 + a * a) * fans_of(tensor).in));
  return init::uniform_(tensor, -limit, limit, generator);
}
const Tensor& kaiming_normal_(const Tensor& tensor, double a, Generator& generator) {
  return init::normal_(tensor, 0.0, std::sqrt(2.0 / ((1 + a * a) * fans_of(tensor).in)), generator);
}

const Tensor& orthogonal_(const Tensor& tensor, double gain, Generator& generator) {
  OA_REQUIRE(tensor.dim() >= 2, "orthogonal_: needs at least 2 dimensions, was shape ",
             tensor.sizes());
  const NoGradGuard guard;
  const int64_t rows = tensor.size(0), columns = tensor.numel() / std::max<int64_t>(rows, 1);
  const bool tall = rows > columns;
  const int64_t vectors = tall ? columns : rows, length = tall ? rows : columns;
  std::vector<double> values = to_vector<double>(randn({vectors, length}, generator, kFloat64));
  orthonormalise(values, vectors, length);
  const Tensor basis = from_blob(values.data(), {vectors, length}, kFloat64);
  const Tensor placed = (tall ? basis.t() : basis).mul(gain).reshape(tensor.sizes());
  return tensor.copy_(placed);
}

}  // namespace oneagent::nn::init
