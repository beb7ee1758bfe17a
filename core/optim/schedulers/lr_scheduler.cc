#include "core/optim/schedulers/lr_scheduler.h"

#include "core/optim/schedulers/scheduler_state.h"

namespace oneagent::optim {

void LRScheduler::step() {
  set_lrs(get_lrs());
  set_momenta(get_momenta());
  ++step_count_;
}

void LRScheduler::restart() {
  step_count_ = 0;
  set_lrs(first_lrs());
  set_momenta(get_momenta());
  step_count_ = 1;
}

std::vector<double> LRScheduler::get_current_lrs() const {
  std::vector<double> lrs;
  for (const OptimizerParamGroup& group : optimizer_->param_groups())
    lrs.push_back(group.options().get_lr());
  return lrs;
}

std::vector<double> LRScheduler::get_initial_lrs() const {
  std::vector<double> lrs;
  for (const OptimizerParamGroup& group : optimizer_->param_groups())
    lrs.push_back(group.initial_lr().value_or(group.options().get_lr()));
  return lrs;
}

void LRScheduler::keep_initial_lrs() {
  for (OptimizerParamGroup& group : optimizer_->param_groups())
    if (!group.initial_lr()) group.set_initial_lr(group.options().get_lr());
}

void LRScheduler::set_lrs(const std::vector<double>& lrs) {
  OA_REQUIRE(lrs.size() == group_count(), "scheduler: ", lrs.size(), " learning rates for ",
             group_count(), " parameter groups");
  for (size_t g = 0; g < lrs.size(); ++g) optimizer_->param_groups()[g].options().set_lr(lrs[g]);
}

void LRScheduler::set_momenta(const std::vector<double>& momenta) {
  if (momenta.empty()) return;
  OA_REQUIRE(momenta.size() == group_count(), "scheduler: ", momenta.size(), " momenta for ",
             group_count(), " parameter groups");
  for (size_t g = 0; g < momenta.size(); ++g)
    optimizer_->param_groups()[g].options().set_momentum(momenta[g]);
}

std::string LRScheduler::state_dict() const {
  SchedulerState state = Json{
      {"step_count", step_count_}, {"lrs", get_current_lrs()}, {"initial_lrs", get_initial_lrs()}};
  Json momenta = Json::array();
  for (const OptimizerParamGroup& group : optimizer_->param_groups())
    if (group.options().get_momentum()) momenta.push_back(*group.options().get_momentum());
  state["momenta"] = momenta;
  save(state);
  return state.dump();
}

void LRScheduler::load_state_dict(const std::string& text) {
  try {
    const SchedulerState state = Json::parse(text);
    const auto initial = state.at("initial_lrs").get<std::vector<double>>();
    const auto lrs = state.at("lrs").get<std::vector<double>>();
    const auto momenta = state.at("momenta").get<std::vector<double>>();
    const auto count = state.at("step_count").get<unsigned>();
    OA_REQUIRE(initial.size() == group_count(), "scheduler: the saved state is of ", initial.size(),
               " parameter groups, the optimizer has ", group_count());
    load(state);
    set_lrs(lrs);
    set_momenta(momenta);
    for (size_t g = 0; g < initial.size(); ++g)
      optimizer_->param_groups()[g].set_initial_lr(initial[g]);
    step_count_ = count;
  } catch (const Json::exception& error) {
    throw_error(str("scheduler: the saved state does not fit: ", error.what()));
  }
}

}  // namespace oneagent::optim
