// Rates times gamma at each milestone; a milestone that comes twice counts twice.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class MultiStepLR : public EpochScheduler {
 public:
  MultiStepLR(Optimizer& optimizer, std::vector<unsigned> milestones, double gamma = 0.1);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override;
  std::vector<unsigned> milestones_;
  double gamma_;
};

}  // namespace oneagent::optim
