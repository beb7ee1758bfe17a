#include "core/torch/grad_scaler.h"

#include <algorithm>

#include "core/dist/world.h"
#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"

namespace oneagent::nn {
namespace {

template <class Body>
void each_gradient(optim::Optimizer& optimizer, const Body& body) {
  for (const optim::OptimizerParamGroup& group : optimizer.param_groups())
    for (const Tensor& parameter : group.params())
      if (parameter.grad().defined()) body(parameter.grad());
}

bool is_finite(const Tensor& gradient) {
  const Tensor& part = local_part(gradient);
  const Tensor values = part.is_sparse() ? part.coalesce().values() : part;
  return isfinite(values.detach()).all().item<bool>();
}

}  // namespace

GradScaler::GradScaler(GradScalerOptions options) : options_(options) {
  OA_REQUIRE(options.growth_factor > 1, "GradScaler: the growth factor must be > 1, was ",
             options.growth_factor);
  OA_REQUIRE(options.backoff_factor > 0 && options.backoff_factor < 1,
             "GradScaler: the backoff factor must be between 0 and 1, was ",
             options.backoff_factor);
  OA_REQUIRE(options.growth_interval > 0, "GradScaler: the growth interval must be positive, was ",
             options.growth_interval);
  factor_ = full({}, 0.0, DType::kFloat32);
  inverse_ = full({}, 0.0, DType::kFloat32);
  set_scale(options.init_scale);
}

// In place, because plans read the factor where it lies.
void GradScaler::set_scale(double scale) {
  OA_REQUIRE(scale > 0, "GradScaler: the scale must be positive, was ", scale);
  const NoGradGuard no_grad;
  factor_.fill_(scale);
  inverse_.fill_(1 / scale);
}

Tensor GradScaler::scale(const Tensor& loss) const { return loss * to(factor_, loss.dtype()); }

void GradScaler::unscale_(optim::Optimizer& optimizer) {
  OA_REQUIRE(std::find(unscaled_.begin(), unscaled_.end(), &optimizer) == unscaled_.end(),
             "unscale_() has already been called on this optimizer since the last update().");
  const NoGradGuard no_grad;
  each_gradient(optimizer,
                [&](const Tensor& gradient) { gradient.mul_(to(inverse_, gradient.dtype())); });
  unscaled_.push_back(&optimizer);
}

bool GradScaler::step(optim::Optimizer& optimizer) {
  if (std::find(unscaled_.begin(), unscaled_.end(), &optimizer) == unscaled_.end())
    unscale_(optimizer);
  return step_unscaled(optimizer);
}

bool GradScaler::step_unscaled(optim::Optimizer& optimizer) {
  bool finite = true;
  bool on_mesh = false;
  each_gradient(optimizer, [&](const Tensor& gradient) {
    finite = finite && is_finite(gradient);
    on_mesh = on_mesh || is_global(gradient);
  });
  if (on_mesh) {  // ranks have other parts: what one of them found, all have to know
    int64_t found = finite ? 0 : 1;
    distributed::World::current("GradScaler")
        .all()
        .all_reduce(&found, 1, DType::kInt64, Reduce::kMax);
    finite = found == 0;
  }
  if (finite) {
    optimizer.step();
    return true;
  }
  found_inf_ = true;
  ++skipped_;
  return false;
}

void GradScaler::update() {
  if (found_inf_) {
    set_scale(get_scale() * options_.backoff_factor);
    finite_steps_ = 0;
  } else if (++finite_steps_ == options_.growth_interval) {
    // A factor that float32 does not hold would never become finite again.
    const double grown = get_scale() * options_.growth_factor;
    if (grown < 3e38) set_scale(grown);
    finite_steps_ = 0;
  }
  found_inf_ = false;
  unscaled_.clear();
}

}  // namespace oneagent::nn
