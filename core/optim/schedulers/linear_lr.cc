#include "core/optim/schedulers/linear_lr.h"

namespace oneagent::optim {

LinearLR::LinearLR(Optimizer& optimizer, double start_factor, double end_factor,
                   unsigned total_iters)
    : EpochScheduler(optimizer),
      start_factor_(start_factor),
      end_factor_(end_factor),
      total_iters_(total_iters) {
  OA_REQUIRE(start_factor > 0 && start_factor <= 1,
             "linear_lr: start_factor must be in (0, 1], was ", start_factor);
  OA_REQUIRE(end_factor >= 0 && end_factor <= 1, "linear_lr: end_factor must be in [0, 1], was ",
             end_factor);
  OA_REQUIRE(total_iters > 0, "linear_lr: total_iters must be positive");
  start();
}

// The ratio of two factors in a row, so that the rates may change beside this scheduler.
std::vector<double> LinearLR::get_lrs() {
  if (epoch() == 0) return current_times(start_factor_);
  if (epoch() > total_iters_) return get_current_lrs();
  const double rise = end_factor_ - start_factor_;
  return current_times(1 + rise / (total_iters_ * start_factor_ + (epoch() - 1) * rise));
}

}  // namespace oneagent::optim
