// Half a cosine from the initial rate to eta_min in t_0 epochs, then again in t_mult times as many
// (SGDR, Loshchilov 2017).
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class CosineAnnealingWarmRestarts : public EpochScheduler {
 public:
  CosineAnnealingWarmRestarts(Optimizer& optimizer, unsigned t_0, unsigned t_mult = 1,
                              double eta_min = 0);
  void step() override;
  void step(double epoch);  // to any point, such as one within an epoch
  void restart() override { step(0.0); }

 private:
  std::vector<double> get_lrs() override;
  void save(SchedulerState& state) const override;
  void load(const SchedulerState& state) override;
  unsigned t_0_, t_mult_;
  double eta_min_;
  double at_ = 0, length_;  // where in the present period, and how long it is
};

}  // namespace oneagent::optim
