#include "core/optim/sgd.h"

#include "core/ops/ops.h"

namespace oneagent::optim {
namespace {

template <class T>
void update(const Tensor& parameter, const Tensor& gradient, const Tensor& momentum, bool first, const SGDOptions& options) {
  T* __restrict p = parameter.data_ptr<T>();
  const T* __restrict g = gradient.data_ptr<T>();
  T* __restrict v = momentum.data_ptr<T>();
  const T lr = static_cast<T>(options.lr()), mu = static_cast<T>(options.momentum()), decay = static_cast<T>(options.weight_decay());
  const int64_t n = parameter.numel();
  for (int64_t i = 0; i < n; ++i) {
    const T grad = g[i] + decay * p[i];
    v[i] = first ? grad : mu * v[i] + grad;
    p[i] -= lr * (options.nesterov() ? grad + mu * v[i] : v[i]);
  }
}

}  // namespace

SGD::SGD(std::vector<Tensor> parameters, const SGDOptions& options)
    : SGD([&] {
        std::vector<OptimizerParamGroup> groups;
        groups.emplace_back(std::move(parameters));
        return groups;
      }(), options) {}

SGD::SGD(std::vector<OptimizerParamGroup> groups, const SGDOptions& options) : Optimizer(std::move(groups), options) {
  for (const OptimizerParamGroup& group : param_groups())
    for (const Tensor& parameter : group.params()) slots_.push_back({zeros({}, DType::kInt64), zeros(parameter.sizes(), parameter.dtype())});
}

void SGD::step() {
  const NoGradGuard no_grad;
  size_t index = 0;
  for (const OptimizerParamGroup& group : param_groups()) {
    const auto& options = static_cast<const SGDOptions&>(group.options());
    for (const Tensor& parameter : group.params()) {
      Slot& slot = slots_[index++];
      if (!parameter.grad().defined()) continue;
      const Tensor gradient = parameter.grad().contiguous();
      const bool first = (*slot.step.data_ptr<int64_t>())++ == 0;
      if (parameter.dtype() == DType::kFloat64) update<double>(parameter, gradient, slot.momentum, first, options);
      else update<float>(parameter, gradient, slot.momentum, first, options);
      parameter.impl().storage->bump_version();
    }
  }
}

std::vector<std::pair<std::string, Tensor>> SGD::named_state() const {
  std::vector<std::pair<std::string, Tensor>> state;
  for (size_t i = 0; i < slots_.size(); ++i) {
    state.emplace_back("step." + std::to_string(i), slots_[i].step);
    state.emplace_back("momentum." + std::to_string(i), slots_[i].momentum);
  }
  return state;
}

}  // namespace oneagent::optim
