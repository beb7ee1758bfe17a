// Triangles between base_lr and max_lr (Smith 2017), step_size_up epochs up and step_size_down
// down. mode: "triangular", "triangular2" (each half as high as the one before), "exp_range"
// (height times gamma^epoch). Momentum goes the opposite way.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

struct CyclicLROptions {
  OA_ARG(unsigned, step_size_up) = 2000;
  OA_ARG(std::optional<unsigned>, step_size_down) = std::nullopt;  // none: as up
  OA_ARG(std::string, mode) = "triangular";
  OA_ARG(double, gamma) = 1;
  OA_ARG(bool, cycle_momentum) = true;
  OA_ARG(double, base_momentum) = 0.8;
  OA_ARG(double, max_momentum) = 0.9;
};

class CyclicLR : public EpochScheduler {
 public:
  CyclicLR(Optimizer& optimizer, double base_lr, double max_lr,
           const CyclicLROptions& options = {});

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> get_momenta() override;
  double height() const;  // of the present epoch: 0 at the base, 1 at the top of the first triangle
  double base_lr_, max_lr_;
  CyclicLROptions options_;
};

}  // namespace oneagent::optim
