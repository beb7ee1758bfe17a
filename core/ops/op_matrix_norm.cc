#include <cmath>
#include <limits>

#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/matrix_norm.h"
#include "core/ops/norm.h"
#include "core/ops/op_matrix.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/solve.h"
#include "core/ops/svd.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr const char* kName = "linalg.matrix_norm";

struct Dims {
  int64_t rows, columns;
};
Dims dims_of(const Tensor& x, const Shape& dim) {
  OA_REQUIRE(x.dim() >= 2, kName,
             ": the input tensor A must have at least 2 dimensions, was shape ", x.sizes());
  require_floating(kName, x.impl().meta);
  OA_REQUIRE(dim.size() == 2, kName, ": dim must name two dimensions, was ", dim);
  const Dims out{wrap_dim(dim[0], x.dim(), kName), wrap_dim(dim[1], x.dim(), kName)};
  OA_REQUIRE(out.rows != out.columns, kName, ": dims must be different, was ", dim);
  return out;
}

Tensor converted(const Tensor& x, std::optional<DType> dtype) {
  if (!dtype) return x;
  OA_REQUIRE(is_floating(*dtype), kName, ": dtype should be floating, was ", name_of(*dtype));
  return to(x, *dtype);
}

// The singular values of the matrices along dims, as the last dimension.
Tensor values_along(const Tensor& x, Dims dims) {
  Shape order;
  for (int64_t d = 0; d < x.dim(); ++d)
    if (d != dims.rows && d != dims.columns) order.push_back(d);
  order.push_back(dims.rows);
  order.push_back(dims.columns);
  return linalg_svdvals(permute(x, order));
}
Tensor with_kept(const Tensor& x, Dims dims, bool keepdim) {
  if (!keepdim) return x;
  const int64_t first = std::min(dims.rows, dims.columns);
  return unsqueeze(unsqueeze(x, first), std::max(dims.rows, dims.columns));
}
Tensor extreme(const Tensor& x, const Shape& dim, bool keepdim, bool largest) {
  return largest ? amax(x, dim, keepdim) : amin(x, dim, keepdim);
}

}  // namespace

Tensor linalg_matrix_norm(const Tensor& self, Scalar ord, const Shape& dim, bool keepdim,
                          std::optional<DType> dtype) {
  Dims dims = dims_of(self, dim);
  const Tensor x = converted(self, dtype);
  const double order = ord.number(), size = std::abs(order);
  OA_REQUIRE(size == 1 || size == 2 || std::isinf(size), kName, ": order ", order,
             " not supported");
  if (size == 2)
    return with_kept(extreme(values_along(x, dims), {-1}, false, order > 0), dims, keepdim);
  if (std::isinf(size)) std::swap(dims.rows, dims.columns);
  const Tensor sums = linalg_vector_norm(x, 1, Shape{dims.rows}, keepdim);
  const bool moved = !keepdim && dims.rows < dims.columns;
  return extreme(sums, {dims.columns - (moved ? 1 : 0)}, keepdim, order > 0);
}

Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord, const Shape& dim, bool keepdim,
                          std::optional<DType> dtype) {
  OA_REQUIRE(ord == "fro" || ord == "nuc", kName, ": order ", ord, " not supported");
  const Dims dims = dims_of(self, dim);
  const Tensor x = converted(self, dtype);
  if (ord == "fro") return linalg_vector_norm(x, 2, Shape{dims.rows, dims.columns}, keepdim);
  return with_kept(sum(values_along(x, dims), Shape{-1}), dims, keepdim);
}

Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord, OptionalShape dim,
                   bool keepdim, std::optional<DType> dtype) {
  if (ord) {
    OA_REQUIRE(dim ? dim->size() == 1 || dim->size() == 2 : self.dim() == 1 || self.dim() == 2,
               "linalg.norm: if dim is ",
               dim ? "specified, it must be of length 1 or 2"
                   : "not specified but ord is, the input must be 1D or 2D");
    if (dim ? dim->size() == 2 : self.dim() == 2)
      return linalg_matrix_norm(self, *ord, dim ? *dim : Shape{0, 1}, keepdim, dtype);
  }
  return linalg_vector_norm(self, ord.value_or(2), dim, keepdim, dtype);
}
Tensor linalg_norm(const Tensor& self, std::string_view ord, OptionalShape dim, bool keepdim,
                   std::optional<DType> dtype) {
  OA_REQUIRE(dim ? dim->size() == 1 || dim->size() == 2 : self.dim() == 2, "linalg.norm: ord ", ord,
             " needs two dimensions");
  return linalg_matrix_norm(self, ord, dim ? *dim : Shape{0, 1}, keepdim, dtype);
}

Tensor nuclear_norm(const Tensor& self, bool keepdim) {
  return nuclear_norm(self, {0, 1}, keepdim);
}
Tensor nuclear_norm(const Tensor& self, const Shape& dim, bool keepdim) {
  return linalg_matrix_norm(self, "nuc", dim, keepdim);
}
Tensor frobenius_norm(const Tensor& self) { return linalg_vector_norm(self); }
Tensor frobenius_norm(const Tensor& self, const Shape& dim, bool keepdim) {
  OA_REQUIRE(dim.size() <= 2, "frobenius_norm: expected at most 2 dimensions, was ", dim);
  return linalg_vector_norm(self, 2, dim.empty() ? OptionalShape() : OptionalShape(dim), keepdim);
}

namespace {

template <class Order>
Tensor cond_by_inverse(const Tensor& a, const Order& ord) {
  const auto [inverse, info] = linalg_inv_ex(a);
  const Tensor singular = unsqueeze(unsqueeze(ne(info, 0), -1), -1);
  const Tensor safe = masked_fill(inverse, singular, std::numeric_limits<double>::infinity());
  const Tensor out = mul(linalg_matrix_norm(a, ord), linalg_matrix_norm(safe, ord));
  return masked_fill(out, isnan(out), std::numeric_limits<double>::infinity());
}

}  // namespace

Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p) {
  matrix::require_matrix("linalg.cond", self.impl().meta);
  const double order = p ? p->number() : 2.0;
  if (self.numel() == 0) return zeros(matrix::batch_sizes(self.sizes()), self.dtype());
  if (std::abs(order) == 2.0) {
    const Tensor values = linalg_svdvals(self);
    const Tensor largest = select(values, -1, 0), smallest = select(values, -1, -1);
    return order > 0 ? div(largest, smallest) : div(smallest, largest);
  }
  matrix::require_square("linalg.cond", self.impl().meta);
  return cond_by_inverse(self, Scalar(order));
}
Tensor linalg_cond(const Tensor& self, std::string_view p) {
  matrix::require_square("linalg.cond", self.impl().meta);
  if (self.numel() == 0) return zeros(matrix::batch_sizes(self.sizes()), self.dtype());
  return cond_by_inverse(self, p);
}

}  // namespace oneagent
