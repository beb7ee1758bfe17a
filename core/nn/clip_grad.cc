#include "core/nn/clip_grad.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/kernels/reduce.h"
#include "core/ops/ops.h"

namespace oneagent::nn::utils {
namespace {

double sum_of_squares(const Tensor& gradient) {
  const Tensor out = empty({}, gradient.dtype());
  Shape all;
  for (int64_t i = 0; i < gradient.dim(); ++i) all.push_back(i);
  run_reduce(context().stream, "grad_norm", cpu::Reduce::kSumSquares, out, gradient, all);
  return out.item<double>();
}

}  // namespace

double grad_norm(const std::vector<Tensor>& parameters) {
  double total = 0;
  for (const Tensor& parameter : parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined())
      total += sum_of_squares(gradient);
  return std::sqrt(total);
}

double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm) {
  const double norm = grad_norm(parameters);
  const double scale = max_norm / (norm + 1e-6);
  if (max_norm == 0 || !(scale < 1.0)) return norm;
  const NoGradGuard guard;
  for (const Tensor& parameter : parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined()) gradient.mul_(scale);
  return norm;
}

void clip_grad_value_(const std::vector<Tensor>& parameters, double limit) {
  const NoGradGuard guard;
  for (const Tensor& parameter : parameters)
    if (const Tensor gradient = parameter.grad(); gradient.defined())
      gradient.clamp_(-limit, limit);
}

}  // namespace oneagent::nn::utils
