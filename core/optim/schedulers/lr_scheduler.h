// Learning rates that change with step(). The base class and StepLR are libtorch's: step() asks
// get_lrs() for the rates of all groups and then counts. All others follow Python's schedulers
// (EpochScheduler): the constructor sets the rates of epoch 0, the n-th step() those of epoch n.
// The optimizer must outlive its schedulers.
#pragma once

#include <string>
#include <vector>

#include "core/optim/optimizer.h"

namespace oneagent::optim {

struct SchedulerState;  // core/optim/schedulers/scheduler_state.h

class LRScheduler {
 public:
  explicit LRScheduler(Optimizer& optimizer) : optimizer_(&optimizer) {}
  virtual ~LRScheduler() = default;
  LRScheduler(const LRScheduler&) = delete;
  LRScheduler& operator=(const LRScheduler&) = delete;

  virtual void step();
  // Back to epoch 0, with its rates: what SequentialLR does when it comes to this one.
  virtual void restart();
  std::vector<double> get_last_lr() const { return get_current_lrs(); }
  Optimizer& optimizer() const { return *optimizer_; }

  // Everything that step() depends on, the optimizer's present rates and momenta included;
  // functions excepted, as JSON text. An Error names what is missing or does not fit.
  std::string state_dict() const;
  void load_state_dict(const std::string& state);

 protected:
  // One rate for each group, at count step_count_.
  virtual std::vector<double> get_lrs() = 0;
  // Momenta to set with them; empty: they stay.
  virtual std::vector<double> get_momenta() { return {}; }
  // The rates of epoch 0 from any other epoch.
  virtual std::vector<double> first_lrs() { return get_lrs(); }
  virtual void save(SchedulerState&) const {}
  virtual void load(const SchedulerState&) {}

  std::vector<double> get_current_lrs() const;
  std::vector<double> get_initial_lrs() const;  // before any scheduler
  void keep_initial_lrs();
  void set_lrs(const std::vector<double>& lrs);
  void set_momenta(const std::vector<double>& momenta);
  size_t group_count() const { return optimizer_->param_groups().size(); }

  unsigned step_count_ = 0;

 private:
  Optimizer* optimizer_;
};

class EpochScheduler : public LRScheduler {
 public:
  explicit EpochScheduler(Optimizer& optimizer) : LRScheduler(optimizer) { keep_initial_lrs(); }

 protected:
  void start() { LRScheduler::step(); }  // at the end of the constructor
  unsigned epoch() const { return step_count_; }
  // f(rate now, initial rate) for each group.
  template <class F>
  std::vector<double> each(const F& f) const {
    std::vector<double> lrs = get_current_lrs();
    const std::vector<double> initial = get_initial_lrs();
    for (size_t g = 0; g < lrs.size(); ++g) lrs[g] = f(lrs[g], initial[g]);
    return lrs;
  }
  std::vector<double> initial_times(double factor) const {
    return each([factor](double, double initial) { return initial * factor; });
  }
  std::vector<double> current_times(double factor) const {
    return each([factor](double now, double) { return now * factor; });
  }
};

}  // namespace oneagent::optim
