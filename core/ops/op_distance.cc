#include <cmath>

#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/distance.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

Tensor norm_along(const Tensor& x, double p, int64_t dim, bool keepdim) {
  const Shape dims{dim};
  if (p == 2) return sqrt(sum(square(x), dims, keepdim));
  if (p == 1) return sum(abs(x), dims, keepdim);
  if (p == 0) return sum(to(ne(x, 0.0), x.dtype()), dims, keepdim);
  if (std::isinf(p)) return p > 0 ? amax(abs(x), dims, keepdim) : amin(abs(x), dims, keepdim);
  return pow(sum(pow(abs(x), p), dims, keepdim), 1 / p);
}

}  // namespace

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  return norm_along(add(sub(x1, x2), eps), p, -1, keepdim);
}

// The bound on a length has no gradient of its own: lengths below it keep theirs.
Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const Shape sizes = broadcast_sizes("cosine_similarity", x1.sizes(), x2.sizes());
  const DType dtype = result_type(x1, x2);
  OA_REQUIRE(is_floating(dtype), "cosine_similarity: needs floating operands, was ",
             name_of(dtype));
  const Tensor a = to(expand(x1, sizes), dtype), b = to(expand(x2, sizes), dtype);
  const int64_t at = wrap_dim(dim, static_cast<int64_t>(sizes.size()), "cosine_similarity");
  const auto bounded = [&](const Tensor& x) {
    const Tensor length = norm_along(x, 2, at, true);
    const Tensor excess = sub(clamp(length.detach(), eps), length.detach());
    return add(length, excess);
  };
  return sum(mul(div(a, bounded(a)), div(b, bounded(b))), Shape{at});
}

}  // namespace oneagent
