// Schedulers one after the other, the next one from its epoch 0 at each milestone (SequentialLR); a
// linear rise in front of another scheduler (WarmUp); several at once (ChainedScheduler).
#pragma once

#include <memory>

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

using Schedulers = std::vector<std::shared_ptr<LRScheduler>>;

class SequentialLR : public LRScheduler {
 public:
  // One milestone less than schedulers, all of one optimizer.
  SequentialLR(Optimizer& optimizer, Schedulers schedulers, std::vector<unsigned> milestones);
  void step() override;
  void restart() override;

 private:
  std::vector<double> get_lrs() override { return get_current_lrs(); }
  void save(SchedulerState& state) const override;
  void load(const SchedulerState& state) override;
  Schedulers schedulers_;
  std::vector<unsigned> milestones_;
};

// From start_factor of the initial rates to all of them in `steps` epochs, then `after`.
class WarmUp : public SequentialLR {
 public:
  WarmUp(Optimizer& optimizer, unsigned steps, std::shared_ptr<LRScheduler> after,
         double start_factor = 1e-3);
};

class ChainedScheduler : public LRScheduler {
 public:
  explicit ChainedScheduler(Schedulers schedulers);
  void step() override;
  void restart() override;

 private:
  std::vector<double> get_lrs() override { return get_current_lrs(); }
  void save(SchedulerState& state) const override;
  void load(const SchedulerState& state) override;
  Schedulers schedulers_;
};

}  // namespace oneagent::optim
