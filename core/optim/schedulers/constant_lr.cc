#include "core/optim/schedulers/constant_lr.h"

namespace oneagent::optim {

ConstantLR::ConstantLR(Optimizer& optimizer, double factor, unsigned total_iters)
    : EpochScheduler(optimizer), factor_(factor), total_iters_(total_iters) {
  OA_REQUIRE(factor > 0 && factor <= 1, "constant_lr: factor must be in (0, 1], was ", factor);
  start();
}

std::vector<double> ConstantLR::get_lrs() {
  if (epoch() == 0) return current_times(factor_);
  return epoch() == total_iters_ ? current_times(1 / factor_) : get_current_lrs();
}

std::vector<double> ConstantLR::first_lrs() {
  return initial_times(total_iters_ == 0 ? 1 : factor_);
}

}  // namespace oneagent::optim
