// Covariances are made of products of matrices; they need no record.
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/covariance.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void check_weights(const Tensor& weights, int64_t observations, bool integral) {
  OA_REQUIRE(weights.dim() <= 1 && weights.numel() == observations,
             "cov: expected a weight for each of ", observations, " observations, were ",
             weights.sizes());
  OA_REQUIRE(is_integral(weights.dtype()) == integral,
             "cov: ", integral ? "fweights must be integers" : "aweights must be floating",
             ", were ", name_of(weights.dtype()));
  OA_REQUIRE(observations == 0 || min(weights).item<double>() >= 0,
             "cov: weights must not be negative");
}

}  // namespace

Tensor cov(const Tensor& self, int64_t correction, const std::optional<Tensor>& fweights,
           const std::optional<Tensor>& aweights) {
  OA_REQUIRE(self.dim() <= 2, "cov: needs at most two dimensions, shape ", self.sizes());
  OA_REQUIRE(self.dtype() != DType::kBool, "cov: has no meaning for bool");
  const Tensor x = self.dim() < 2 ? reshape(self, {1, -1}) : self;
  const int64_t observations = x.size(1);
  Tensor w;
  if (fweights) {
    check_weights(*fweights, observations, true);
    w = reshape(*fweights, {-1});
  }
  if (aweights) {
    check_weights(*aweights, observations, false);
    const Tensor a = reshape(*aweights, {-1});
    w = w.defined() ? mul(w, a) : a;
  }
  const Tensor total = w.defined() ? sum(w) : wrapped_scalar(observations, DType::kInt64);
  OA_REQUIRE(!w.defined() || total.item<double>() != 0, "cov: the weights sum to zero");
  const Tensor average = div(sum(w.defined() ? mul(x, w) : x, {1}, true), total);
  Tensor factor = sub(total, correction);
  if (aweights && correction != 0) {
    const Tensor squares = div(sum(mul(w, reshape(*aweights, {-1}))), total);
    factor = sub(total, mul(squares, correction));
  }
  if (factor.item<double>() < 0) factor = mul(factor, 0);
  const Tensor centred = sub(x, average);
  const Tensor products = mm(centred, t(w.defined() ? mul(centred, w) : centred));
  return squeeze(div(products, factor));
}

Tensor corrcoef(const Tensor& self) {
  OA_REQUIRE(self.dim() <= 2, "corrcoef: needs at most two dimensions, shape ", self.sizes());
  const Tensor c = cov(self);
  if (c.dim() == 0) return div(c, c);
  const int64_t n = c.size(0);
  const Tensor variances = slice(reshape(c, {-1}), 0, 0, n * n, n + 1);
  const Tensor deviations = sqrt(variances);
  return clamp(div(div(c, unsqueeze(deviations, 1)), unsqueeze(deviations, 0)), -1, 1);
}

}  // namespace oneagent
