#include "core/optim/sparse_adam.h"

#include "core/optim/bias_correction.h"
#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void SparseAdamOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("betas", betas_);
  visitor.field("eps", eps_);
}
bool operator==(const SparseAdamOptions& lhs, const SparseAdamOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.betas_ == rhs.betas_ && lhs.eps_ == rhs.eps_;
}

SparseAdam::SparseAdam(std::vector<OptimizerParamGroup> param_groups, SparseAdamOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<SparseAdamOptions>(defaults)) {
  require_not_negative("sparse_adam", "lr", defaults.lr());
  require_not_negative("sparse_adam", "eps", defaults.eps());
  require_betas("sparse_adam", defaults.betas());
}

std::unique_ptr<OptimizerParamState> SparseAdam::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdamParamState>();
  state->exp_avg(zero_state(parameter));
  state->exp_avg_sq(zero_state(parameter));
  return state;
}

namespace {

// The rows of a running mean after it moved towards `target`; it is written back, too.
Tensor moved_rows(const Tensor& mean, const Tensor& gradient, const Tensor& target, double share) {
  const Tensor before = sparse_mask(mean, gradient)._values();
  const Tensor change = (target - before) * share;
  mean.add_(_sparse_coo_tensor_unsafe(gradient.indices(), change, mean.sizes()));
  return before + change;
}

}  // namespace

Tensor SparseAdam::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const SparseAdamOptions&>(param_groups_[g].options());
    const auto [beta1, beta2] = options.betas();
    BiasCorrection correction(options.betas());
    each_gradient(g, nullptr, [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      OA_REQUIRE(gradient.is_sparse(),
                 "SparseAdam does not support dense gradients, please consider Adam instead");
      auto& state = state_of<AdamParamState>(g, p);
      correction.at(++state.step());
      const Tensor whole = gradient.detach().coalesce();
      if (whole._nnz() == 0) return;
      const Tensor values = to(whole.values(), state.exp_avg().scalar_type());
      const Tensor mean = moved_rows(state.exp_avg(), whole, values, 1 - beta1);
      const Tensor square = moved_rows(state.exp_avg_sq(), whole, values.square(), 1 - beta2);
      const double step = options.lr() * std::sqrt(correction.second) / correction.first;
      parameter.detach().add_(
          _sparse_coo_tensor_unsafe(whole.indices(), mean / square.sqrt_().add_(options.eps()),
                                    whole.sizes()),
          -step);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
