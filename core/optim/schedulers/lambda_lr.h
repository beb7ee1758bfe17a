// Initial rates times a function of the epoch (LambdaLR), or present rates times one
// (MultiplicativeLR).
#pragma once

#include <functional>

#include "core/optim/schedulers/lr_scheduler.h"

namespace oneagent::optim {

using EpochFunction = std::function<double(unsigned epoch)>;

class LambdaLR : public EpochScheduler {
 public:
  LambdaLR(Optimizer& optimizer, EpochFunction function);
  LambdaLR(Optimizer& optimizer, std::vector<EpochFunction> functions);  // one for each group

 private:
  std::vector<double> get_lrs() override;
  std::vector<EpochFunction> functions_;
};

class MultiplicativeLR : public EpochScheduler {
 public:
  MultiplicativeLR(Optimizer& optimizer, EpochFunction function);
  MultiplicativeLR(Optimizer& optimizer, std::vector<EpochFunction> functions);

 private:
  std::vector<double> get_lrs() override;
  std::vector<double> first_lrs() override { return get_initial_lrs(); }
  std::vector<EpochFunction> functions_;
};

}  // namespace oneagent::optim
