// Tensor: a strided array of f32, f64, i64, i32, u8 or bool with shared, mutable storage. A handle
// copies like a pointer; views (narrow, transpose, view, expand ...) share memory with their base.
// Names, argument order and defaults follow libtorch. Methods that compute are defined in core/ops;
// each free function of the same name is documented in the op's header. A tensor may be read from
// many threads at once; writing needs one owner.
#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "core/tensor/generator.h"
#include "core/tensor/options.h"
#include "core/tensor/scalar.h"
#include "core/tensor/tensor_impl.h"

namespace oneagent {

class Tensor {
 public:
  Tensor() = default;  // undefined
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}

  bool defined() const { return static_cast<bool>(impl_); }
  void reset() { impl_.reset(); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  TensorImpl& impl() const { return *impl_; }
  const Ref<TensorImpl>& ref() const { return impl_; }

  // Shape, type, place
  const Shape& sizes() const { return impl_->meta.sizes; }
  const Shape& strides() const { return impl_->meta.strides; }
  int64_t size(int64_t dim) const;  // dim may be negative; an Error names the valid range
  int64_t stride(int64_t dim) const;
  int64_t dim() const { return static_cast<int64_t>(impl_->meta.sizes.size()); }
  int64_t numel() const { return impl_->numel; }
  int64_t storage_offset() const { return impl_->meta.offset; }
  size_t element_size() const { return size_of(dtype()); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  DType dtype() const { return impl_->meta.dtype; }
  DType scalar_type() const { return dtype(); }
  Device device() const { return impl_->meta.device; }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()); }
  bool is_contiguous() const { return impl_->contiguous; }
  bool is_floating_point() const { return oneagent::is_floating(dtype()); }
  bool is_view() const { return impl_->is_view; }

  // Memory. data_ptr<T>() checks the dtype; the elements are in row-major order only if
  // is_contiguous().
  void* data_ptr() const { return impl_->data(); }
  template <class T>
  T* data_ptr() const {
    OA_REQUIRE(dtype() == dtype_of<T>, "data_ptr: the tensor holds ", name_of(dtype()),
               ", asked for ", name_of(dtype_of<T>));
    return reinterpret_cast<T*>(impl_->data());
  }
  template <class T>
  std::span<T> values() const {  // all elements of a contiguous tensor
    OA_REQUIRE(is_contiguous(), "values: the tensor of shape ", sizes(), " with strides ",
               strides(), " is not contiguous");
    return {data_ptr<T>(), static_cast<size_t>(numel())};
  }
  template <class T = double>
  T item() const {  // the only element, converted to T
    return item_scalar().to<T>();
  }
  Scalar item_scalar() const;

  // Autograd
  bool requires_grad() const { return impl_->requires_grad || impl_->grad_fn; }
  const Tensor& requires_grad_(bool on = true) const;  // leaves only
  bool is_leaf() const { return !impl_->grad_fn; }
  Tensor grad() const { return Tensor(impl_->grad); }  // undefined before the first backward()
  void set_grad(const Tensor& grad) const { impl_->grad = grad.impl_; }
  uint32_t version() const { return impl_->storage->version(); }
  void backward(const Tensor& gradient = {}, bool retain_graph = false,
                bool create_graph = false) const;
  Tensor detach() const;  // same memory, no graph

  // Conversion and copies
  Tensor to(DType dtype) const;
  Tensor to(Device device) const;
  Tensor clone() const;
  Tensor contiguous() const;
  const Tensor& copy_(const Tensor& source) const;  // broadcasts and converts

  // Views
  Tensor view(const Shape& sizes) const;
  Tensor reshape(const Shape& sizes) const;
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor t() const;
  Tensor permute(const Shape& dims) const;
  Tensor expand(const Shape& sizes) const;
  Tensor expand_as(const Tensor& other) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor slice(int64_t dim, int64_t start, int64_t end, int64_t step = 1) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor operator[](int64_t index) const { return select(0, index); }

