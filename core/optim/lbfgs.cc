#include "core/optim/lbfgs.h"

#include <algorithm>
#include <cmath>

#include "core/optim/checks.h"
#include "core/optim/line_search.h"

namespace oneagent::optim {
namespace {

bool same_tensors(const std::deque<Tensor>& a, const std::deque<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_tensor);
}

double dot_of(const Tensor& a, const Tensor& b) { return sum(a * b).item<double>(); }
double largest(const Tensor& x) { return amax(abs(x)).item<double>(); }

// Remembers the last step, where the function curves upwards along it.
void remember(LBFGSParamState& state, const Tensor& gradient, int64_t history_size) {
  const Tensor change = gradient - state.prev_flat_grad(), step = state.d() * state.t();
  const Tensor curvature = sum(change * step);
  if (!(curvature.item<double>() > 1e-10)) return;
  if (static_cast<int64_t>(state.old_dirs().size()) == history_size) {
    state.old_dirs().pop_front();
    state.old_stps().pop_front();
    state.ro().pop_front();
  }
  state.old_dirs().push_back(change);
  state.old_stps().push_back(step);
  state.ro().push_back(1.0 / curvature);
  state.H_diag(curvature / sum(change * change));
}

// -H g by two passes over the history (Nocedal 1980).
Tensor direction(LBFGSParamState& state, const Tensor& gradient) {
  const size_t count = state.old_dirs().size();
  std::vector<Tensor> alpha(count);
  Tensor out = neg(gradient);
  for (size_t i = count; i-- > 0;) {
    alpha[i] = sum(state.old_stps()[i] * out) * state.ro()[i];
    out = out - state.old_dirs()[i] * alpha[i];
  }
  out = out * state.H_diag();
  for (size_t i = 0; i < count; ++i) {
    const Tensor beta = sum(state.old_dirs()[i] * out) * state.ro()[i];
    out = out + state.old_stps()[i] * (alpha[i] - beta);
  }
  state.al(std::move(alpha));
  return out;
}

}  // namespace

void LBFGSOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("max_iter", max_iter_);
  visitor.field("max_eval", max_eval_);
  visitor.field("tolerance_grad", tolerance_grad_);
  visitor.field("tolerance_change", tolerance_change_);
  visitor.field("history_size", history_size_);
  visitor.field("line_search_fn", line_search_fn_);
}
bool operator==(const LBFGSOptions& lhs, const LBFGSOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.max_iter_ == rhs.max_iter_ && lhs.max_eval_ == rhs.max_eval_ &&
         lhs.tolerance_grad_ == rhs.tolerance_grad_ &&
         lhs.tolerance_change_ == rhs.tolerance_change_ && lhs.history_size_ == rhs.history_size_ &&
         lhs.line_search_fn_ == rhs.line_search_fn_;
}

void LBFGSParamState::visit(FieldVisitor& visitor) {
  visitor.field("func_evals", func_evals_);
  visitor.field("n_iter", n_iter_);
  visitor.field("t", t_);
  visitor.field("prev_loss", prev_loss_);
  visitor.flat("d", d_);
  visitor.flat("H_diag", H_diag_);
  visitor.flat("prev_flat_grad", prev_flat_grad_);
  visitor.flat("old_dirs", old_dirs_);
  visitor.flat("old_stps", old_stps_);
  visitor.flat("ro", ro_);
}
bool operator==(const LBFGSParamState& lhs, const LBFGSParamState& rhs) {
  return lhs.func_evals_ == rhs.func_evals_ && lhs.n_iter_ == rhs.n_iter_ && lhs.t_ == rhs.t_ &&
         lhs.prev_loss_ == rhs.prev_loss_ && same_tensor(lhs.d_, rhs.d_) &&
         same_tensor(lhs.H_diag_, rhs.H_diag_) &&
         same_tensor(lhs.prev_flat_grad_, rhs.prev_flat_grad_) &&
         same_tensors(lhs.old_dirs_, rhs.old_dirs_) && same_tensors(lhs.old_stps_, rhs.old_stps_) &&
         same_tensors(lhs.ro_, rhs.ro_);
}

