// Tensor: a strided array with shared, mutable storage. A handle copies like a pointer; views
// (narrow, transpose, view, expand ...) share memory with their base. Names, argument order and
// defaults follow libtorch. Methods that compute are generated from the headers of core/ops
// (core/ops/api.h); each is documented there. A tensor may be read from many threads at once;
// writing needs one owner.
#pragma once

#include <cstring>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/base/array_ref.h"
#include "core/base/optional_shape.h"
#include "core/tensor/generator.h"
#include "core/tensor/options.h"
#include "core/tensor/scalar.h"
#include "core/tensor/tensor_impl.h"

namespace oneagent {

class Tensor;
class DeprecatedTypeProperties;
template <class T>
struct DefaultPtrTraits;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits,
          class Index = int64_t>
class TensorAccessor;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits,
          class Index = int64_t>
class GenericPackedTensorAccessor;
namespace indexing {
struct TensorIndex;
}
namespace autograd {
class Node;
}

class Tensor {
 public:
  Tensor() = default;  // undefined
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}
  Tensor(const Tensor&) = default;
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(const Tensor&) & = default;
  Tensor& operator=(Tensor&&) & noexcept = default;
  // To a temporary, such as x[0]: its values are changed.
  Tensor& operator=(const Tensor& values) && { return copy_(values); }
  Tensor& operator=(Tensor&& values) && { return copy_(values); }
  Tensor& operator=(Scalar value) && { return fill_(value); }

  bool defined() const { return static_cast<bool>(impl_); }
  void reset() { impl_.reset(); }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }
  TensorImpl& impl() const { return checked(); }
  const Ref<TensorImpl>& ref() const { return impl_; }
  TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
  size_t use_count() const { return defined() ? impl_->use_count() : 0; }

  // Shape, type, place. An undefined tensor has no elements, sizes [0] and no type or device.
  const Shape& sizes() const { return described().meta.sizes; }
  const Shape& sym_sizes() const { return sizes(); }
  const Shape& strides() const { return checked().meta.strides; }
  int64_t size(int64_t dim) const;  // dim may be negative; an Error names the valid range
  int64_t stride(int64_t dim) const;
  int64_t dim() const { return static_cast<int64_t>(described().meta.sizes.size()); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return described().numel; }
  int64_t storage_offset() const { return described().meta.offset; }
  size_t element_size() const { return size_of(dtype()); }
  size_t itemsize() const { return element_size(); }
  size_t nbytes() const { return static_cast<size_t>(numel()) * element_size(); }
  TypeMeta dtype() const { return described().meta.dtype; }
  DeprecatedTypeProperties type() const;  // for printing and comparing
  DType scalar_type() const { return dtype(); }
  Layout layout() const { return is_sparse() ? kSparse : kStrided; }
  Device device() const { return checked().meta.device; }
  int64_t get_device() const { return device().index(); }
  TensorOptions options() const { return TensorOptions(dtype()).device(device()).layout(layout()); }
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const {
    return format == MemoryFormat::Contiguous ? described().contiguous : has_format(format);
  }
  bool is_non_overlapping_and_dense() const;
  MemoryFormat suggest_memory_format() const;
  bool is_floating_point() const { return oneagent::is_floating(dtype()); }
  bool is_complex() const { return oneagent::is_complex(dtype()); }
  bool is_conj() const { return false; }  // conj() is computed at once
  bool is_neg() const { return false; }
  bool has_names() const { return false; }  // dimensions have no names
  bool is_signed() const {
    const DType type = checked().meta.dtype;
    return type != DType::kUInt8 && type != DType::kBool;
  }
  bool is_cpu() const { return defined() && device().is_cpu(); }
  bool is_cuda() const { return defined() && device().is_cuda(); }
  bool is_meta() const { return false; }
  bool is_sparse() const { return described().sparse; }
  bool is_sparse_csr() const { return false; }
  bool is_quantized() const { return false; }
  bool is_pinned(std::optional<Device> = std::nullopt) const { return false; }
  bool is_view() const { return checked().is_view; }
  bool has_storage() const { return defined(); }
  bool is_alias_of(const Tensor& other) const { return impl().storage == other.impl().storage; }
  bool is_set_to(const Tensor& other) const;
  StorageHandle storage() const { return StorageHandle(impl().storage); }

  // Memory. data_ptr<T>() checks the dtype; the elements are in row-major order only if
  // is_contiguous().
  void* data_ptr() const { return impl().data(); }
  template <class T>
  T* data_ptr() const {
    if (dtype() != dtype_of<T>) [[unlikely]]
      throw_holds(dtype_of<T>);
    return reinterpret_cast<T*>(impl_->data());
  }
  template <class T>
  T* data() const {
    return data_ptr<T>();
  }
  template <class T>
  const T* const_data_ptr() const {
    return data_ptr<T>();
  }
  template <class T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
