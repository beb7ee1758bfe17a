#include "core/ops/op_loss.h"

#include <cmath>
#include <numbers>

#include "core/ops/activation.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/creation.h"
#include "core/ops/distance.h"
#include "core/ops/number.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {

void require_reduction(const char* op, int64_t reduction) {
  OA_REQUIRE(
      reduction == Reduction::None || reduction == Reduction::Mean || reduction == Reduction::Sum,
      op, ": reduction must be None, Mean or Sum, was ", reduction);
}

Tensor reduced(const Tensor& loss, int64_t reduction) {
  require_reduction("loss", reduction);
  if (reduction == Reduction::Mean) return mean(loss);
  return reduction == Reduction::Sum ? sum(loss) : loss;
}

namespace {

Tensor positive_part(const Tensor& x) { return clamp(x, 0.0); }

}  // namespace

// Stirling's approximation of log(target!) is added to targets above 1.
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction) {
  Tensor loss = log_input ? sub(exp(input), mul(target, input))
                          : sub(input, mul(target, log(add(input, eps))));
  if (full) {
    const Tensor large = clamp(target, 1.0);
    const Tensor entropy =
        add(sub(mul(large, log(large)), large), mul(log(mul(large, 2 * std::numbers::pi)), 0.5));
    loss = add(loss, where(le(target, 1.0), 0.0, entropy));
  }
  return reduced(loss, reduction);
}

// 1/2 (log var + (input - target)^2 / var), var being at least eps without a gradient there.
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var, bool full,
                         double eps, int64_t reduction) {
  const Tensor bounded = where(lt(var, eps), eps, var);
  Tensor loss = mul(add(log(bounded), div(square(sub(input, target)), bounded)), 0.5);
  if (full) loss = add(loss, 0.5 * std::log(2 * std::numbers::pi));
  return reduced(loss, reduction);
}

Tensor hinge_embedding_loss(const Tensor& self, const Tensor& target, double margin,
                            int64_t reduction) {
  const Tensor apart = where(ne(target, 1), positive_part(sub(margin, self)), 0.0);
  return reduced(add(apart, where(ne(target, -1), self, 0.0)), reduction);
}

Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin, int64_t reduction) {
  const Tensor signed_gap = mul(neg(target), sub(input1, input2));
  return reduced(positive_part(add(signed_gap, margin)), reduction);
}

// 1 - cos where the target is 1, max(0, cos - margin) where it is -1.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin, int64_t reduction) {
  OA_REQUIRE(target.dim() <= 1,
             "cosine_embedding_loss: expected a target of at most one "
             "dimension, was ",
             target.sizes());
  const int64_t dim = target.dim();
  OA_REQUIRE(input1.dim() == dim + 1 && input2.dim() == dim + 1,
             "cosine_embedding_loss: expected inputs of ", dim + 1, " dimensions, was ",
             input1.sizes(), " and ", input2.sizes());
  constexpr double kEpsilon = 1e-12;
  const Shape last{dim};
  const Tensor product = sum(mul(input1, input2), last);
  const Tensor lengths =
      mul(add(sum(square(input1), last), kEpsilon), add(sum(square(input2), last), kEpsilon));
  const Tensor cosine = div(product, sqrt(lengths));
  const Tensor near = where(eq(target, 1), sub(1.0, cosine), 0.0);
  const Tensor far = where(eq(target, -1), positive_part(sub(cosine, margin)), 0.0);
  return reduced(add(near, far), reduction);
}

Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin, double p, double eps, bool swap, int64_t reduction) {
  OA_REQUIRE(anchor.dim() == positive.dim() && anchor.dim() == negative.dim(),
             "triplet_margin_loss: the operands must have as many dimensions, was ", anchor.sizes(),
             ", ", positive.sizes(), " and ", negative.sizes());
  const Tensor near = pairwise_distance(anchor, positive, p, eps);
  Tensor far = pairwise_distance(anchor, negative, p, eps);
  if (swap) far = minimum(far, pairwise_distance(positive, negative, p, eps));
  return reduced(positive_part(sub(add(near, margin), far)), reduction);
}

Tensor multilabel_soft_margin_loss(const Tensor& self, const Tensor& target,
                                   const std::optional<Tensor>& weight, int64_t reduction) {
  const Tensor loss = binary_cross_entropy_with_logits(self, target, weight, {}, Reduction::None);
  return reduced(mean(loss, Shape{self.dim() - 1}), reduction);
}

Tensor cross_entropy(const Tensor& input, const Tensor& target, int64_t reduction) {
  return cross_entropy_loss(input, target, {}, reduction);
}

std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(const Tensor& self, const Tensor& target,
                                                          int64_t reduction) {
  Tensor loss = multilabel_margin_loss(self, target, reduction);
  // Targets end before the first -1 of a row; the others mark class 0 with a 0, which changes
  // nothing.
  const Tensor rows = target.dim() == 0 ? target.view({1}) : target;
  const Tensor counts = cumsum(lt(rows, 0), -1).eq(0);
  const Tensor classes = mul(rows, counts);
  const Tensor is_target = zeros_like(rows).scatter_add(-1, classes, counts.to(rows.dtype())).gt(0);
  return {loss, is_target.to(self.dtype()).view(target.sizes())};
}

}  // namespace oneagent
