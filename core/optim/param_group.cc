#include "core/optim/param_group.h"

namespace oneagent::optim {

std::unique_ptr<OptimizerOptions> OptimizerOptions::clone() const {
  throw_error("optimizer: these options have no clone(); derive from OptimizerCloneableOptions");
}
double OptimizerOptions::get_lr() const {
  throw_error("optimizer: these options have no learning rate; override get_lr()");
}
void OptimizerOptions::set_lr(double) {
  throw_error("optimizer: these options have no learning rate; override set_lr()");
}

OptimizerParamGroup::OptimizerParamGroup(const OptimizerParamGroup& other)
    : params_(other.params_),
      options_(other.has_options() ? other.options_->clone() : nullptr),
      name_(other.name_),
      own_lr_(other.own_lr_),
      initial_lr_(other.initial_lr_) {}

OptimizerOptions& OptimizerParamGroup::options() {
  OA_REQUIRE(has_options(), "optimizer: the parameter group has no options yet");
  return *options_;
}
const OptimizerOptions& OptimizerParamGroup::options() const {
  OA_REQUIRE(has_options(), "optimizer: the parameter group has no options yet");
  return *options_;
}

}  // namespace oneagent::optim
