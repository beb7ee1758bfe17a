#include "core/optim/schedulers/cyclic_lr.h"

#include <cmath>

namespace oneagent::optim {

CyclicLR::CyclicLR(Optimizer& optimizer, double base_lr, double max_lr,
                   const CyclicLROptions& options)
    : EpochScheduler(optimizer), base_lr_(base_lr), max_lr_(max_lr), options_(options) {
  OA_REQUIRE(options.step_size_up() > 0, "cyclic_lr: step_size_up must be positive");
  OA_REQUIRE(options.mode() == "triangular" || options.mode() == "triangular2" ||
                 options.mode() == "exp_range",
             "cyclic_lr: mode must be \"triangular\", \"triangular2\" or \"exp_range\", was \"",
             options.mode(), "\"");
  for (const OptimizerParamGroup& group : optimizer.param_groups())
    OA_REQUIRE(!options.cycle_momentum() || group.options().get_momentum(),
               "cyclic_lr: the optimizer has no momentum to cycle; set cycle_momentum(false)");
  start();
}

double CyclicLR::height() const {
  const double up = options_.step_size_up(),
               down = options_.step_size_down().value_or(options_.step_size_up());
  const double position = epoch() / (up + down), top = up / (up + down);
  const double cycle = std::floor(position), x = position - cycle;
  const double triangle = x <= top ? x / top : (x - 1) / (top - 1);
  if (options_.mode() == "triangular2") return triangle * std::pow(0.5, cycle);
  if (options_.mode() == "exp_range") return triangle * std::pow(options_.gamma(), epoch());
  return triangle;
}

std::vector<double> CyclicLR::get_lrs() {
  return std::vector<double>(group_count(), base_lr_ + (max_lr_ - base_lr_) * height());
}

std::vector<double> CyclicLR::get_momenta() {
  if (!options_.cycle_momentum()) return {};
  const double low = options_.base_momentum(), high = options_.max_momentum();
  return std::vector<double>(group_count(), high - (high - low) * height());
}

}  // namespace oneagent::optim
