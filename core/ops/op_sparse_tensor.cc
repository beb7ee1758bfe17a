// Making, taking apart and converting sparse tensors.
#include "core/ops/op_sparse.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

Tensor checked_indices(const Tensor& indices) {
  OA_REQUIRE(indices.dim() == 2,
             "sparse_coo_tensor: indices must be sparse_dim x nnz, but got: ", indices.sizes());
  OA_REQUIRE(is_integral(indices.dtype()),
             "sparse_coo_tensor: indices must be an int64 tensor, was ", name_of(indices.dtype()));
  return to(indices, kInt64);
}

Tensor checked_values(const Tensor& indices, const Tensor& values, const TensorOptions& options) {
  OA_REQUIRE(values.dim() > 0 && values.size(0) == indices.size(1),
             "sparse_coo_tensor: indices and values must have same nnz, but got nnz from indices: ",
             indices.size(1), ", values of shape ", values.sizes());
  return to(values, options.dtype_opt().value_or(values.dtype()));
}

// The largest coordinate of each sparse dimension, plus one.
Shape covering_sizes(const Tensor& indices, const Tensor& values) {
  Shape sizes;
  for (int64_t d = 0; d < indices.size(0); ++d)
    sizes.push_back(indices.size(1) == 0 ? 0 : max(indices[d]).item<int64_t>() + 1);
  for (size_t d = 1; d < values.sizes().size(); ++d) sizes.push_back(values.sizes()[d]);
  return sizes;
}

void check_coordinates(const Tensor& indices, const Shape& sizes) {
  const Tensor rows = indices.contiguous();
  const int64_t n = rows.size(1);
  for (int64_t d = 0; d < rows.size(0); ++d)
    for (int64_t i = 0; i < n; ++i) {
      const int64_t at = rows.data_ptr<int64_t>()[d * n + i], size = sizes[static_cast<size_t>(d)];
      OA_REQUIRE(at >= 0, "sparse_coo_tensor: found negative index ", at, " for dim ", d);
      OA_REQUIRE(at < size, "sparse_coo_tensor: size is inconsistent with indices: for dim ", d,
                 ", size is ", size, " but found index ", at);
    }
}

Tensor with_gradient(Tensor out, const TensorOptions& options) {
  OA_REQUIRE(!options.requires_grad(),
             "sparse_coo_tensor: gradients flow through values; let those require one");
  return out;
}

const SparseParts& coalesced_parts(const Tensor& x, const char* what) {
  const SparseParts& parts = sparse_parts(x);
  OA_REQUIRE(parts.coalesced, "Cannot get ", what,
             " on an uncoalesced tensor, please call .coalesce() first");
  return parts;
}

}  // namespace

Tensor _sparse_coo_tensor_unsafe(const Tensor& indices, const Tensor& values, const Shape& size,
                                 const TensorOptions& options) {
  return make_sparse(indices, to(values, options.dtype_opt().value_or(values.dtype())), size);
}
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values, const Shape& size,
                         const TensorOptions& options) {
  const Tensor index = checked_indices(indices), held = checked_values(index, values, options);
  const auto rank = static_cast<size_t>(index.size(0));
  OA_REQUIRE(size.size() == rank + held.sizes().size() - 1,
             "sparse_coo_tensor: number of dimensions must be sparse_dim (", rank,
             ") + dense_dim (", held.sizes().size() - 1, "), but got ", size.size());
  for (size_t d = rank; d < size.size(); ++d)
    OA_REQUIRE(size[d] == held.sizes()[d - rank + 1], "sparse_coo_tensor: values of shape ",
               held.sizes(), " do not fit the size ", size);
  check_coordinates(index, size);
  return with_gradient(make_sparse(index, held, size), options);
}
Tensor sparse_coo_tensor(const Tensor& indices, const Tensor& values,
                         const TensorOptions& options) {
  const Tensor index = checked_indices(indices), held = checked_values(index, values, options);
  return sparse_coo_tensor(index, held, covering_sizes(index, held), options);
}
Tensor sparse_coo_tensor(const Shape& size, const TensorOptions& options) {
  const auto rank = static_cast<int64_t>(size.size());
  return with_gradient(
      make_sparse(zeros({rank, 0}, kInt64), zeros({0}, options.dtype()), size, true), options);
}

