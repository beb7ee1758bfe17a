#include "core/distributions/categorical.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::distributions {

namespace {

constexpr double kMasked =
    -1e8;  // finite, so that 0 * log p stays 0; its exp() is exactly 0 in all floating types

Tensor clamped(const Tensor& probs) {
  const double precision = probs.dtype() == DType::kFloat64 ? 0x1p-52 : 0x1p-23;
  return clamp(probs, precision, 1 - precision);
}

Shape rows_of(const char* name, const Tensor& x) {
  OA_REQUIRE(x.dim() >= 1 && x.is_floating_point(), name,
             ": needs floating parameters [..., n], was ", x.sizes(), " ", name_of(x.dtype()));
  return x.sizes().slice(0, x.sizes().size() - 1);
}

Tensor with_mask(const Tensor& logits, const Tensor& mask) {
  OA_REQUIRE(mask.defined() && mask.dtype() == DType::kBool && mask.dim() >= 1 &&
                 mask.size(-1) == logits.size(-1),
             "masked_categorical: needs a mask of bool [..., n] beside logits ", logits.sizes());
  return where(mask, logits, kMasked);
}

}  // namespace

const Tensor& one_given(const char* name, const Tensor& probs, const Tensor& logits) {
  OA_REQUIRE(probs.defined() != logits.defined(), name,
             ": needs either probs or logits, and not both");
  return probs.defined() ? probs : logits;
}
Tensor logits_of(const Tensor& probs) { return log(clamped(probs)); }
Tensor binary_logits_of(const Tensor& probs) {
  const Tensor p = clamped(probs);
  return log(p) - log1p(neg(p));
}

Categorical::Categorical(const Tensor& probs, const Tensor& logits)
    : Distribution(rows_of("categorical", one_given("categorical", probs, logits)), {}) {
  if (probs.defined()) {
    check("probs", probs, Constraint::kNotNegative);
    probs_ = probs / sum(probs, {-1}, true);
    logits_ = logits_of(probs_);
  } else {
    check("logits", logits, Constraint::kReal);
    logits_ = log_softmax(logits, -1);
  }
}

Categorical::Categorical(Masked, const Tensor& logits, const Tensor& mask)
    : Distribution(rows_of("masked_categorical", logits), {}),
      logits_(log_softmax(with_mask(logits, mask), -1)) {
  batch_shape_ = logits_.sizes().slice(0, logits_.sizes().size() - 1);
  check("logits", logits, Constraint::kReal);
  if (validates()) require_open_rows("masked_categorical", mask);
}

Tensor Categorical::probs() const { return probs_.defined() ? probs_ : exp(logits_); }

Tensor Categorical::draw(const Shape& sample_shape, const MaybeGenerator& generator) const {
  const Tensor weights = probs().reshape({-1, num_events()});
  if (sample_shape.empty()) return multinomial(weights, 1, true, generator).view(batch_shape_);
  const Tensor drawn = multinomial(weights, sample_shape.numel(), true, generator);
  return drawn.t().reshape(extended_shape(sample_shape));
}

Tensor Categorical::log_density(const Tensor& value) const {
  const Tensor index = to(value, DType::kInt64);
  if (index.sizes() == batch_shape_) return squeeze(gather(logits_, -1, unsqueeze(index, -1)), -1);
  const Shape sizes = broadcast_shapes(name(), index.sizes(), batch_shape_);
  const Tensor rows = expand(logits_, joined(sizes, {num_events()}));
  return squeeze(gather(rows, -1, unsqueeze(expand(index, sizes), -1)), -1);
}

Tensor Categorical::mean() const { return batch_full(NAN, logits_.dtype()); }
Tensor Categorical::variance() const { return batch_full(NAN, logits_.dtype()); }
Tensor Categorical::mode() const { return argmax(logits_, -1); }
Tensor Categorical::entropy() const { return neg(sum(probs() * logits_, {-1})); }
Tensor Categorical::enumerate_support(bool expand) const {
  return enumerate(num_events(), DType::kInt64, expand);
}

}  // namespace oneagent::distributions