  // Elementwise
  Tensor add(const Tensor& other) const;
  Tensor add(Scalar other) const;
  Tensor sub(const Tensor& other) const;
  Tensor sub(Scalar other) const;
  Tensor mul(const Tensor& other) const;
  Tensor mul(Scalar other) const;
  Tensor div(const Tensor& other) const;
  Tensor div(Scalar other) const;
  Tensor pow(Scalar exponent) const;
  Tensor pow(const Tensor& exponent) const;
  Tensor neg() const;
  Tensor abs() const;
  Tensor exp() const;
  Tensor log() const;
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor square() const;
  Tensor tanh() const;
  Tensor sigmoid() const;
  Tensor relu() const;
  Tensor clamp(std::optional<Scalar> min = std::nullopt,
               std::optional<Scalar> max = std::nullopt) const;
  Tensor minimum(const Tensor& other) const;
  Tensor maximum(const Tensor& other) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  Tensor logical_not() const;
  Tensor logical_and(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  Tensor eq(const Tensor& other) const;
  Tensor ne(const Tensor& other) const;
  Tensor lt(const Tensor& other) const;
  Tensor le(const Tensor& other) const;
  Tensor gt(const Tensor& other) const;
  Tensor ge(const Tensor& other) const;
  Tensor eq(Scalar other) const;
  Tensor ne(Scalar other) const;
  Tensor lt(Scalar other) const;
  Tensor le(Scalar other) const;
  Tensor gt(Scalar other) const;
  Tensor ge(Scalar other) const;

  // Reductions
  Tensor sum() const;
  Tensor sum(int64_t dim, bool keepdim = false) const { return sum(Shape{dim}, keepdim); }
  Tensor sum(const Shape& dims, bool keepdim = false) const;
  Tensor mean() const;
  Tensor mean(int64_t dim, bool keepdim = false) const { return mean(Shape{dim}, keepdim); }
  Tensor mean(const Shape& dims, bool keepdim = false) const;
  Tensor max() const;
  Tensor min() const;
  std::tuple<Tensor, Tensor> max(int64_t dim,
                                 bool keepdim = false) const;  // values, int64 indices of the first
  std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
  Tensor argmax(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor argmin(std::optional<int64_t> dim = std::nullopt, bool keepdim = false) const;
  Tensor var(bool unbiased = true) const;
  Tensor var(int64_t dim, bool unbiased = true, bool keepdim = false) const;
  Tensor std(bool unbiased = true) const;
  Tensor std(int64_t dim, bool unbiased = true, bool keepdim = false) const;
  Tensor norm() const;  // Euclidean, of all elements
  Tensor any() const;
  Tensor all() const;
  Tensor logsumexp(int64_t dim, bool keepdim = false) const;
  Tensor softmax(int64_t dim) const;
  Tensor log_softmax(int64_t dim) const;
  Tensor cumsum(int64_t dim) const;

  // Matrices and indexing
  Tensor matmul(const Tensor& other) const;
  Tensor mm(const Tensor& other) const;
  Tensor bmm(const Tensor& other) const;
  Tensor gather(int64_t dim, const Tensor& index) const;
  Tensor scatter(int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor scatter_add(int64_t dim, const Tensor& index, const Tensor& source) const;
  Tensor index_select(int64_t dim, const Tensor& index) const;

  // In place. Each bumps the version; a leaf that requires a gradient refuses outside NoGradGuard.
  const Tensor& add_(const Tensor& other) const;
  const Tensor& add_(Scalar other) const;
  const Tensor& sub_(const Tensor& other) const;
  const Tensor& sub_(Scalar other) const;
  const Tensor& mul_(const Tensor& other) const;
  const Tensor& mul_(Scalar other) const;
  const Tensor& div_(const Tensor& other) const;
  const Tensor& div_(Scalar other) const;
  const Tensor& clamp_(std::optional<Scalar> min, std::optional<Scalar> max = std::nullopt) const;
  const Tensor& fill_(Scalar value) const;
  const Tensor& zero_() const;
  const Tensor& uniform_(double low, double high, Generator& generator) const;
  const Tensor& normal_(double mean, double deviation, Generator& generator) const;
  const Tensor& operator+=(const Tensor& other) const { return add_(other); }
  const Tensor& operator-=(const Tensor& other) const { return sub_(other); }
  const Tensor& operator*=(const Tensor& other) const { return mul_(other); }
  const Tensor& operator/=(const Tensor& other) const { return div_(other); }
  const Tensor& operator+=(Scalar other) const { return add_(other); }
  const Tensor& operator-=(Scalar other) const { return sub_(other); }
  const Tensor& operator*=(Scalar other) const { return mul_(other); }
  const Tensor& operator/=(Scalar other) const { return div_(other); }

  std::string to_string() const;

 private:
  Ref<TensorImpl> impl_;
};

Tensor operator+(const Tensor& a, const Tensor& b);
Tensor operator+(const Tensor& a, Scalar b);
Tensor operator+(Scalar a, const Tensor& b);
Tensor operator-(const Tensor& a, const Tensor& b);
Tensor operator-(const Tensor& a, Scalar b);
Tensor operator-(Scalar a, const Tensor& b);
Tensor operator*(const Tensor& a, const Tensor& b);
Tensor operator*(const Tensor& a, Scalar b);
Tensor operator*(Scalar a, const Tensor& b);
Tensor operator/(const Tensor& a, const Tensor& b);
Tensor operator/(const Tensor& a, Scalar b);
Tensor operator/(Scalar a, const Tensor& b);
Tensor operator-(const Tensor& a);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, Scalar b);
Tensor operator!=(const Tensor& a, Scalar b);
Tensor operator<(const Tensor& a, Scalar b);
Tensor operator<=(const Tensor& a, Scalar b);
Tensor operator>(const Tensor& a, Scalar b);
Tensor operator>=(const Tensor& a, Scalar b);
Tensor operator!(const Tensor& a);
Tensor operator&&(const Tensor& a,
                  const Tensor& b) = delete;  // no short circuit: write a.logical_and(b)
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

// A tensor over memory of another owner; `deleter` runs when the last view of it is gone.
Tensor from_blob(void* data, const Shape& sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, const Shape& sizes, std::function<void(void*)> deleter,
                 const TensorOptions& options = {});

// New, uninitialised memory.
Tensor empty(const Shape& sizes, const TensorOptions& options = {});
Tensor empty_like(const Tensor& like);
Tensor empty_on(Stream& stream, const Shape& sizes, DType dtype);

// A view with its own shape over the same storage; no bounds are checked.
Tensor alias_of(const Tensor& base, const TensorMeta& meta);

int64_t wrap_dim(int64_t dim, int64_t rank, const char* where);

}  // namespace oneagent
