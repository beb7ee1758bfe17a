// Pieces that reductions and ops along one dimension share: normal forms of dimensions, sharding
// rules, and gradients back in the operand's shape.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/op.h"

namespace oneagent {

// Of ops over several dimensions: non-negative and sorted.
inline constexpr AttrSpec kDimsAttrs[] = {{"dims", AttrKind::kInts}, {"keepdim", AttrKind::kBool}};
inline Attrs dims_attrs(const Shape& dims, bool keepdim) { return Attrs().add(dims).add(keepdim); }
// Of ops along one; a 0-d tensor has dimension 0.
inline constexpr AttrSpec kDimAttrs[] = {{"dim", AttrKind::kInt}, {"keepdim", AttrKind::kBool}};
inline constexpr AttrSpec kAlongAttrs[] = {{"dim", AttrKind::kInt}};

// Non-negative, sorted, all when empty; an Error where one appears twice.
Shape normal_dims(const char* op, const Tensor& x, const Shape& dims);
inline Shape normal_dims(const char* op, const Tensor& x, const OptionalShape& dims) {
  return normal_dims(op, x, dims.has_value() ? *dims : Shape{});
}
// The list of one dimension, empty for a 0-d tensor.
Shape one_dim(const TensorMeta& x, int64_t dim);

// How many elements of x each result has.
double count_of(const Shape& sizes, const Shape& dims);

double reduce_flops(Metas in, const Attrs&, const Inferred&);

// "abc->ac": the reduced letters are on the left only; `results` times.
std::string reduce_rule(const Shape& sizes, const Shape& dims, bool keepdim, int results = 1);
// The same where parts of a reduced dimension cannot be joined by a sum, maximum or minimum.
std::string whole_reduce_rule(const Shape& sizes, const Shape& dims, bool keepdim, int results = 1);
// "abc,abc->abc;b" along dim.
std::string along_rule(const Shape& sizes, int64_t dim, int operands = 1, int results = 1);

// A reduced tensor, back in the operand's shape (expanded, without copy).
Tensor spread(const Tensor& reduced, const Shape& sizes, const Shape& dims);

// The gradient of picking elements along dim: zeros of `sizes` but for `index`.
Tensor put_back(const Tensor& gradient, const Shape& sizes, int64_t dim, const Tensor& index,
                bool keepdim);

// Integers and bool as int64.
Tensor as_summand(const Tensor& x, std::optional<DType> dtype);

}  // namespace oneagent
