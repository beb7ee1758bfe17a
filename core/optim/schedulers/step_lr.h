// Rates times gamma every step_size steps; as in libtorch, the first step() counts only.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class StepLR : public LRScheduler {
 public:
  StepLR(Optimizer& optimizer, unsigned step_size, double gamma = 0.1);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return get_initial_lrs(); }
  const unsigned step_size_;
  const double gamma_;
};

}  // namespace oneagent::optim
