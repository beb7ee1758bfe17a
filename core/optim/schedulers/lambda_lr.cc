#include "core/optim/schedulers/lambda_lr.h"

namespace oneagent::optim {

namespace {

std::vector<EpochFunction> checked(std::vector<EpochFunction> functions,
                                   const Optimizer& optimizer) {
  OA_REQUIRE(functions.size() == optimizer.param_groups().size(), "scheduler: ", functions.size(),
             " functions for ", optimizer.param_groups().size(), " parameter groups");
  return functions;
}

std::vector<EpochFunction> repeated(const EpochFunction& function, const Optimizer& optimizer) {
  return std::vector<EpochFunction>(optimizer.param_groups().size(), function);
}

}  // namespace

LambdaLR::LambdaLR(Optimizer& optimizer, EpochFunction function)
    : LambdaLR(optimizer, repeated(function, optimizer)) {}
LambdaLR::LambdaLR(Optimizer& optimizer, std::vector<EpochFunction> functions)
    : EpochScheduler(optimizer), functions_(checked(std::move(functions), optimizer)) {
  start();
}

std::vector<double> LambdaLR::get_lrs() {
  std::vector<double> lrs = get_initial_lrs();
  for (size_t g = 0; g < lrs.size(); ++g) lrs[g] *= functions_[g](epoch());
  return lrs;
}

MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, EpochFunction function)
    : MultiplicativeLR(optimizer, repeated(function, optimizer)) {}
MultiplicativeLR::MultiplicativeLR(Optimizer& optimizer, std::vector<EpochFunction> functions)
    : EpochScheduler(optimizer), functions_(checked(std::move(functions), optimizer)) {
  start();
}

std::vector<double> MultiplicativeLR::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  if (epoch() == 0) return lrs;
  for (size_t g = 0; g < lrs.size(); ++g) lrs[g] *= functions_[g](epoch());
  return lrs;
}

}  // namespace oneagent::optim
