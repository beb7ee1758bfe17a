#include "core/optim/schedulers/multi_step_lr.h"

#include <algorithm>
#include <cmath>

namespace oneagent::optim {

MultiStepLR::MultiStepLR(Optimizer& optimizer, std::vector<unsigned> milestones, double gamma)
    : EpochScheduler(optimizer), milestones_(std::move(milestones)), gamma_(gamma) {
  start();
}

std::vector<double> MultiStepLR::get_lrs() {
  const auto times = std::count(milestones_.begin(), milestones_.end(), epoch());
  return times == 0 ? get_current_lrs()
                    : current_times(std::pow(gamma_, static_cast<double>(times)));
}

std::vector<double> MultiStepLR::first_lrs() {
  const auto times = std::count(milestones_.begin(), milestones_.end(), 0U);
  return initial_times(std::pow(gamma_, static_cast<double>(times)));
}

}  // namespace oneagent::optim
