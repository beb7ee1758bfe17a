#include "core/nn/utils/clip_grad.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/graph/context.h"
#include "core/graph/recorded_parts.h"
#include "core/kernels/reduce.h"
#include "core/ops/op_sum_squares.h"
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
  return out.item<double>();
}

// Whether the parts of both lie on the same ranks.
bool alike(const Tensor& a, const Tensor& b) {
  const GlobalParts &x = global_parts(a), &y = global_parts(b);
  const auto has_parts = [](const Placement& placement) {
    return placement.is_split() || placement.is_owner();
  };
  return *x.mesh == *y.mesh &&
         std::equal(
             x.sharding.begin(), x.sharding.end(), y.sharding.begin(), y.sharding.end(),
             [&](const Placement& p, const Placement& q) { return has_parts(p) == has_parts(q); });
}

// The sums of each gradient's squares are added over ranks in one message for all that lie alike.
double euclidean_norm(const std::vector<Tensor>& gradients) {
  std::vector<Tensor> terms;
  std::vector<double> sums;
  for (const Tensor& gradient : gradients) {
    terms.push_back(counted(gradient));
    sums.push_back(sum_of_squares(terms.back()));
  }
  std::vector<bool> done(terms.size());
  for (size_t i = 0; i < terms.size(); ++i) {
    if (done[i] || !is_global(terms[i])) continue;
    std::vector<size_t> places;
    std::vector<double> values;
    for (size_t k = i; k < terms.size(); ++k) {
      if (done[k] || !is_global(terms[k]) || !alike(terms[i], terms[k])) continue;
      done[k] = true;
      places.push_back(k);
      values.push_back(sums[k]);
    }
    global_hooks().add_over_parts(terms[i], values.data(), values.size());
    for (size_t k = 0; k < places.size(); ++k) sums[places[k]] = values[k];
  }
  double total = 0;
  for (const double sum : sums) total += sum;
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

void scale_down_(const std::vector<Tensor>& gradients, double norm, double max_norm) {
  const double scale = max_norm / (norm + 1e-6);
  if (!(scale >= 1.0)) scale_(gradients, scale);
}

// Recorded for a graph: it has no values yet.
bool is_recorded(const Tensor& gradient) {
  return !is_global(gradient) && !gradient.is_sparse() && gradient.impl().storage->symbolic();
}

// Their sum over micro-batches is what is to be clipped.
bool any_recorded(const std::vector<Tensor>& gradients) {
  const bool any = std::any_of(gradients.begin(), gradients.end(), is_recorded);
  OA_REQUIRE(!any || recorded_parts() == 1, "clip_grad_norm_: in a graph of ", recorded_parts(),
             " micro-batches the function sees the gradients of one, and their sum is what is to "
             "be clipped; give the graph add_parameters() instead of the optimizer, and call "
             "clip_grad_norm_ and step() after it");
  return any;
}

Tensor wide(const Tensor& x) { return x.to(DType::kFloat64); }

// norm_of() in ops: the same kernels in the same order.
Tensor recorded_norm(const std::vector<Tensor>& gradients, double p) {
  Tensor total;
  const auto join = [&](const Tensor& term) {
    total = !total.defined() ? term : std::isinf(p) ? maximum(total, term) : total + term;
  };
  if (p == 0) return full({}, static_cast<double>(gradients.size()), DType::kFloat64);
  for (const Tensor& each : gradients) {
    const Tensor gradient = each.detach();
    if (p == 2)
      join(wide(sum_squares(gradient)));
    else if (std::isinf(p))
      join(wide(gradient.abs().max()));
    else
      join(wide(gradient.abs().pow(p).sum()));
  }
  if (p == 2) return total.sqrt();
  return std::isinf(p) ? total : total.pow(1 / p);
}

// A factor of 1 changes no bit. 16 bits are scaled in float32, as by a number.
void scale_recorded_(const std::vector<Tensor>& gradients, const Tensor& norm, double max_norm) {
  const Tensor scale = max_norm / (norm + 1e-6);
  const Tensor factor = where(scale.ge(1.0), ones_like(scale), scale);
  for (const Tensor& gradient : gradients) {
    if (size_of(gradient.dtype()) < 4)
      gradient.copy_(gradient.to(DType::kFloat32) * factor.to(DType::kFloat32));
    else
      gradient.mul_(factor.to(gradient.dtype()));
  }
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
  if (any_recorded(gradients)) {
    OA_REQUIRE(!error_if_nonfinite,
               "clip_grad_norm_: error_if_nonfinite reads the norm, which has no value while a "
               "graph is recorded; leave it out, and look at what get_total_norm() gives");
    scale_recorded_(gradients, recorded_norm(gradients, norm_type), max_norm);
    return std::numeric_limits<double>::quiet_NaN();
  }
  const double norm = norm_of(gradients, norm_type);
  OA_REQUIRE(!error_if_nonfinite || std::isfinite(norm), "The total norm of order ", norm_type,
             " for gradients from `parameters` is non-finite, so it cannot be clipped. To disable "
             "this error and scale the gradients with the non-finite norm anyway, set "
             "`error_if_nonfinite=false`");
  scale_down_(gradients, norm, max_norm);
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

Tensor get_total_norm(const std::vector<Tensor>& gradients, double norm_type) {
  const NoGradGuard guard;
  if (any_recorded(gradients)) return recorded_norm(gradients, norm_type);
  return full({}, norm_of(gradients, norm_type), DType::kFloat64);
}
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm) {
  const NoGradGuard guard;
  const std::vector<Tensor> gradients = gradients_of(parameters);
  if (any_recorded(gradients)) return scale_recorded_(gradients, total_norm, max_norm);
  scale_down_(gradients, total_norm.item<double>(), max_norm);
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
