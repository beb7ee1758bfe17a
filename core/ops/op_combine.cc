// Combinations are picked by index; they need no record.
#include "core/ops/cat.h"
#include "core/ops/combine.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// Rising (or not falling) lists of r of n indices, one after the other.
std::vector<int64_t> index_lists(int64_t n, int64_t r, bool with_replacement) {
  std::vector<int64_t> out, list(static_cast<size_t>(r));
  for (size_t i = 0; i < list.size(); ++i) list[i] = with_replacement ? 0 : static_cast<int64_t>(i);
  if (n == 0 || (!with_replacement && r > n)) return out;
  while (true) {
    out.insert(out.end(), list.begin(), list.end());
    size_t at = list.size();
    for (; at > 0; --at) {
      const int64_t rest = static_cast<int64_t>(list.size() - at);
      if (list[at - 1] < n - 1 - (with_replacement ? 0 : rest)) break;
    }
    if (at == 0) return out;
    ++list[at - 1];
    for (size_t i = at; i < list.size(); ++i) list[i] = list[i - 1] + (with_replacement ? 0 : 1);
  }
}

}  // namespace

Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  OA_REQUIRE(!tensors.empty(), "cartesian_prod: needs at least one tensor");
  for (const Tensor& x : tensors)
    OA_REQUIRE(x.dim() == 1, "cartesian_prod: needs 1-d tensors, one was ", x.sizes());
  if (tensors.size() == 1) return tensors[0];
  int64_t total = 1;
  for (const Tensor& x : tensors) total *= x.numel();
  std::vector<Tensor> columns;
  int64_t before = 1;
  for (const Tensor& x : tensors) {
    const int64_t n = x.numel(), after = before * n == 0 ? 0 : total / (before * n);
    columns.push_back(reshape(expand(view(x, {1, n, 1}), {before, n, after}), {total}));
    before *= n;
  }
  return stack(columns, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  OA_REQUIRE(self.dim() == 1, "combinations: needs a 1-d tensor, was ", self.sizes());
  OA_REQUIRE(r >= 0, "combinations: r must not be negative, was ", r);
  if (r == 0) return empty({0}, self.options());
  const std::vector<int64_t> lists = index_lists(self.numel(), r, with_replacement);
  const Tensor index = tensor(lists, kInt64);
  return view(index_select(self, 0, index), {index.numel() / r, r});
}

}  // namespace oneagent
