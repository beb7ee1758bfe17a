// GradScaler, as torch.cuda.amp.GradScaler: a factor on the loss keeps small gradients of 16-bit
// floating types from becoming zero. It grows while gradients stay finite; a step with an infinite
// one or a NaN is left out, and the factor shrinks.
//
//   scaler.scale(loss).backward();
//   scaler.unscale_(optimizer);            // only where gradients are clipped or looked at
//   scaler.step(optimizer);
//   scaler.update();
//
// A Graph with amp = kHalf does all of this itself.
#pragma once

#include <vector>

#include "core/optim/optimizer.h"

namespace oneagent::nn {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  int64_t growth_interval = 2000;  // steps in a row with finite gradients
};

class GradScaler {
 public:
  // Error: factors that do not grow, or do not shrink.
  explicit GradScaler(GradScalerOptions options = {});

  Tensor scale(const Tensor& loss) const;
  // Divides the gradients by the factor. Error: twice before update().
  void unscale_(optim::Optimizer& optimizer);
  // optimizer.step(), unless a gradient is not finite: then false. Divides first where unscale_()
  // has not.
  bool step(optim::Optimizer& optimizer);
  // The same for gradients that are divided already.
  bool step_unscaled(optim::Optimizer& optimizer);
  // Once for all steps of an iteration.
  void update();

  double get_scale() const { return factor_.item<double>(); }
  void set_scale(double scale);
  int64_t growth_tracker() const { return finite_steps_; }
  int64_t skipped_steps() const { return skipped_; }  // so far, of all optimizers

  const Tensor& factor() const { return factor_; }    // float32 []
  const Tensor& inverse() const { return inverse_; }  // 1 / factor

 private:
  GradScalerOptions options_;
  Tensor factor_, inverse_;
  std::vector<const optim::Optimizer*> unscaled_;  // since update()
  bool found_inf_ = false;                         // since update()
  int64_t finite_steps_ = 0, skipped_ = 0;
};

}  // namespace oneagent::nn
