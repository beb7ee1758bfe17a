// 1 - beta1^t and 1 - beta2^t of Adam and its relatives; parameters of one group mostly share t.
#pragma once

#include <cmath>
#include <cstdint>
#include <tuple>

namespace oneagent::optim {

class BiasCorrection {
 public:
  explicit BiasCorrection(const std::tuple<double, double>& betas)
      : beta1_(std::get<0>(betas)), beta2_(std::get<1>(betas)) {}
  void at(int64_t t) {
    if (t == t_) return;
    t_ = t;
    first = 1 - std::pow(beta1_, static_cast<double>(t));
    second = 1 - std::pow(beta2_, static_cast<double>(t));
  }
  double first = 0, second = 0;

 private:
  double beta1_, beta2_;
  int64_t t_ = 0;
};

}  // namespace oneagent::optim
