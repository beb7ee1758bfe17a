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

double calculate_gain(NonlinearityType nonlinearity, double param) {
  if (std::holds_alternative<enumtype::kTanh>(nonlinearity)) return 5.0 / 3.0;
  if (std::holds_alternative<enumtype::kReLU>(nonlinearity)) return std::sqrt(2.0);
  if (std::holds_alternative<enumtype::kLeakyReLU>(nonlinearity))
    return std::sqrt(2.0 / (1 + param * param));
  return 1.0;
}

Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }
Tensor constant_(Tensor tensor, Scalar value) {
  const NoGradGuard guard;
  return tensor.fill_(value);
}
Tensor eye_(Tensor matrix) {
  OA_REQUIRE(matrix.dim() == 2, "Only tensors with 2 dimensions are supported, was shape ",
             matrix.sizes());
  const NoGradGuard guard;
  return matrix.copy_(eye(matrix.size(0), matrix.size(1), TensorOptions(matrix.dtype())));
}
Tensor dirac_(Tensor tensor) {
  OA_REQUIRE(tensor.dim() >= 3 && tensor.dim() <= 5,
             "Only tensors with 3, 4, or 5 dimensions are supported, was shape ", tensor.sizes());
  const NoGradGuard guard;
  tensor.zero_();
  Tensor centre = tensor;
  while (centre.dim() > 2) centre = centre.select(2, centre.size(2) / 2);
  centre.copy_(eye(centre.size(0), centre.size(1), TensorOptions(tensor.dtype())));
  return tensor;
}

Tensor uniform_(Tensor tensor, double low, double high, Generator& generator) {
  const NoGradGuard guard;
  return tensor.uniform_(low, high, generator);
}
Tensor normal_(Tensor tensor, double mean, double std, Generator& generator) {
  const NoGradGuard guard;
  return tensor.normal_(mean, std, generator);
}
Tensor uniform_(Tensor tensor, double low, double high) {
  return init::uniform_(std::move(tensor), low, high, default_generator());
}
Tensor normal_(Tensor tensor, double mean, double std) {
  return init::normal_(std::move(tensor), mean, std, default_generator());
}

Tensor sparse_(Tensor tensor, double sparsity, double std) {
  OA_REQUIRE(tensor.dim() == 2, "Only tensors with 2 dimensions are supported, was shape ",
             tensor.sizes());
  const NoGradGuard guard;
  const int64_t rows = tensor.size(0), columns = tensor.size(1);
  const auto zeros = static_cast<int64_t>(std::ceil(sparsity * static_cast<double>(rows)));
  init::normal_(tensor, 0, std);
  for (int64_t column = 0; column < columns; ++column) {
    const Tensor chosen = randperm(rows).narrow(0, 0, zeros);
    for (int64_t i = 0; i < zeros; ++i)
      tensor.select(1, column).select(0, chosen[i].item<int64_t>()).zero_();
  }
  return tensor;
}

std::tuple<int64_t, int64_t> _calculate_fan_in_and_fan_out(const Tensor& tensor) {
  OA_REQUIRE(
      tensor.dim() >= 2,
      "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions, was shape ",
      tensor.sizes());
  int64_t kernel = 1;
  for (int64_t i = 2; i < tensor.dim(); ++i) kernel *= tensor.size(i);
  return {tensor.size(1) * kernel, tensor.size(0) * kernel};
}

namespace {

double xavier_deviation(const Tensor& tensor, double gain) {
  const auto [in, out] = _calculate_fan_in_and_fan_out(tensor);
  return gain * std::sqrt(2.0 / static_cast<double>(in + out));
}
double kaiming_deviation(const Tensor& tensor, double a, FanModeType mode,
                         NonlinearityType nonlinearity) {
  const auto [in, out] = _calculate_fan_in_and_fan_out(tensor);
  const auto fan = static_cast<double>(std::holds_alternative<enumtype::kFanIn>(mode) ? in : out);
  return calculate_gain(nonlinearity, a) / std::sqrt(fan);
}
// Uniform numbers with a deviation.
Tensor uniform_with(Tensor tensor, double deviation, Generator& generator) {
  if (tensor.numel() == 0) return tensor;
  const double limit = std::sqrt(3.0) * deviation;
  return init::uniform_(std::move(tensor), -limit, limit, generator);
}
Tensor normal_with(Tensor tensor, double deviation, Generator& generator) {
  if (tensor.numel() == 0) return tensor;
  return init::normal_(std::move(tensor), 0, deviation, generator);
}

}  // namespace

Tensor xavier_uniform_(Tensor tensor, double gain, Generator& generator) {
  return uniform_with(tensor, xavier_deviation(tensor, gain), generator);
}
Tensor xavier_normal_(Tensor tensor, double gain, Generator& generator) {
  return normal_with(tensor, xavier_deviation(tensor, gain), generator);
}
Tensor xavier_uniform_(Tensor tensor, double gain) {
  return xavier_uniform_(std::move(tensor), gain, default_generator());
}
Tensor xavier_normal_(Tensor tensor, double gain) {
  return xavier_normal_(std::move(tensor), gain, default_generator());
}
Tensor kaiming_uniform_(Tensor tensor, double a, Generator& generator) {
  return uniform_with(tensor, kaiming_deviation(tensor, a, kFanIn, kLeakyReLU), generator);
}
Tensor kaiming_normal_(Tensor tensor, double a, Generator& generator) {
  return normal_with(tensor, kaiming_deviation(tensor, a, kFanIn, kLeakyReLU), generator);
}
Tensor kaiming_uniform_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  return uniform_with(tensor, kaiming_deviation(tensor, a, mode, nonlinearity),
                      default_generator());
}
Tensor kaiming_normal_(Tensor tensor, double a, FanModeType mode, NonlinearityType nonlinearity) {
  return normal_with(tensor, kaiming_deviation(tensor, a, mode, nonlinearity), default_generator());
}

Tensor orthogonal_(Tensor tensor, double gain) {
  return orthogonal_(std::move(tensor), gain, default_generator());
}
Tensor orthogonal_(Tensor tensor, double gain, Generator& generator) {
  OA_REQUIRE(tensor.dim() >= 2, "Only tensors with 2 or more dimensions are supported, was shape ",
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