#if __cplusplus >= 202002L
  template <class T>
  std::span<T> values() const {  // all elements of a contiguous tensor
    OA_REQUIRE(is_contiguous(), "values: the tensor of shape ", sizes(), " with strides ",
               strides(), " is not contiguous");
    return {data_ptr<T>(), static_cast<size_t>(numel())};
  }
#endif
  // Element access by index, without checks of the index: x.accessor<float, 2>()[i][j].
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() const&;
  template <class T, size_t N>
  TensorAccessor<T, N> accessor() && = delete;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits,
            class Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> generic_packed_accessor() const&;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits,
            class Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> packed_accessor() const& {
    return generic_packed_accessor<T, N, Traits, Index>();
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
  GenericPackedTensorAccessor<T, N, Traits, int32_t> packed_accessor32() const& {
    return generic_packed_accessor<T, N, Traits, int32_t>();
  }
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits>
  GenericPackedTensorAccessor<T, N, Traits, int64_t> packed_accessor64() const& {
    return generic_packed_accessor<T, N, Traits, int64_t>();
  }
  Scalar item() const { return item_scalar(); }
  template <class T>
  T item() const {  // the only element, converted to T
    return item_scalar().to<T>();
  }
  Scalar item_scalar() const;

  // Autograd (core/graph)
  bool requires_grad() const {
    const TensorImpl& impl = described();
    return impl.requires_grad || impl.grad_fn || (impl.view_base && view_requires_grad());
  }
  const Tensor& set_requires_grad(bool on) const { return requires_grad_(on); }
  Tensor& requires_grad_(bool on = true) const;  // leaves only
  bool is_leaf() const { return checked(), !requires_grad() || !has_grad_fn(); }
  Tensor& mutable_grad() const;
  const Tensor& grad() const { return mutable_grad(); }  // undefined before the first backward()
  void set_grad(const Tensor& grad) const { mutable_grad() = grad; }
  uint32_t version() const { return impl().version(); }
  int64_t _version() const {
    if (!defined()) return 0;
    OA_REQUIRE(!impl_->inference, "Inference tensors do not track version counter.");
    return version();
  }
  int64_t output_nr() const { return impl().output_index; }
  std::shared_ptr<autograd::Node> grad_fn() const;  // null for leaves
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = std::nullopt,
                bool create_graph = false,
                std::optional<std::vector<Tensor>> inputs = std::nullopt) const;
  Tensor detach() const;  // same memory, no graph
  Tensor& detach_() const;
  Tensor data() const;  // same memory, no graph, versions of its own
  Tensor variable_data() const { return data(); }
  Tensor tensor_data() const { return detach(); }
  void set_data(
      const Tensor& other) const;  // this handle's tensor gets the other's memory and shape
  const Tensor& _base() const;
  void retain_grad() const;  // keeps the gradient of a tensor that is no leaf
  bool retains_grad() const;
  // Called with the gradient of this tensor; what it returns, if anything, takes its place.
  template <class Hook>
  unsigned register_hook(Hook&& hook) const {
    if constexpr (std::is_void_v<std::invoke_result_t<Hook, const Tensor&>>)
      return add_hook([hook = std::forward<Hook>(hook)](const Tensor& gradient) mutable -> Tensor {
        hook(gradient);
        return {};
      });
    else
      return add_hook(std::forward<Hook>(hook));
  }
  void remove_hook(unsigned position) const;
  bool is_inference() const;

  // Of sparse tensors (core/ops/sparse.h). indices() and values() want coalesced ones.
  Tensor indices() const;
  Tensor values() const;
  Tensor _indices() const;
  Tensor _values() const;
  int64_t _nnz() const;
  int64_t sparse_dim() const;
  int64_t dense_dim() const;
  bool is_coalesced() const;
  Tensor coalesce() const;
  Tensor& _coalesced_(bool coalesced) const;
  Tensor to_dense(std::optional<DType> dtype = std::nullopt) const;
  Tensor to_sparse() const;
  Tensor to_sparse(int64_t sparse_dim) const;

  // Storage changes
  Tensor& resize_(const Shape& sizes, std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor& resize_as_(const Tensor& other, std::optional<MemoryFormat> format = std::nullopt) const;
  Tensor& set_(const Tensor& source) const;
  Tensor& set_(const Tensor& source, int64_t storage_offset, const Shape& size,
               const Shape& stride = {}) const;
  Tensor& set_(const StorageHandle& source) const;  // all of it, one dimension
  Tensor& set_(const StorageHandle& source, int64_t storage_offset, const Shape& size,
               const Shape& stride = {}) const;
  Tensor& set_() const;  // no elements

  Tensor cpu() const { return checked(), *this; }
  Tensor cuda() const;
  Tensor pin_memory(std::optional<Device> = std::nullopt) const { return checked(), *this; }

  Tensor operator[](int64_t index) const;
  Tensor operator[](Scalar index) const;
  Tensor operator[](const Tensor& index) const;
  Tensor index(std::initializer_list<indexing::TensorIndex> indices) const;
  Tensor index(ArrayRef<indexing::TensorIndex> indices) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices,
                     const Tensor& values) const;
  Tensor& index_put_(std::initializer_list<indexing::TensorIndex> indices, Scalar value) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, const Tensor& values) const;
  Tensor& index_put_(ArrayRef<indexing::TensorIndex> indices, Scalar value) const;

