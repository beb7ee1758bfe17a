#include "core/optim/schedulers/reduce_on_plateau.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/optim/schedulers/scheduler_state.h"

namespace oneagent::optim {

ReduceLROnPlateauScheduler::ReduceLROnPlateauScheduler(
    Optimizer& optimizer, SchedulerMode mode, double factor, int patience, double threshold,
    ThresholdMode threshold_mode, int cooldown, const std::vector<double>& min_lr, double eps)
    : LRScheduler(optimizer),
      mode_(mode),
      factor_(factor),
      patience_(patience),
      threshold_(threshold),
      threshold_mode_(threshold_mode),
      cooldown_(cooldown),
      min_lrs_(min_lr),
      eps_(eps),
      best_(worst()) {
  OA_REQUIRE(factor < 1, "reduce_on_plateau: factor must be below 1, was ", factor);
  if (min_lrs_.empty()) min_lrs_.assign(group_count(), 0);
  OA_REQUIRE(min_lrs_.size() == group_count(), "reduce_on_plateau: ", min_lrs_.size(),
             " lowest rates for ", group_count(), " parameter groups");
}

double ReduceLROnPlateauScheduler::worst() const {
  const double infinity = std::numeric_limits<double>::infinity();
  return mode_ == min ? infinity : -infinity;
}

bool ReduceLROnPlateauScheduler::is_better(double metric) const {
  const double sign = mode_ == min ? -1 : 1;
  const double bar =
      threshold_mode_ == rel ? best_ * (1 + sign * threshold_) : best_ + sign * threshold_;
  return mode_ == min ? metric < bar : metric > bar;
}

void ReduceLROnPlateauScheduler::step(double metric) {
  if (is_better(metric)) {
    best_ = metric;
    bad_steps_ = 0;
  } else {
    ++bad_steps_;
  }
  if (cooldown_left_ > 0) {
    --cooldown_left_;
    bad_steps_ = 0;
  }
  if (bad_steps_ > patience_) {
    set_lrs(get_lrs());
    cooldown_left_ = cooldown_;
    bad_steps_ = 0;
  }
  ++step_count_;
}

void ReduceLROnPlateauScheduler::step() {
  throw_error("reduce_on_plateau: step() needs the metric");
}

std::vector<double> ReduceLROnPlateauScheduler::get_lrs() {
  std::vector<double> lrs = get_current_lrs();
  for (size_t g = 0; g < lrs.size(); ++g) {
    const double lower = std::max(lrs[g] * factor_, min_lrs_[g]);
    if (lrs[g] - lower > eps_) lrs[g] = lower;
  }
  return lrs;
}

void ReduceLROnPlateauScheduler::save(SchedulerState& state) const {
  state["best"] = std::isfinite(best_) ? Json(best_) : Json();  // null: none yet
  state["bad_steps"] = bad_steps_;
  state["cooldown_left"] = cooldown_left_;
}
void ReduceLROnPlateauScheduler::load(const SchedulerState& state) {
  const Json& best = state.at("best");
  best_ = best.is_null() ? worst() : best.get<double>();
  bad_steps_ = state.at("bad_steps").get<int>();
  cooldown_left_ = state.at("cooldown_left").get<int>();
}

}  // namespace oneagent::optim
