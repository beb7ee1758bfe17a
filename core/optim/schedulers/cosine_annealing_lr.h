// Half a cosine from the initial rate to eta_min in t_max epochs, and back (Loshchilov 2017,
// without restarts).
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class CosineAnnealingLR : public EpochScheduler {
 public:
  CosineAnnealingLR(Optimizer& optimizer, unsigned t_max, double eta_min = 0);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return get_initial_lrs(); }
  unsigned t_max_;
  double eta_min_;
};

}  // namespace oneagent::optim
