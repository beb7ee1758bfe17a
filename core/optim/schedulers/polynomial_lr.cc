#include "core/optim/schedulers/polynomial_lr.h"

#include <cmath>

namespace oneagent::optim {

PolynomialLR::PolynomialLR(Optimizer& optimizer, unsigned total_iters, double power)
    : EpochScheduler(optimizer), total_iters_(total_iters), power_(power) {
  OA_REQUIRE(total_iters > 0, "polynomial_lr: total_iters must be positive");
  start();
}

std::vector<double> PolynomialLR::get_lrs() {
  if (epoch() == 0 || epoch() > total_iters_) return get_current_lrs();
  const double left = total_iters_ - static_cast<double>(epoch());
  return current_times(std::pow(left / (left + 1), power_));
}

}  // namespace oneagent::optim
