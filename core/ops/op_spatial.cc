#include "core/ops/op_spatial.h"

#include "core/ops/view.h"

namespace oneagent {

Shape spatial_list(const char* op, const char* what, const Shape& list, size_t dims) {
  if (list.size() == dims) return list;
  OA_REQUIRE(list.size() == 1, op, ": ", what, " must be one value or ", dims, " values, was ",
             list);
  Shape out;
  for (size_t i = 0; i < dims; ++i) out.push_back(list[0]);
  return out;
}

void fill_three(const Shape& list, int64_t fill, int64_t* to) {
  const size_t missing = 3 - list.size();
  for (size_t i = 0; i < 3; ++i) to[i] = i < missing ? fill : list[i - missing];
}

Tensor with_batch(const char* op, const Tensor& input, size_t dims) {
  const auto rank = static_cast<size_t>(input.dim());
  OA_REQUIRE(rank == dims + 1 || rank == dims + 2, op, ": expected ", dims + 1, " or ", dims + 2,
             " dimensions, was shape ", input.sizes());
  return rank == dims + 2 ? input : unsqueeze(input, 0);
}

Tensor without_batch(const Tensor& result, const Tensor& input, size_t dims) {
  return static_cast<size_t>(input.dim()) == dims + 2 ? result : squeeze(result, 0);
}

}  // namespace oneagent