Tensor Tensor::_indices() const { return sparse_parts(*this).indices; }
Tensor Tensor::_values() const { return sparse_parts(*this).values; }
Tensor Tensor::indices() const { return coalesced_parts(*this, "indices").indices; }
Tensor Tensor::values() const { return coalesced_parts(*this, "values").values; }
int64_t Tensor::_nnz() const { return sparse_parts(*this).indices.size(1); }
int64_t Tensor::sparse_dim() const { return sparse_parts(*this).indices.size(0); }
int64_t Tensor::dense_dim() const { return dim() - sparse_dim(); }
bool Tensor::is_coalesced() const { return sparse_parts(*this).coalesced; }
Tensor Tensor::coalesce() const { return coalesced(*this); }
Tensor& Tensor::_coalesced_(bool coalesced) const {
  sparse_parts(*this).coalesced = coalesced;
  return const_cast<Tensor&>(*this);
}

Tensor Tensor::to_dense(std::optional<DType> dtype) const {
  const Tensor dense = is_sparse() ? dense_of(*this) : *this;
  return dtype ? oneagent::to(dense, *dtype) : dense;
}
Tensor Tensor::to_sparse() const { return is_sparse() ? *this : to_sparse(dim()); }
Tensor Tensor::to_sparse(int64_t sparse_dim) const {
  OA_REQUIRE(!is_sparse() && sparse_dim > 0 && sparse_dim <= dim(), "to_sparse: a dense tensor of ",
             dim(), " dimensions has 1 to ", dim(), " sparse ones, was ", sparse_dim);
  Tensor any = oneagent::ne(detach(), 0);
  if (sparse_dim < dim()) any = oneagent::any(oneagent::flatten(any, sparse_dim), -1);
  std::vector<std::optional<Tensor>> places;
  const Tensor at = oneagent::t(oneagent::nonzero(any)).contiguous();
  for (int64_t d = 0; d < sparse_dim; ++d) places.emplace_back(at[d]);
  return make_sparse(at, oneagent::index(*this, places), sizes(), true);
}

Tensor _sparse_sum(const Tensor& self) { return sum(sparse_parts(self).values); }
Tensor _sparse_sum(const Tensor& self, DType dtype) {
  return sum(sparse_parts(self).values, dtype);
}
Tensor _sparse_sum(const Tensor& self, const Shape& dim) {
  const SparseParts& parts = sparse_parts(self);
  const auto rank = static_cast<size_t>(parts.indices.size(0));
  std::vector<bool> gone(self.sizes().size(), false);
  for (const int64_t d : dim) gone[static_cast<size_t>(wrap_dim(d, self.dim(), "sum"))] = true;
  std::vector<Tensor> rows;
  Shape sizes, inner;
  for (size_t d = 0; d < gone.size(); ++d) {
    if (gone[d] && d >= rank) inner.push_back(static_cast<int64_t>(d - rank + 1));
    if (gone[d]) continue;
    sizes.push_back(self.sizes()[d]);
    if (d < rank) rows.push_back(parts.indices[static_cast<int64_t>(d)]);
  }
  const Tensor values = inner.empty() ? parts.values : sum(parts.values, inner);
  if (rows.empty()) return sum(values, Shape{0});
  return coalesced(make_sparse(stack(rows), values, sizes, rows.size() == rank && parts.coalesced));
}

Tensor _sparse_mm(const Tensor& sparse, const Tensor& dense) {
  return sparse_product(sparse, dense);
}
Tensor sparse_mask(const Tensor& self, const Tensor& mask) {
  const Tensor values = values_at(self, mask);
  return make_sparse(mask._indices(), values, mask.sizes(), mask.is_coalesced());
}

}  // namespace oneagent
