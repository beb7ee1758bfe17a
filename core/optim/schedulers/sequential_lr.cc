#include "core/optim/schedulers/sequential_lr.h"

#include <algorithm>

#include "core/optim/schedulers/linear_lr.h"
#include "core/optim/schedulers/scheduler_state.h"

namespace oneagent::optim {

namespace {

Schedulers checked(const char* what, Schedulers schedulers, const Optimizer* optimizer) {
  OA_REQUIRE(!schedulers.empty(), what, ": needs at least one scheduler");
  for (size_t i = 0; i < schedulers.size(); ++i) {
    OA_REQUIRE(schedulers[i] != nullptr, what, ": scheduler ", i, " is null");
    if (optimizer == nullptr) optimizer = &schedulers[i]->optimizer();
    OA_REQUIRE(&schedulers[i]->optimizer() == optimizer, what, ": scheduler ", i,
               " is of another optimizer");
  }
  return schedulers;
}

Json states_of(const Schedulers& schedulers) {
  Json out = Json::array();
  for (const auto& scheduler : schedulers) out.push_back(Json::parse(scheduler->state_dict()));
  return out;
}

void load_states(const Schedulers& schedulers, const Json& states) {
  OA_REQUIRE(states.size() == schedulers.size(), "scheduler: the saved state is of ", states.size(),
             " schedulers, there are ", schedulers.size());
  for (size_t i = 0; i < schedulers.size(); ++i) schedulers[i]->load_state_dict(states[i].dump());
}

}  // namespace

SequentialLR::SequentialLR(Optimizer& optimizer, Schedulers schedulers,
                           std::vector<unsigned> milestones)
    : LRScheduler(optimizer),
      schedulers_(checked("sequential_lr", std::move(schedulers), &optimizer)),
      milestones_(std::move(milestones)) {
  OA_REQUIRE(milestones_.size() + 1 == schedulers_.size(), "sequential_lr: ", milestones_.size(),
             " milestones for ", schedulers_.size(), " schedulers, needs one less than those");
  OA_REQUIRE(std::is_sorted(milestones_.begin(), milestones_.end()),
             "sequential_lr: milestones must not fall");
  keep_initial_lrs();
  restart();
}

void SequentialLR::restart() {
  step_count_ = 0;
  set_lrs(get_initial_lrs());
  schedulers_[0]->restart();
}

void SequentialLR::step() {
  ++step_count_;
  const auto next = std::upper_bound(milestones_.begin(), milestones_.end(), step_count_);
  const auto i = static_cast<size_t>(next - milestones_.begin());
  if (i > 0 && milestones_[i - 1] == step_count_)
    schedulers_[i]->restart();
  else
    schedulers_[i]->step();
}

void SequentialLR::save(SchedulerState& state) const {
  state["schedulers"] = states_of(schedulers_);
}
void SequentialLR::load(const SchedulerState& state) {
  load_states(schedulers_, state.at("schedulers"));
}

WarmUp::WarmUp(Optimizer& optimizer, unsigned steps, std::shared_ptr<LRScheduler> after,
               double start_factor)
    : SequentialLR(
          optimizer,
          {std::make_shared<LinearLR>(optimizer, start_factor, 1.0, steps), std::move(after)},
          {steps}) {}

ChainedScheduler::ChainedScheduler(Schedulers schedulers)
    : LRScheduler(checked("chained_scheduler", schedulers, nullptr)[0]->optimizer()),
      schedulers_(std::move(schedulers)) {}

void ChainedScheduler::step() {
  ++step_count_;
  for (const auto& scheduler : schedulers_) scheduler->step();
}

void ChainedScheduler::restart() {
  step_count_ = 0;
  for (const auto& scheduler : schedulers_) scheduler->restart();
}

void ChainedScheduler::save(SchedulerState& state) const {
  state["schedulers"] = states_of(schedulers_);
}
void ChainedScheduler::load(const SchedulerState& state) {
  load_states(schedulers_, state.at("schedulers"));
}

}  // namespace oneagent::optim
