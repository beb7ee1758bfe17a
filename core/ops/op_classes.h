// Operands of losses of classes: x as [n, classes, inner], targets as [n, inner].
#pragma once

#include "core/ops/op.h"

namespace oneagent {

struct Classes {
  int64_t n = 1, classes = 1, inner = 1;
  int64_t rows() const { return n * inner; }
};

// Checks x [c] or [n, c, ...], target int64 without the dimension of classes, weight [c] or none.
Classes classes_of(const char* op, const TensorMeta& x, const TensorMeta& target,
                   const TensorMeta* weight);
Shape without_classes(const Shape& x);
inline int64_t class_dim(const Shape& x) { return x.size() == 1 ? 0 : 1; }

// An Error names the first target that is neither a class nor `ignore_index`.
void require_targets(const char* op, const Tensor& target, int64_t classes, int64_t ignore_index);

// For compositions: 1 where the target counts, else 0, as `dtype`; targets with 0 for those that do
// not; the weight of each target (0 where it does not count); its one-hot form in x's shape.
Tensor counted(const Tensor& target, int64_t ignore_index, DType dtype);
Tensor safe_target(const Tensor& target, int64_t ignore_index);
Tensor target_weights(const Tensor& target, const Tensor& weight, int64_t ignore_index,
                      DType dtype);
Tensor one_hot_like(const Tensor& x, const Tensor& target, int64_t ignore_index);
Tensor along_classes(const Tensor& weight, const Shape& x);  // [c] -> [1, c, 1 ...]

// "abc,ac,b->": the letters of x, target, weight and the loss.
std::string classes_rule(Metas in, bool reduced, size_t x_at = 0);

}  // namespace oneagent
