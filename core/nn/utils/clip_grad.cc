#include "core/nn/utils/clip_grad.h"

#include <cmath>
#include <limits>

#include "core/graph/context.h"
#include "core/kernels/reduce.h"
#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"

namespace oneagent::nn::utils {
namespace {

std::vector<Tensor> gradients_of(const std::vector<Tensor>& parameters) {
  std::vector<Tensor> out;
  for (const Tensor& parameter : parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined()) out.push_back(gradient);
  return out;
}

// What the norm of a sparse gradient is taken of: its rows, each once.
Tensor counted(const Tensor& gradient) {
  return gradient.is_sparse() ? gradient.detach().coalesce().values() : gradient;
}

double sum_of_squares(const Tensor& logical) {
  const Tensor& gradient = local_part(logical);
  const Tensor out = empty({}, gradient.dtype());
  Shape all;
  for (int64_t i = 0; i < gradient.dim(); ++i) all.push_back(i);
  run_reduce(context().stream, "grad_norm", cpu::Reduce::kSumSquares, out, gradient, all);
  double sum = out.item<double>();
  if (is_global(logical)) global_hooks().add_over_parts(logical, &sum, 1);
  return sum;
}

double euclidean_norm(const std::vector<Tensor>& gradients) {
  double total = 0;
  for (const Tensor& gradient : gradients) total += sum_of_squares(counted(gradient));
  return std::sqrt(total);
}

// NaN is larger than everything, as in max().
double larger(double a, double b) { return std::isnan(b) || b > a ? b : a; }

double norm_of(const std::vector<Tensor>& gradients, double p) {
  if (gradients.empty()) return 0;
  if (p == 2) return euclidean_norm(gradients);
  if (p == 0) return static_cast<double>(gradients.size());
  double total = 0, largest = 0;
  for (const Tensor& gradient : gradients) {
    const Tensor magnitude = counted(gradient).detach().abs();
    if (std::isinf(p))
      largest = larger(largest, magnitude.max().item<double>());
    else
      total += magnitude.pow(p).sum().item<double>();
  }
  return std::isinf(p) ? largest : std::pow(total, 1 / p);
}

void scale_(const std::vector<Tensor>& gradients, double scale) {
  const NoGradGuard guard;
  for (const Tensor& gradient : gradients) gradient.mul_(scale);
}

}  // namespace

double grad_norm(const std::vector<Tensor>& parameters) {
  return euclidean_norm(gradients_of(parameters));
}

double limit_grad_norm_(const std::vector<Tensor>& parameters, double max_norm) {
  const std::vector<Tensor> gradients = gradients_of(parameters);
  const double norm = euclidean_norm(gradients), scale = max_norm / (norm + 1e-6);
  if (max_norm != 0 && scale < 1.0) scale_(gradients, scale);
  return norm;
}

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  const NoGradGuard guard;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  const double norm = norm_of(gradients, norm_type);
  OA_REQUIRE(!error_if_nonfinite || std::isfinite(norm), "The total norm of order ", norm_type,
             " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
             "this error and scale the gradients with the non-finite norm anyway, set "
             "`error_if_nonfinite=false`");
  const double scale = max_norm / (norm + 1e-6);
  if (!(scale >= 1.0)) scale_(gradients, scale);
  return norm;
}
double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  return clip_grad_norm_(std::vector<Tensor>(parameters), max_norm, norm_type, error_if_nonfinite);
}
double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type,
                       bool error_if_nonfinite) {
  return clip_grad_norm_(std::vector<Tensor>{parameter}, max_norm, norm_type, error_if_nonfinite);
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value) {
  const NoGradGuard guard;
  for (const Tensor& gradient : gradients_of(parameters)) gradient.clamp_(-clip_value, clip_value);
}
void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value) {
  clip_grad_value_(std::vector<Tensor>(parameters), clip_value);
}
void clip_grad_value_(const Tensor& parameter, double clip_value) {
  clip_grad_value_(std::vector<Tensor>{parameter}, clip_value);
}

}  // namespace oneagent::nn::utils
