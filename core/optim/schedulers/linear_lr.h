// Rates times a factor that goes from start_factor to end_factor in total_iters epochs.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class LinearLR : public EpochScheduler {
 public:
  explicit LinearLR(Optimizer& optimizer, double start_factor = 1.0 / 3, double end_factor = 1,
                    unsigned total_iters = 5);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return initial_times(start_factor_); }
  double start_factor_, end_factor_;
  unsigned total_iters_;
};

}  // namespace oneagent::optim
