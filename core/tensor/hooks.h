// What a user hangs on the gradient of a tensor: functions that see and may replace it, and the
// wish to keep it where the tensor is no leaf. Shared by the tensor and the node that made it.
#pragma once

#include <functional>
#include <stdexcept>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

class GradHooks final : public RefCounted {
 public:
  using Hook = std::function<Tensor(const Tensor&)>;

  std::vector<Hook> hooks;  // empty where removed
  bool retains = false;
  Ref<TensorImpl> retained;

  Tensor apply(Tensor gradient) const {
    for (const Hook& hook : hooks) {
      if (!hook) continue;
      Tensor changed = hook(gradient);
      if (!changed.defined()) continue;
      if (changed.sizes() != gradient.sizes())
        throw std::runtime_error("hook '' has changed the size of value");
      gradient = std::move(changed);
    }
    return gradient;
  }
};

}  // namespace oneagent
