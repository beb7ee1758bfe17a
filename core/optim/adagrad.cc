#include "core/optim/adagrad.h"

#include <cmath>

#include "core/optim/checks.h"
#include "core/optim/update.h"

namespace oneagent::optim {

void AdagradOptions::visit(FieldVisitor& visitor) {
  visitor.field("lr", lr_);
  visitor.field("lr_decay", lr_decay_);
  visitor.field("weight_decay", weight_decay_);
  visitor.field("initial_accumulator_value", initial_accumulator_value_);
  visitor.field("eps", eps_);
}
bool operator==(const AdagradOptions& lhs, const AdagradOptions& rhs) {
  return lhs.lr_ == rhs.lr_ && lhs.lr_decay_ == rhs.lr_decay_ &&
         lhs.weight_decay_ == rhs.weight_decay_ &&
         lhs.initial_accumulator_value_ == rhs.initial_accumulator_value_ && lhs.eps_ == rhs.eps_;
}

void AdagradParamState::visit(FieldVisitor& visitor) {
  visitor.field("sum", sum_);
  visitor.field("step", step_);
}
bool operator==(const AdagradParamState& lhs, const AdagradParamState& rhs) {
  return same_tensor(lhs.sum_, rhs.sum_) && lhs.step_ == rhs.step_;
}

Adagrad::Adagrad(std::vector<OptimizerParamGroup> param_groups, AdagradOptions defaults)
    : Optimizer(std::move(param_groups), std::make_unique<AdagradOptions>(defaults)) {
  require_not_negative("adagrad", "lr", defaults.lr());
  require_not_negative("adagrad", "lr_decay", defaults.lr_decay());
  require_not_negative("adagrad", "weight_decay", defaults.weight_decay());
  require_not_negative("adagrad", "initial_accumulator_value",
                       defaults.initial_accumulator_value());
  require_not_negative("adagrad", "eps", defaults.eps());
  for (size_t g = 0; g < param_groups_.size(); ++g)  // state from the start, as libtorch has it
    for (size_t p = 0; p < param_groups_[g].params().size(); ++p) state_of<AdagradParamState>(g, p);
}

std::unique_ptr<OptimizerParamState> Adagrad::make_state(const Tensor& parameter) const {
  auto state = std::make_unique<AdagradParamState>();
  state->sum(zero_state(parameter));
  for (const OptimizerParamGroup& group : param_groups_)
    for (const Tensor& member : group.params())
      if (member.is_same(parameter))
        fill_(state->sum(),
              static_cast<const AdagradOptions&>(group.options()).initial_accumulator_value());
  return state;
}

namespace {

// The rows of a table that a gradient has, their gradients and sums of squares, as one block each.
struct TableRows {
  const Tensor &table, &sums, &rows, &values;
};

// One pass over those rows: each is fetched early, read and written once. The arithmetic is that of
// the ops in step_sparse().
template <class T>
void step_rows(const TableRows& at, double step, double epsilon) {
  constexpr int64_t kAhead = 16;
  const int64_t count = at.rows.numel(), all = at.table.size(0);
  const int64_t width = at.table.numel() / std::max<int64_t>(all, 1);
  const auto factor = static_cast<T>(-step), small = static_cast<T>(epsilon);
  const int64_t* row = at.rows.data_ptr<int64_t>();
  for (int64_t i = 0; i < count; ++i)
    OA_REQUIRE(row[i] >= 0 && row[i] < all, "adagrad: a gradient of row ", row[i],
               " for a parameter of shape ", at.table.sizes());
  T *const table = at.table.data_ptr<T>(), *const sums = at.sums.data_ptr<T>();
  const T* g = at.values.data_ptr<T>();
  for (int64_t i = 0; i < count; ++i, g += width) {
    if (i + kAhead < count) {
      __builtin_prefetch(sums + row[i + kAhead] * width, 1);
      __builtin_prefetch(table + row[i + kAhead] * width, 1);
    }
    T *const sum = sums + row[i] * width, *const x = table + row[i] * width;
#pragma GCC ivdep
    for (int64_t k = 0; k < width; ++k) {
      sum[k] += g[k] * g[k];
      x[k] += factor * (g[k] / (std::sqrt(sum[k]) + small));
    }
  }
}

bool step_rows(const TableRows& at, double step, double epsilon) {
  const DType dtype = at.table.dtype();
  if (at.rows.dim() != 2 || at.rows.size(0) != 1 || !is_contiguous(at.rows.impl().meta))
    return false;
  for (const Tensor* block : {&at.table, &at.sums, &at.values})
    if (!block->is_contiguous() || block->dtype() != dtype) return false;
  const bool known =
      (dtype == DType::kFloat32 || dtype == DType::kFloat64) &&
      with_floating(dtype, [&]<class T>(Type<T>) { step_rows<T>(at, step, epsilon); });
  if (!known) return false;
  at.table.impl().bump_version();
  at.sums.impl().bump_version();
  return true;
}

}  // namespace

// Only the rows of the gradient are read and written.
void Adagrad::step_sparse(const Tensor& parameter, const Tensor& gradient, const Tensor& sums,
                          double step, const AdagradOptions& options) {
  OA_REQUIRE(options.weight_decay() == 0,
             "adagrad: weight_decay option is not compatible with sparse gradients");
  const Tensor whole = gradient.detach().coalesce(), values = whole.values();
  if (step_rows({parameter, sums, whole.indices(), values}, step, options.eps())) return;
  const auto like_gradient = [&](const Tensor& rows) {
    return _sparse_coo_tensor_unsafe(whole.indices(), rows, whole.sizes());
  };
  sums.add_(like_gradient(values.square()));
  const Tensor root = sparse_mask(sums, whole)._values().sqrt_().add_(options.eps());
  parameter.detach().add_(like_gradient(values / root), -step);
}

Tensor Adagrad::step(LossClosure closure) {
  const NoGradGuard no_grad;
  Tensor loss = evaluate(closure);
  for (size_t g = 0; g < param_groups_.size(); ++g) {
    const auto& options = static_cast<const AdagradOptions&>(param_groups_[g].options());
    cpu::AdagradArgs args;
    args.epsilon = options.eps();
    args.weight_decay = options.weight_decay();
    each_gradient(g, nullptr, [&](size_t p, const Tensor& parameter, const Tensor& gradient) {
      auto& state = state_of<AdagradParamState>(g, p);
      const auto before = static_cast<double>(state.step()++);
      args.step = options.lr() / (1 + before * options.lr_decay());
      if (gradient.is_sparse()) [[unlikely]]
        return step_sparse(parameter, gradient, state.sum(), args.step, options);
      update(parameter, gradient, {&state.sum()}, cpu::adagrad, args);
    });
  }
  return loss;
}

}  // namespace oneagent::optim
