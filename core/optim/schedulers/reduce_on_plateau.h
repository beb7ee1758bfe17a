// Rates times `factor` when a metric has not got better for more than `patience` steps. Better is
// beyond the best by `threshold`, relative to it or absolute.
#pragma once

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

class ReduceLROnPlateauScheduler : public LRScheduler {
 public:
  enum SchedulerMode { min, max };
  enum ThresholdMode { rel, abs };
  explicit ReduceLROnPlateauScheduler(Optimizer& optimizer, SchedulerMode mode = min,
                                      double factor = 0.1, int patience = 10,
                                      double threshold = 1e-4, ThresholdMode threshold_mode = rel,
                                      int cooldown = 0,
                                      const std::vector<double>& min_lr = {},  // of each group
                                      double eps = 1e-8);
  using LRScheduler::step;
  void step(double metric);

 private:
  void step() override;  // Error: needs a metric
  std::vector<double> get_lrs() override;
  void save(SchedulerState& state) const override;
  void load(const SchedulerState& state) override;
  bool is_better(double metric) const;
  double worst() const;

  SchedulerMode mode_;
  double factor_;
  int patience_;
  double threshold_;
  ThresholdMode threshold_mode_;
  int cooldown_;
  std::vector<double> min_lrs_;
  double eps_;
  double best_;
  int bad_steps_ = 0, cooldown_left_ = 0;
};
using ReduceLROnPlateau = ReduceLROnPlateauScheduler;

}  // namespace oneagent::optim
