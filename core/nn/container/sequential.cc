#include "core/nn/container/sequential.h"

#include "core/nn/modules/linear.h"
#include "core/ops/linear.h"

namespace oneagent::nn {
namespace {

Activation activation_of(FusedRole role) {
  switch (role) {
    case FusedRole::kRelu:
      return Activation::kRelu;
    case FusedRole::kTanh:
      return Activation::kTanh;
    case FusedRole::kSigmoid:
      return Activation::kSigmoid;
    case FusedRole::kNone:
    case FusedRole::kLinear:
      break;
  }
  return Activation::kNone;
}

}  // namespace

size_t SequentialImpl::run(Tensor& value) {
  for (size_t i = 0; i < modules_.size(); ++i) {
    AnyModulePlaceholder& module = modules_[i].content();
    if (module.role() == FusedRole::kLinear && i + 1 < modules_.size()) {
      const Activation next = activation_of(modules_[i + 1].content().role());
      if (next != Activation::kNone) {
        auto& linear = static_cast<AnyModuleHolder<LinearImpl, const Tensor&>&>(module);
        value = linear.module->forward_then(value, next);
        ++i;
        continue;
      }
    }
    if (!module.forward_tensor(value)) return i;
  }
  return modules_.size();
}

}  // namespace oneagent::nn
