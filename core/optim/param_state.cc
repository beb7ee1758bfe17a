#include "core/optim/param_state.h"

#include <sstream>

namespace oneagent::optim {

std::unique_ptr<OptimizerParamState> OptimizerParamState::clone() const {
  throw_error("optimizer: this state has no clone(); derive from OptimizerCloneableParamState");
}

std::string param_key(const Tensor& parameter) {
  std::ostringstream out;
  out << static_cast<const void*>(parameter.unsafeGetTensorImpl());
  return out.str();
}

}  // namespace oneagent::optim
