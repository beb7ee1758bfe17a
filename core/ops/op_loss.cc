#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/index.h"
#include "core/ops/loss.h"
#include "core/ops/number.h"
#include "core/ops/reduce.h"
#include "core/ops/softmax.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

Tensor reduced(const Tensor& loss, Reduction reduction) {
  switch (reduction) {
    case Reduction::kMean:
      return mean(loss);
    case Reduction::kSum:
      return sum(loss);
    case Reduction::kNone:
      break;
  }
  return loss;
}

}  // namespace

Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  return reduced(square(sub(input, target)), reduction);
}
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  return reduced(abs(sub(input, target)), reduction);
}

Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction, double delta) {
  OA_REQUIRE(delta > 0, "huber_loss: delta must be positive, was ", delta);
  const Tensor distance = abs(sub(input, target));
  const Tensor near = mul(square(distance), 0.5);
  const Tensor far = mul(sub(distance, 0.5 * delta), delta);
  return reduced(where(le(distance, delta), near, far), reduction);
}

Tensor smooth_l1_loss(const Tensor& input, const Tensor& target, Reduction reduction, double beta) {
  OA_REQUIRE(beta >= 0, "smooth_l1_loss: beta must not be negative, was ", beta);
  if (beta == 0) return l1_loss(input, target, reduction);
  return div(huber_loss(input, target, reduction, beta), beta);
}

Tensor nll_loss(const Tensor& log_probabilities, const Tensor& target, Reduction reduction) {
  OA_REQUIRE(log_probabilities.dim() == 2 && target.dim() == 1,
             "nll_loss: expected [n, c] and [n], was ", log_probabilities.sizes(), " and ",
             target.sizes());
  return reduced(neg(squeeze(gather(log_probabilities, 1, unsqueeze(target, 1)), 1)), reduction);
}

Tensor cross_entropy(const Tensor& logits, const Tensor& target, Reduction reduction) {
  return nll_loss(log_softmax(logits, -1), target, reduction);
}

Tensor binary_cross_entropy_with_logits(const Tensor& logits, const Tensor& target,
                                        Reduction reduction) {
  return reduced(sub(softplus(logits), mul(logits, target)), reduction);
}

}  // namespace oneagent
