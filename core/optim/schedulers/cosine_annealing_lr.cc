#include "core/optim/schedulers/cosine_annealing_lr.h"

#include <cmath>

namespace oneagent::optim {

CosineAnnealingLR::CosineAnnealingLR(Optimizer& optimizer, unsigned t_max, double eta_min)
    : EpochScheduler(optimizer), t_max_(t_max), eta_min_(eta_min) {
  OA_REQUIRE(t_max > 0, "cosine_annealing_lr: t_max must be positive");
  start();
}

// From the rate before, so that it may change beside this scheduler.
std::vector<double> CosineAnnealingLR::get_lrs() {
  if (epoch() == 0) return get_current_lrs();
  const auto height = [this](double t) { return (1 + std::cos(M_PI * t / t_max_)) / 2; };
  const double now = height(epoch()), before = height(epoch() - 1.0);
  const bool from_bottom = epoch() > t_max_ && (epoch() - 1 - t_max_) % (2 * t_max_) == 0;
  return each([&](double lr, double initial) {
    if (from_bottom) return lr + (initial - eta_min_) * (1 - std::cos(M_PI / t_max_)) / 2;
    return now / before * (lr - eta_min_) + eta_min_;
  });
}

}  // namespace oneagent::optim
