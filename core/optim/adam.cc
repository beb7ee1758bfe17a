#include "core/optim/adam.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::optim {
namespace {

// The numbers of one step, the same for every element.
template <class T>
struct Step {
  T beta1, beta2, step_size, root_correction, eps, weight_decay, shrink;
};

template <class T>
void update(const Tensor& parameter, const Tensor& gradient, const Tensor& first, const Tensor& second, const Step<T>& s) {
  T* __restrict p = parameter.data_ptr<T>();
  const T* __restrict g = gradient.data_ptr<T>();
  T* __restrict m = first.data_ptr<T>();
  T* __restrict v = second.data_ptr<T>();
  const int64_t n = parameter.numel();
  for (int64_t i = 0; i < n; ++i) {
    const T grad = g[i] + s.weight_decay * p[i];
    m[i] = s.beta1 * m[i] + (1 - s.beta1) * grad;
    v[i] = s.beta2 * v[i] + (1 - s.beta2) * grad * grad;
    p[i] = s.shrink * p[i] - s.step_size * m[i] / (std::sqrt(v[i]) / s.root_correction + s.eps);
  }
}

template <class T>
Step<T> step_numbers(const AdamOptions& o, int64_t step) {
  const auto [beta1, beta2] = o.betas();
  const double correction1 = 1 - std::pow(beta1, static_cast<double>(step)), correction2 = 1 - std::pow(beta2, static_cast<double>(step));
  return {static_cast<T>(beta1), static_cast<T>(beta2), static_cast<T>(o.lr() / correction1), static_cast<T>(std::sqrt(correction2)),
          static_cast<T>(o.eps()), static_cast<T>(o.decoupled() ? 0.0 : o.weight_decay()), static_cast<T>(o.decoupled() ? 1 - o.lr() * o.weight_decay() : 1.0)};
}

}  // namespace

Adam::Adam(std::vector<Tensor> parameters, const AdamOptions& options)
    : Adam([&] {
        std::vector<OptimizerParamGroup> groups;
        groups.emplace_back(std::move(parameters));
        return groups;
      }(), options) {}

Adam::Adam(std::vector<OptimizerParamGroup> groups, const AdamOptions& options) : Optimizer(std::move(groups), options) {
  for (const OptimizerParamGroup& group : param_groups())
    for (const Tensor& parameter : group.params())
      slots_.push_back({zeros({}, DType::kInt64), zeros(parameter.sizes(), parameter.dtype()), zeros(parameter.sizes(), parameter.dtype())});
}

void Adam::step() {
  const NoGradGuard no_grad;
  size_t index = 0;
  for (const OptimizerParamGroup& group : param_groups()) {
    const auto& options = static_cast<const AdamOptions&>(group.options());
    for (const Tensor& parameter : group.params()) {
      Slot& slot = slots_[index++];
      if (!parameter.grad().defined()) continue;
      const Tensor gradient = parameter.grad().contiguous();
      const int64_t step = ++*slot.step.data_ptr<int64_t>();
      if (parameter.dtype() == DType::kFloat64) update<double>(parameter, gradient, slot.exp_avg, slot.exp_avg_sq, step_numbers<double>(options, step));
      else update<float>(parameter, gradient, slot.exp_avg, slot.exp_avg_sq, step_numbers<float>(options, step));
      parameter.impl().storage->bump_version();
    }
  }
}

std::vector<std::pair<std::string, Tensor>> Adam::named_state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (size_t i = 0; i < slots_.size(); ++i) {
    state.emplace_back("step." + std::to_string(i), slots_[i].step);
    state.emplace_back("exp_avg." + std::to_string(i), slots_[i].exp_avg);
    state.emplace_back("exp_avg_sq." + std::to_string(i), slots_[i].exp_avg_sq);
  }
  return state;
}

}  // namespace oneagent::optim