LBFGS::LBFGS(std::vector<OptimizerParamGroup> param_groups, LBFGSOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<LBFGSOptions>(defaults)) {
  OA_REQUIRE(param_groups_.size() == 1, "lbfgs: takes one parameter group, was given ",
             param_groups_.size());
  for (OptimizerOptions* options : {&param_groups_[0].options(), defaults_.get()}) {
    auto& own = static_cast<LBFGSOptions&>(*options);
    if (!own.max_eval()) own.max_eval(own.max_iter() * 5 / 4);
  }
  const std::optional<std::string>& search = options().line_search_fn();
  OA_REQUIRE(!search || *search == "strong_wolfe",
             "lbfgs: line_search_fn must be \"strong_wolfe\" or none, was \"", search.value_or(""),
             "\"");
}

const LBFGSOptions& LBFGS::options() const {
  return static_cast<const LBFGSOptions&>(param_groups_[0].options());
}

std::unique_ptr<OptimizerParamState> LBFGS::make_state(const Tensor&) const {
  return std::make_unique<LBFGSParamState>();
}

Tensor LBFGS::flat_gradient() const {
  std::vector<Tensor> parts;
  for (const Tensor& parameter : param_groups_[0].params()) {
    const Tensor& gradient = parameter.grad();
    parts.push_back(gradient.defined() ? gradient.detach().to_dense().reshape({-1})
                                       : zeros({parameter.numel()}, parameter.dtype()));
  }
  return cat(parts, 0);
}

void LBFGS::move(double length, const Tensor& direction) {
  int64_t offset = 0;
  for (const Tensor& parameter : param_groups_[0].params()) {
    const Tensor part = direction.narrow(0, offset, parameter.numel()).view(parameter.sizes());
    const Tensor data = parameter.detach();  // shares its memory and its version
    data.add_(part * length);
    offset += parameter.numel();
  }
}

Tensor LBFGS::step(LossClosure closure) {
  OA_REQUIRE(closure != nullptr, "lbfgs: step() needs a closure that computes the loss");
  const NoGradGuard no_grad;
  const std::vector<Tensor>& parameters = param_groups_[0].params();
  OA_REQUIRE(!parameters.empty(), "lbfgs: has no parameters");
  const LBFGSOptions& options = this->options();
  auto& state = state_of<LBFGSParamState>(0, 0);

  const Tensor first_loss = evaluate(closure);
  double loss = first_loss.item<double>();
  int64_t evaluations = 1;
  ++state.func_evals();
  Tensor gradient = flat_gradient();
  if (largest(gradient) <= options.tolerance_grad()) return first_loss;

  for (int64_t n = 1; n <= options.max_iter(); ++n) {
    if (++state.n_iter() == 1) {
      state.d(neg(gradient)).H_diag(ones({}, gradient.dtype()));
      state.old_dirs().clear();
      state.old_stps().clear();
      state.ro().clear();
      state.t(std::min(1.0, 1.0 / sum(abs(gradient)).item<double>()) * options.lr());
    } else {
      remember(state, gradient, options.history_size());
      state.d(direction(state, gradient));
      state.t(options.lr());
    }
    state.prev_flat_grad(gradient);
    state.prev_loss(loss);
    const Tensor& d = state.d();
    const double slope = dot_of(gradient, d);
    if (slope > -options.tolerance_change()) break;

    int64_t made = 0;
    if (options.line_search_fn()) {
      std::vector<Tensor> origin;
      for (const Tensor& parameter : parameters) origin.push_back(clone(parameter.detach()));
      LineSearch search;
      search.evaluate = [&](double t) {
        move(t, d);
        LinePoint point{t, evaluate(closure).item<double>(), flat_gradient(), 0};
        point.slope = dot_of(point.gradient, d);
        for (size_t i = 0; i < origin.size(); ++i) parameters[i].detach().copy_(origin[i]);
        return point;
      };
      search.direction_size = largest(d);
      const LinePoint found = search.run({0, loss, gradient, slope}, state.t(), made);
      state.t(found.t);
      loss = found.value;
      gradient = found.gradient;
      move(found.t, d);
    } else {
      move(state.t(), d);
      if (n != options.max_iter()) {  // the last loss would not be used
        loss = evaluate(closure).item<double>();
        gradient = flat_gradient();
        made = 1;
      }
    }
    evaluations += made;
    state.func_evals() += made;
    if (evaluations >= *options.max_eval() || largest(gradient) <= options.tolerance_grad() ||
        largest(d) * std::abs(state.t()) <= options.tolerance_change() ||
        std::abs(loss - state.prev_loss()) < options.tolerance_change())
      break;
  }
  return first_loss;
}

}  // namespace oneagent::optim
