#include "core/nn/sequential.h"

namespace oneagent::nn {

Tensor Sequential::forward(Tensor x) const {
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Activation next = i + 1 < steps_.size() ? steps_[i + 1].as_activation : Activation::kNone;
    if (steps_[i].as_linear != nullptr && next != Activation::kNone) {
      x = steps_[i].as_linear->forward(x, next);
      ++i;
    } else {
      x = steps_[i].run(x);
    }
  }
  return x;
}

}  // namespace oneagent::nn
