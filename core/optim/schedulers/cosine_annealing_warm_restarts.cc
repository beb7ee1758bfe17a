#include "core/optim/schedulers/cosine_annealing_warm_restarts.h"

#include <cmath>

#include "core/optim/schedulers/scheduler_state.h"

namespace oneagent::optim {

CosineAnnealingWarmRestarts::CosineAnnealingWarmRestarts(Optimizer& optimizer, unsigned t_0,
                                                         unsigned t_mult, double eta_min)
    : EpochScheduler(optimizer), t_0_(t_0), t_mult_(t_mult), eta_min_(eta_min), length_(t_0) {
  OA_REQUIRE(t_0 > 0 && t_mult > 0,
             "cosine_annealing_warm_restarts: t_0 and t_mult must be positive, were ", t_0, " and ",
             t_mult);
  start();
}

void CosineAnnealingWarmRestarts::step() {
  if (++at_ >= length_) {
    at_ -= length_;
    length_ *= t_mult_;
  }
  LRScheduler::step();
}

void CosineAnnealingWarmRestarts::step(double epoch) {
  OA_REQUIRE(epoch >= 0, "cosine_annealing_warm_restarts: the epoch must not be negative, was ",
             epoch);
  at_ = epoch;
  length_ = t_0_;
  while (at_ >= length_) {
    at_ -= length_;
    length_ *= t_mult_;
  }
  step_count_ = static_cast<unsigned>(epoch);
  LRScheduler::step();
}

std::vector<double> CosineAnnealingWarmRestarts::get_lrs() {
  const double height = (1 + std::cos(M_PI * at_ / length_)) / 2;
  return each([&](double, double initial) { return eta_min_ + (initial - eta_min_) * height; });
}

void CosineAnnealingWarmRestarts::save(SchedulerState& state) const {
  state["at"] = at_;
  state["length"] = length_;
}
void CosineAnnealingWarmRestarts::load(const SchedulerState& state) {
  at_ = state.at("at").get<double>();
  length_ = state.at("length").get<double>();
}

}  // namespace oneagent::optim
