#include "core/optim/schedulers/one_cycle_lr.h"

#include <cmath>

namespace oneagent::optim {

OneCycleLR::OneCycleLR(Optimizer& optimizer, double max_lr, unsigned total_steps,
                       const OneCycleLROptions& options)
    : OneCycleLR(optimizer, std::vector<double>(optimizer.param_groups().size(), max_lr),
                 total_steps, options) {}

OneCycleLR::OneCycleLR(Optimizer& optimizer, std::vector<double> max_lrs, unsigned total_steps,
                       const OneCycleLROptions& options)
    : EpochScheduler(optimizer),
      max_lrs_(std::move(max_lrs)),
      total_steps_(total_steps),
      options_(options) {
  OA_REQUIRE(max_lrs_.size() == group_count(), "one_cycle_lr: ", max_lrs_.size(), " rates for ",
             group_count(), " parameter groups");
  OA_REQUIRE(total_steps > 0, "one_cycle_lr: total_steps must be positive");
  OA_REQUIRE(options.pct_start() >= 0 && options.pct_start() <= 1,
             "one_cycle_lr: pct_start must be in [0, 1], was ", options.pct_start());
  OA_REQUIRE(options.anneal_strategy() == "cos" || options.anneal_strategy() == "linear",
             "one_cycle_lr: anneal_strategy must be \"cos\" or \"linear\", was \"",
             options.anneal_strategy(), "\"");
  const double start_division = options.div_factor(),
               end_division = start_division * options.final_div_factor();
  const double low = options.base_momentum(), high = options.max_momentum();
  const double up = options.pct_start() * total_steps;
  corners_ = {{0, start_division, high}, {up - 1, 1, low}};
  if (options.three_phase()) corners_.push_back({2 * up - 2, start_division, high});
  corners_.push_back({total_steps - 1.0, end_division, high});
  for (OptimizerParamGroup& group : optimizer.param_groups()) {
    OA_REQUIRE(!options.cycle_momentum() || group.options().get_momentum(),
               "one_cycle_lr: the optimizer has no momentum to cycle; set cycle_momentum(false)");
  }
  for (size_t g = 0; g < max_lrs_.size(); ++g)
    optimizer.param_groups()[g].set_initial_lr(max_lrs_[g] / start_division);
  start();
}

double OneCycleLR::annealed(double from, double to, double share) const {
  if (options_.anneal_strategy() == "linear") return from + (to - from) * share;
  return to + (from - to) / 2 * (1 + std::cos(M_PI * share));
}

double OneCycleLR::between(const Corner*& from, const Corner*& to) const {
  OA_REQUIRE(epoch() < total_steps_ + 1, "one_cycle_lr: step ", epoch(), " of a cycle of ",
             total_steps_);
  size_t i = 1;
  while (i + 1 < corners_.size() && epoch() > corners_[i].step) ++i;
  from = &corners_[i - 1];
  to = &corners_[i];
  return to->step > from->step ? (epoch() - from->step) / (to->step - from->step) : 1;
}

std::vector<double> OneCycleLR::get_lrs() {
  const Corner *from, *to;
  const double share = between(from, to);
  std::vector<double> lrs;
  for (const double max_lr : max_lrs_)
    lrs.push_back(annealed(max_lr / from->division, max_lr / to->division, share));
  return lrs;
}

std::vector<double> OneCycleLR::get_momenta() {
  if (!options_.cycle_momentum()) return {};
  const Corner *from, *to;
  const double share = between(from, to);
  return std::vector<double>(group_count(), annealed(from->momentum, to->momentum, share));
}

}  // namespace oneagent::optim
