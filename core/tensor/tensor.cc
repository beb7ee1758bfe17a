#include "core/tensor/tensor.h"

namespace oneagent {

int64_t wrap_dim(int64_t dim, int64_t rank, const char* where) {
  const int64_t range = std::max<int64_t>(rank, 1);
  OA_REQUIRE(dim >= -range && dim < range, where, ": dimension out of range (expected ", -range,
             " to ", range - 1, "), was ", dim);
  return dim < 0 ? dim + range : dim;
}

int64_t Tensor::size(int64_t dim) const {
  OA_REQUIRE(this->dim() > 0, "size: a 0-d tensor has no dimension ", dim);
  return sizes()[static_cast<size_t>(wrap_dim(dim, this->dim(), "size"))];
}

int64_t Tensor::stride(int64_t dim) const {
  OA_REQUIRE(this->dim() > 0, "stride: a 0-d tensor has no dimension ", dim);
  return strides()[static_cast<size_t>(wrap_dim(dim, this->dim(), "stride"))];
}

const Tensor& Tensor::requires_grad_(bool on) const {
  OA_REQUIRE(is_leaf() || on,
             "requires_grad_: only leaves can stop requiring a gradient; use detach()");
  OA_REQUIRE(!on || is_floating_point(),
             "requires_grad_: only floating tensors have gradients, was ", name_of(dtype()));
  if (is_leaf()) impl_->requires_grad = on;
  return *this;
}

Tensor Tensor::detach() const {
  auto impl = make_ref<TensorImpl>(impl_->meta, impl_->storage);
  impl->is_view = impl_->is_view;
  return Tensor(std::move(impl));
}

Scalar Tensor::item_scalar() const {
  OA_REQUIRE(numel() == 1, "item: expected one element, the tensor has shape ", sizes());
  Scalar value;
  with_any(dtype(), [&]<class T>(Type<T>) { value = *data_ptr<T>(); });
  return value;
}

Tensor from_blob(void* data, const Shape& sizes, std::function<void(void*)> deleter,
                 const TensorOptions& options) {
  const DType dtype = options.dtype_opt().value_or(DType::kFloat32);
  const size_t bytes = static_cast<size_t>(sizes.numel()) * size_of(dtype);
  auto storage = make_ref<Storage>(data, bytes, std::move(deleter));
  Tensor out(
      make_ref<TensorImpl>(TensorMeta{sizes, contiguous_strides(sizes), 0, dtype, options.device()},
                           std::move(storage)));
  if (options.requires_grad()) out.requires_grad_();
  return out;
}

Tensor from_blob(void* data, const Shape& sizes, const TensorOptions& options) {
  return from_blob(data, sizes, nullptr, options);
}

Tensor empty_on(Stream& stream, const Shape& sizes, DType dtype) {
  for (const int64_t size : sizes)
    OA_REQUIRE(size >= 0, "empty: sizes must not be negative, was ", sizes);
  auto storage = make_ref<Storage>(static_cast<size_t>(sizes.numel()) * size_of(dtype), stream);
  return Tensor(make_ref<TensorImpl>(
      TensorMeta{sizes, contiguous_strides(sizes), 0, dtype, stream.device()}, std::move(storage)));
}

Tensor alias_of(const Tensor& base, const TensorMeta& meta) {
  auto impl = make_ref<TensorImpl>(meta, base.impl().storage);
  impl->is_view = true;
  return Tensor(std::move(impl));
}

}  // namespace oneagent
