#include "algorithms/parts/normalizer.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {

Normalizer::Normalizer(const Shape& observation_shape, bool enabled, double clip)
    : enabled_(enabled), clip_(clip) {
  if (!enabled_) return;
  count_ = register_buffer("count", zeros({}, DType::kFloat64));
  mean_ = register_buffer("mean", zeros(observation_shape, DType::kFloat64));
  variance_ = register_buffer("variance", ones(observation_shape, DType::kFloat64));
  shift_ = register_buffer("shift", zeros(observation_shape));
  scale_ = register_buffer("scale", ones(observation_shape));
}

Tensor Normalizer::apply(const Tensor& observation) const {
  if (!enabled_) return observation;
  return clamp((observation - shift_) * scale_, -clip_, clip_);
}

void Normalizer::update(const Tensor& observation) {
  if (!enabled_) return;
  const NoGradGuard no_grad;
  const Tensor rows = observation.contiguous();
  const int64_t features = mean_.numel();
  const int64_t count = rows.numel() / features;
  if (count == 0) return;
  const float* x = rows.data_ptr<float>();
  double* mean = mean_.data_ptr<double>();
  double* variance = variance_.data_ptr<double>();
  double& total = *count_.data_ptr<double>();
  std::vector<double> batch_mean(static_cast<size_t>(features), 0.0),
      batch_square(static_cast<size_t>(features), 0.0);
  for (int64_t row = 0; row < count; ++row)
    for (int64_t f = 0; f < features; ++f)
      batch_mean[static_cast<size_t>(f)] += x[row * features + f];
  for (double& sum : batch_mean) sum /= static_cast<double>(count);
  for (int64_t row = 0; row < count; ++row)
    for (int64_t f = 0; f < features; ++f) {
      const double distance = x[row * features + f] - batch_mean[static_cast<size_t>(f)];
      batch_square[static_cast<size_t>(f)] += distance * distance;
    }
  const double merged = total + static_cast<double>(count);
  for (int64_t f = 0; f < features; ++f) {
    const double delta = batch_mean[static_cast<size_t>(f)] - mean[f];
    const double square = variance[f] * total + batch_square[static_cast<size_t>(f)] +
                          delta * delta * total * static_cast<double>(count) / merged;
    mean[f] += delta * static_cast<double>(count) / merged;
    variance[f] = square / merged;
    shift_.data_ptr<float>()[f] = static_cast<float>(mean[f]);
    scale_.data_ptr<float>()[f] = static_cast<float>(1.0 / std::sqrt(variance[f] + 1e-8));
  }
  total = merged;
}

}  // namespace oneagent
