// Rates times `factor` for total_iters epochs, then without it.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class ConstantLR : public EpochScheduler {
 public:
  explicit ConstantLR(Optimizer& optimizer, double factor = 1.0 / 3, unsigned total_iters = 5);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override;
  double factor_;
  unsigned total_iters_;
};

}  // namespace oneagent::optim
