#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/creation.h"
#include "core/ops/expand.h"
#include "core/ops/masked.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void require_some(const char* op, const std::vector<Tensor>& tensors) {
  OA_REQUIRE(!tensors.empty(), op, ": needs at least one tensor");
}

}  // namespace

Tensor hstack(const std::vector<Tensor>& tensors) {
  require_some("hstack", tensors);
  const std::vector<Tensor> raised = atleast_1d(tensors);
  return cat(raised, raised[0].dim() == 1 ? 0 : 1);
}
Tensor vstack(const std::vector<Tensor>& tensors) {
  require_some("vstack", tensors);
  return cat(atleast_2d(tensors), 0);
}
Tensor row_stack(const std::vector<Tensor>& tensors) { return vstack(tensors); }
Tensor dstack(const std::vector<Tensor>& tensors) {
  require_some("dstack", tensors);
  return cat(atleast_3d(tensors), 2);
}
Tensor column_stack(const std::vector<Tensor>& tensors) {
  require_some("column_stack", tensors);
  std::vector<Tensor> columns;
  for (const Tensor& tensor : tensors)
    columns.push_back(tensor.dim() <= 1 ? reshape(tensor, {tensor.numel(), 1}) : tensor);
  return hstack(columns);
}

Tensor cartesian_prod(const std::vector<Tensor>& tensors) {
  require_some("cartesian_prod", tensors);
  for (const Tensor& tensor : tensors)
    OA_REQUIRE(tensor.dim() == 1, "cartesian_prod: expected 1-d tensors, was shape ",
               tensor.sizes());
  if (tensors.size() == 1) return tensors[0];
  std::vector<Tensor> columns;
  for (const Tensor& grid : meshgrid(tensors, "ij")) columns.push_back(reshape(grid, {-1}));
  return stack(columns, 1);
}

Tensor combinations(const Tensor& self, int64_t r, bool with_replacement) {
  OA_REQUIRE(self.dim() == 1, "combinations: expected a 1-d tensor, was shape ", self.sizes());
  OA_REQUIRE(r >= 0, "combinations: r must not be negative, was ", r);
  if (r == 0) return zeros({0}, self.options());
  const auto count = static_cast<size_t>(r);
  const std::vector<Tensor> places =
      meshgrid(std::vector<Tensor>(count, arange(self.numel(), DType::kInt64)), "ij");
  Tensor mask = ones(Shape(std::vector<int64_t>(count, self.numel())), DType::kBool);
  for (size_t i = 0; i + 1 < count; ++i)
    mask = logical_and(
        mask, with_replacement ? le(places[i], places[i + 1]) : lt(places[i], places[i + 1]));
  std::vector<Tensor> columns;
  for (const Tensor& grid : meshgrid(std::vector<Tensor>(count, self), "ij"))
    columns.push_back(masked_select(grid, mask));
  return stack(columns, 1);
}

}  // namespace oneagent
