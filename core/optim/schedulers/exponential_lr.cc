#include "core/optim/schedulers/exponential_lr.h"

namespace oneagent::optim {

ExponentialLR::ExponentialLR(Optimizer& optimizer, double gamma)
    : EpochScheduler(optimizer), gamma_(gamma) {
  start();
}

std::vector<double> ExponentialLR::get_lrs() {
  return epoch() == 0 ? get_current_lrs() : current_times(gamma_);
}

}  // namespace oneagent::optim
