// Rates times gamma at each step.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class ExponentialLR : public EpochScheduler {
 public:
  ExponentialLR(Optimizer& optimizer, double gamma);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return get_initial_lrs(); }
  double gamma_;
};

}  // namespace oneagent::optim
