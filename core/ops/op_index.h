// What gather, scatter and their relatives check alike.
#pragma once

#include "core/kernels/combine.h"
#include "core/ops/op.h"

namespace oneagent {

void require_int64_index(const char* op, const TensorMeta& index);

// 0-d shapes count as [1]. Every size of the index fits in the operand, except along dim; dim < 0:
// along all.
void require_index_fits(const char* op, const Shape& index, const Shape& operand, int64_t dim);

// A rule in which the indexed dimension is closed and has its own letter on the index side:
// "abc,azc->azc;abcz" for gather; all dimensions closed for scatter.
std::string gather_rule(Metas in, const Attrs& attrs);
std::string scatter_rule(Metas in, const Attrs& attrs);

// The ways to reduce, by number in attrs: sum, prod, mean, amax, amin.
enum class WriteReduction : uint8_t { kSum, kProd, kMean, kAmax, kAmin };
WriteReduction parse_reduction(const char* op, std::string_view name);

// A 0-d tensor without a graph.
Tensor one_value(Stream& stream, DType dtype, Scalar value);

// What a reduction starts from where the element's own value does not count, and how it goes on.
Scalar start_of(WriteReduction reduction, DType dtype);
Combine combine_of(WriteReduction reduction);

// out = out / how many values met in each element, at least 1; integers are rounded down. Both are
// contiguous.
void divide_by_count(const Tensor& out, const Tensor& count);

// How the gradient of a reducing write is put together, from the forms of one family.
struct ReducingWrite {
  Tensor (*read)(const Tensor& x, int64_t dim, const Tensor& index);
  Tensor (*add)(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source);
  Tensor (*reduce)(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source,
                   WriteReduction reduction, bool include_self);
  Tensor (*fill)(const Tensor& x, int64_t dim, const Tensor& index);  // with 0
};

// Sets the gradients of inputs 0 (self) and 2 (source) of an op of (self, index, source) with attrs
// (dim, reduction, include_self) that saves all inputs and its result. After
// scatter_reduce_backward and index_reduce_backward of libtorch.
void reducing_write_vjp(VjpCall& call, const ReducingWrite& family);

}  // namespace oneagent
