// Probability distributions, with the names and shapes of Python's torch.distributions: a
// batch_shape of independent distributions over values of event_shape. Parameters are broadcast
// against each other. log_prob, entropy, mean and kl_divergence are differentiable in the
// parameters, rsample() too where the distribution has it; sample() is not. Parameters and values
// are checked, with a clear Error, unless set_default_validate_args(false).
#pragma once

#include <memory>
#include <optional>
#include <type_traits>

#include "core/distributions/constraint.h"
#include "core/tensor/tensor.h"

namespace oneagent::distributions {

// A parameter: a tensor, or a number of the type of the others.
class Param {
 public:
  Param(const Tensor& tensor) : tensor_(tensor) {}             // NOLINT: implicit
  Param(double number) : number_(number), is_number_(true) {}  // NOLINT
  Param(int number) : Param(static_cast<double>(number)) {}    // NOLINT
  Tensor tensor(DType dtype) const;                            // numbers become 0-d
  const Tensor* given() const { return is_number_ ? nullptr : &tensor_; }

 private:
  Tensor tensor_;
  double number_ = 0;
  bool is_number_ = false;
};

class Distribution {
 public:
  using MaybeGenerator = std::optional<Generator>;

  virtual ~Distribution() = default;
  virtual const char* name() const = 0;

  const Shape& batch_shape() const { return batch_shape_; }
  const Shape& event_shape() const { return event_shape_; }
  Shape extended_shape(const Shape& sample_shape = {}) const;  // sample + batch + event

  // Values of shape sample_shape + batch_shape + event_shape.
  Tensor sample(const Shape& sample_shape = {}, const MaybeGenerator& generator = {}) const;
  virtual bool has_rsample() const { return false; }
  Tensor rsample(const Shape& sample_shape = {}, const MaybeGenerator& generator = {}) const;

  Tensor log_prob(const Tensor& value) const;  // [... event] -> [...]
  Tensor prob(const Tensor& value) const;
  // Where a distribution has no closed form of one of these, it is an Error that says so.
  virtual Tensor cdf(const Tensor& value) const;
  virtual Tensor icdf(const Tensor& probability) const;
  virtual Tensor mean() const;
  virtual Tensor mode() const;
  virtual Tensor variance() const;
  virtual Tensor entropy() const;
  Tensor stddev() const;
  Tensor perplexity() const;  // exp(entropy)
  // All values along a new first dimension: [n] + batch_shape + event_shape, with batch dimensions
  // of 1 unless `expand`. Discrete distributions only.
  virtual Tensor enumerate_support(bool expand = true) const;

  virtual Constraint support() const { return Constraint::kAny; }
  static void set_default_validate_args(bool on);

 protected:
  Distribution(const Shape& batch_shape, const Shape& event_shape)
      : batch_shape_(batch_shape), event_shape_(event_shape) {}

  virtual Tensor draw(const Shape& sample_shape, const MaybeGenerator& generator) const = 0;
  virtual Tensor log_density(const Tensor& value) const = 0;

  static bool validates();
  // Checks a parameter, where checks are on.
  void check(const char* what, const Tensor& value, Constraint constraint) const {
    if (validates()) require(name(), what, value, constraint);
  }
  // Expanded to the batch's shape.
  Tensor batch(const Tensor& x) const;
  Tensor batch_full(double value, DType dtype) const;
  // The values 0 .. n - 1 of enumerate_support() for scalar events.
  Tensor enumerate(int64_t n, DType dtype, bool expand) const;
  [[noreturn]] void has_no(const char* what) const;

  Shape batch_shape_, event_shape_;
};

using DistributionPtr = std::shared_ptr<const Distribution>;
template <class D>
using IfDistribution = std::enable_if_t<std::is_base_of_v<Distribution, D>>;

// The type of the given tensors, promoted and floating; the default type without any.
DType common_dtype(std::initializer_list<const Param*> params);
Shape broadcast_shapes(const char* name, const Shape& a, const Shape& b);
Shape joined(const Shape& a, const Shape& b);
// Uniform in (0, 1), both ends excluded; standard normal.
Tensor open_uniform(const Shape& sizes, DType dtype, const Distribution::MaybeGenerator& generator);
Tensor standard_normal(const Shape& sizes, DType dtype,
                       const Distribution::MaybeGenerator& generator);
// Sum over the last n dimensions.
Tensor sum_rightmost(const Tensor& x, int64_t n);

}  // namespace oneagent::distributions
