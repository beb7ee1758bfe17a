#include "core/distributions/distribution.h"

#include <atomic>

#include "core/graph/context.h"
#include "core/ops/op_support.h"
#include "core/ops/ops.h"

namespace oneagent::distributions {
namespace {

std::atomic<bool> validate{true};

}  // namespace

Tensor Param::tensor(DType dtype) const {
  if (is_number_) return full({}, number_, dtype);
  OA_REQUIRE(tensor_.defined(), "distribution: a parameter is undefined");
  return to(tensor_, dtype);
}

void Distribution::set_default_validate_args(bool on) { validate = on; }
bool Distribution::validates() { return validate.load(std::memory_order_relaxed); }

Shape Distribution::extended_shape(const Shape& sample_shape) const {
  return joined(joined(sample_shape, batch_shape_), event_shape_);
}

Tensor Distribution::sample(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const NoGradGuard no_grad;
  return draw(sample_shape, generator);
}

Tensor Distribution::rsample(const Shape& sample_shape, const MaybeGenerator& generator) const {
  if (!has_rsample()) has_no("reparameterised samples; use sample()");
  return draw(sample_shape, generator);
}

Tensor Distribution::log_prob(const Tensor& value) const {
  if (validates()) {
    const Shape shape = extended_shape();
    const auto rank = static_cast<int64_t>(event_shape_.size());
    OA_REQUIRE(value.defined() && value.dim() >= rank, name(), ": values are of shape ", shape,
               ", was ", value.defined() ? value.sizes() : Shape{});
    for (int64_t i = 1; i <= std::min<int64_t>(value.dim(), shape.size()); ++i) {
      const int64_t size = shape[shape.size() - static_cast<size_t>(i)];
      OA_REQUIRE(value.size(-i) == size || (i > rank && (size == 1 || value.size(-i) == 1)), name(),
                 ": values are of shape ", shape, ", was ", value.sizes());
    }
    require(name(), "value", value, support());
  }
  return log_density(value);
}

Tensor Distribution::prob(const Tensor& value) const { return exp(log_prob(value)); }
Tensor Distribution::cdf(const Tensor&) const { has_no("cdf in closed form"); }
Tensor Distribution::icdf(const Tensor&) const { has_no("icdf in closed form"); }
Tensor Distribution::mean() const { has_no("mean in closed form"); }
Tensor Distribution::mode() const { has_no("mode in closed form"); }
Tensor Distribution::variance() const { has_no("variance in closed form"); }
Tensor Distribution::entropy() const { has_no("entropy in closed form"); }
Tensor Distribution::stddev() const { return sqrt(variance()); }
Tensor Distribution::perplexity() const { return exp(entropy()); }
Tensor Distribution::enumerate_support(bool) const { has_no("finite support"); }

void Distribution::has_no(const char* what) const { throw_error(str(name(), ": has no ", what)); }

Tensor Distribution::batch(const Tensor& x) const {
  return x.sizes() == batch_shape_ ? x : expand(x, batch_shape_);
}

Tensor Distribution::batch_full(double value, DType dtype) const {
  return full(batch_shape_, value, dtype);
}

Tensor Distribution::enumerate(int64_t n, DType dtype, bool expanded) const {
  Shape sizes = {n};
  for (size_t i = 0; i < batch_shape_.size(); ++i) sizes.push_back(1);
  const Tensor values = arange(n, dtype).view(sizes);
  return expanded ? expand(values, joined({n}, batch_shape_)) : values;
}

DType common_dtype(std::initializer_list<const Param*> params) {
  const Tensor* first = nullptr;
  DType dtype = get_default_dtype_value();
  for (const Param* param : params) {
    const Tensor* tensor = param->given();
    if (tensor == nullptr || !tensor->defined() || !tensor->is_floating_point()) continue;
    if (first == nullptr)
      dtype = tensor->dtype();
    else if (tensor->dtype() != first->dtype())
      dtype = result_type(*first, *tensor);
    first = tensor;
  }
  return dtype;
}

Shape broadcast_shapes(const char* name, const Shape& a, const Shape& b) {
  return a == b ? a : broadcast_sizes(name, a, b);
}

Shape joined(const Shape& a, const Shape& b) {
  Shape out = a;
  for (const int64_t size : b) out.push_back(size);
  return out;
}

// The largest number below 1 of the type bounds it, as rounding may reach 1.
Tensor open_uniform(const Shape& sizes, DType dtype,
                    const Distribution::MaybeGenerator& generator) {
  const bool wide = dtype == DType::kFloat64;
  const Tensor u = rand(sizes, generator, wide ? DType::kFloat64 : DType::kFloat32);
  const double low = wide ? 0x1p-54 : 0x1p-25;
  return to(u + low, dtype)
      .clamp(low, 1 - (dtype == DType::kFloat16    ? 0x1p-11
                       : dtype == DType::kBFloat16 ? 0x1p-8
                                                   : 2 * low));
}

Tensor standard_normal(const Shape& sizes, DType dtype,
                       const Distribution::MaybeGenerator& generator) {
  return randn(sizes, generator, dtype);
}

Tensor sum_rightmost(const Tensor& x, int64_t n) {
  if (n == 0) return x;
  Shape dims;
  for (int64_t i = 1; i <= n; ++i) dims.push_back(-i);
  return sum(x, dims);
}

}  // namespace oneagent::distributions
