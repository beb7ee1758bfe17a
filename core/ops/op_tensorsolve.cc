#include <algorithm>

#include "core/ops/solve.h"
#include "core/ops/tensorsolve.h"
#include "core/ops/view.h"

namespace oneagent {

Tensor linalg_tensorinv(const Tensor& self, int64_t ind) {
  OA_REQUIRE(ind > 0 && ind <= self.dim(),
             "linalg.tensorinv: expected a strictly positive integer for 'ind' of at most the ",
             self.dim(), " dimensions, was ", ind);
  const Shape& sizes = self.sizes();
  const auto at = static_cast<size_t>(ind);
  const Shape first(std::span(sizes.data(), at));
  Shape out(std::span(sizes.data() + at, sizes.size() - at));
  const int64_t n = out.numel();
  OA_REQUIRE(first.numel() == n,
             "linalg.tensorinv: expected self to satisfy the requirement prod(self.shape[ind:]) == "
             "prod(self.shape[:ind]), but got ",
             n, " != ", first.numel());
  for (const int64_t size : first) out.push_back(size);
  return reshape(linalg_inv(reshape(self, {n, n})), out);
}

Tensor linalg_tensorsolve(const Tensor& self, const Tensor& other, OptionalShape dims) {
  Tensor a = self;
  if (dims) {
    Shape order, last;
    for (const int64_t dim : *dims) last.push_back(wrap_dim(dim, self.dim(), "linalg.tensorsolve"));
    for (int64_t d = 0; d < self.dim(); ++d)
      if (std::find(last.begin(), last.end(), d) == last.end()) order.push_back(d);
    for (const int64_t dim : last) order.push_back(dim);
    a = permute(self, order);
  }
  OA_REQUIRE(other.dim() <= a.dim(), "linalg.tensorsolve: other of shape ", other.sizes(),
             " has more dimensions than self of shape ", self.sizes());
  const auto at = static_cast<size_t>(other.dim());
  const Shape out(std::span(a.sizes().data() + at, a.sizes().size() - at));
  const int64_t n = out.numel();
  OA_REQUIRE(other.numel() == n && a.numel() == n * n,
             "linalg.tensorsolve: expected self to satisfy the requirement "
             "prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), was ",
             self.sizes(), " and ", other.sizes());
  return reshape(linalg_solve(reshape(a, {n, n}), reshape(other, {n})), out);
}

}  // namespace oneagent
