// Rates times (1 - epoch / total_iters)^power, 0 from total_iters on.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class PolynomialLR : public EpochScheduler {
 public:
  explicit PolynomialLR(Optimizer& optimizer, unsigned total_iters = 5, double power = 1);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return get_initial_lrs(); }
  unsigned total_iters_;
  double power_;
};

}  // namespace oneagent::optim