#include "core/tensor/tensor_methods.h"

  Tensor& operator+=(const Tensor& other) const { return add_(other); }
  Tensor& operator-=(const Tensor& other) const { return sub_(other); }
  Tensor& operator*=(const Tensor& other) const { return mul_(other); }
  Tensor& operator/=(const Tensor& other) const { return div_(other); }
  Tensor& operator+=(Scalar other) const { return add_(other); }
  Tensor& operator-=(Scalar other) const { return sub_(other); }
  Tensor& operator*=(Scalar other) const { return mul_(other); }
  Tensor& operator/=(Scalar other) const { return div_(other); }
  Tensor& operator&=(const Tensor& other) const { return bitwise_and_(other); }
  Tensor& operator|=(const Tensor& other) const { return bitwise_or_(other); }
  Tensor& operator^=(const Tensor& other) const { return bitwise_xor_(other); }
  Tensor& operator&=(Scalar other) const { return bitwise_and_(other); }
  Tensor& operator|=(Scalar other) const { return bitwise_or_(other); }
  Tensor& operator^=(Scalar other) const { return bitwise_xor_(other); }
  Tensor operator-() const;
  Tensor operator~() const;

  std::string toString() const;            // "CPUFloatType"
  std::string name() const { return {}; }  // variables have none
  std::string to_string() const;
  void print() const;

 private:
  TensorImpl& checked() const {
    if (!impl_) [[unlikely]]
      throw_undefined();
    return *impl_;
  }
  const TensorImpl& described() const { return impl_ ? *impl_ : undefined_impl(); }
  static const TensorImpl& undefined_impl();
  [[noreturn]] static void throw_undefined();
  [[noreturn]] void throw_holds(DType wanted) const;
  bool has_format(MemoryFormat format) const;
  bool has_grad_fn() const;
  bool view_requires_grad() const;
  unsigned add_hook(std::function<Tensor(const Tensor&)> hook) const;

  Ref<TensorImpl> impl_;
};

using TensorList = ArrayRef<Tensor>;

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
Tensor operator%(const Tensor& a, const Tensor& b);
Tensor operator%(const Tensor& a, Scalar b);
Tensor operator%(Scalar a, const Tensor& b);
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator&(const Tensor& a, Scalar b);
Tensor operator&(Scalar a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, Scalar b);
Tensor operator|(Scalar a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, Scalar b);
Tensor operator^(Scalar a, const Tensor& b);
Tensor operator==(const Tensor& a, const Tensor& b);
Tensor operator==(const Tensor& a, Scalar b);
Tensor operator==(Scalar a, const Tensor& b);
Tensor operator!=(const Tensor& a, const Tensor& b);
Tensor operator!=(const Tensor& a, Scalar b);
Tensor operator!=(Scalar a, const Tensor& b);
Tensor operator<(const Tensor& a, const Tensor& b);
Tensor operator<(const Tensor& a, Scalar b);
Tensor operator<(Scalar a, const Tensor& b);
Tensor operator<=(const Tensor& a, const Tensor& b);
Tensor operator<=(const Tensor& a, Scalar b);
Tensor operator<=(Scalar a, const Tensor& b);
Tensor operator>(const Tensor& a, const Tensor& b);
Tensor operator>(const Tensor& a, Scalar b);
Tensor operator>(Scalar a, const Tensor& b);
Tensor operator>=(const Tensor& a, const Tensor& b);
Tensor operator>=(const Tensor& a, Scalar b);
Tensor operator>=(Scalar a, const Tensor& b);
Tensor operator!(const Tensor& a);
Tensor operator&&(const Tensor& a,
                  const Tensor& b) = delete;  // no short circuit: write a.logical_and(b)
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);
// libtorch's print(stream, tensor, line width).
std::ostream& print(std::ostream& out, const Tensor& tensor, int64_t line_size);

// A tensor over memory of another owner; `deleter` runs when the last view of it is gone.
Tensor from_blob(void* data, const Shape& sizes, const TensorOptions& options = {});
Tensor from_blob(void* data, const Shape& sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, const Shape& sizes, const Shape& strides,
                 const TensorOptions& options = {});
Tensor from_blob(void* data, const Shape& sizes, const Shape& strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options = {});

// New, uninitialised memory.
Tensor empty_on(Stream& stream, const Shape& sizes, DType dtype);

// A view with its own shape over the same storage; no bounds are checked.
Tensor alias_of(const Tensor& base, const TensorMeta& meta);

int64_t wrap_dim(int64_t dim, int64_t rank, const char* where);

}  // namespace oneagent

#include "core/tensor/accessor.h"
#include "core/tensor/type_properties.h"
