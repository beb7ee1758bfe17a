// A tensor some of whose dimensions are addressed by integer tensors: what index_select, index_add,
// index and index_put read and write.
#pragma once

#include <array>

#include "core/kernels/combine.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// The result's shape: the first `before` dimensions of the operand that are not addressed, then
// the shape that the indices have together, then the other dimensions that are not addressed.
struct Indexed {
  const char* op = "";  // for errors
  Tensor operand;       // 0-d operands count as 1-d
  bool wraps = true;    // negative indices count from the end
  size_t before = 0;
  Shape index_sizes;
  std::array<Tensor, Shape::kMaxRank> index;  // int64 or int32, by dimension; undefined where the
                                              // dimension is not addressed

  Shape result_sizes() const;
};

// One dimension addressed by a 0-d or 1-d index.
Indexed indexed_along(const char* op, const Tensor& operand, int64_t dim, const Tensor& index,
                      bool wraps = false);

// out, contiguous, = the indexed elements.
void run_index(Stream& stream, const Tensor& out, const Indexed& indexed);

// The indexed elements = (or +=, ...) values, which are broadcast to the result's shape. With kAdd
// and alpha: += alpha * values.
void run_index_put(Stream& stream, const Indexed& indexed, const Tensor& values, Combine how,
                   Scalar alpha = 1);

}  // namespace oneagent
