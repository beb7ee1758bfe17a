#include "core/optim/optimizer.h"

#include <cstring>

namespace oneagent::optim {

Optimizer::Optimizer(std::vector<OptimizerParamGroup> groups, const OptimizerOptions& defaults) : groups_(std::move(groups)) {
  for (OptimizerParamGroup& group : groups_) {
    if (!group.has_options()) group.set_options(defaults.clone());
    for (const Tensor& parameter : group.params()) {
      OA_REQUIRE(parameter.defined() && parameter.is_leaf(), "optimizer: parameters must be leaves, was ", parameter.defined() ? "a computed tensor" : "undefined");
      OA_REQUIRE(parameter.is_floating_point() && parameter.is_contiguous(), "optimizer: parameters must be floating and contiguous, was ", name_of(parameter.dtype()));
    }
  }
}

void Optimizer::zero_grad() {
  for (const OptimizerParamGroup& group : groups_)
    for (const Tensor& parameter : group.params()) parameter.set_grad(Tensor());
}

void Optimizer::set_lr(double lr) {
  for (const OptimizerParamGroup& group : groups_) group.options().set_lr(lr);
}

void Optimizer::load_state(const std::vector<std::pair<std::string, Tensor>>& state) {
  const auto own = named_state();
  OA_REQUIRE(own.size() == state.size(), "optimizer state: holds ", state.size(), " tensors, this optimizer has ", own.size());
  for (size_t i = 0; i < own.size(); ++i) {
    const auto& [name, tensor] = own[i];
    const auto& [other_name, other] = state[i];
    OA_REQUIRE(name == other_name, "optimizer state: tensor ", i, " is ", other_name, ", expected ", name);
    OA_REQUIRE(tensor.sizes() == other.sizes() && tensor.dtype() == other.dtype(), "optimizer state: ", name, " has shape ", other.sizes(), " ", name_of(other.dtype()),
               ", expected ", tensor.sizes(), " ", name_of(tensor.dtype()));
    const Tensor dense = other.contiguous();
    std::memcpy(tensor.data_ptr(), dense.data_ptr(), dense.nbytes());
  }
}

}  // namespace oneagent::optim
