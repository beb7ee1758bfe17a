// One cycle (Smith 2018): from max_lr / div_factor up to max_lr within pct_start of total_steps,
// then down to that start divided by final_div_factor; three_phase takes as long down to the start
// as up and the rest to the end. Momentum, or the first beta, goes the opposite way.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

struct OneCycleLROptions {
  OA_ARG(double, pct_start) = 0.3;
  OA_ARG(std::string, anneal_strategy) = "cos";  // or "linear"
  OA_ARG(bool, cycle_momentum) = true;
  OA_ARG(double, base_momentum) = 0.85;
  OA_ARG(double, max_momentum) = 0.95;
  OA_ARG(double, div_factor) = 25;
  OA_ARG(double, final_div_factor) = 1e4;
  OA_ARG(bool, three_phase) = false;
};

class OneCycleLR : public EpochScheduler {
 public:
  OneCycleLR(Optimizer& optimizer, double max_lr, unsigned total_steps,
             const OneCycleLROptions& options = {});
  OneCycleLR(Optimizer& optimizer, std::vector<double> max_lrs, unsigned total_steps,
             const OneCycleLROptions& options = {});  // one for each group

 private:
  // A point of the cycle: the rate is max_lr / division, between points annealed.
  struct Corner {
    double step, division, momentum;
  };
  std::vector<double> get_lrs() override;
  std::vector<double> get_momenta() override;
  double annealed(double from, double to, double share) const;
  // The two corners around the present step, and where it lies between them.
  double between(const Corner*& from, const Corner*& to) const;
  std::vector<double> max_lrs_;
  unsigned total_steps_;
  OneCycleLROptions options_;
  std::vector<Corner> corners_;
};

}  // namespace oneagent::optim
