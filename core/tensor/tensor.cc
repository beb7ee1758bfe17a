#include "core/tensor/tensor.h"

#include <cmath>

#include "core/tensor/global_parts.h"

namespace oneagent {

Scalar Scalar::log() const { return std::log(to<double>()); }

int64_t wrap_dim(int64_t dim, int64_t rank, const char* where) {
  const int64_t range = std::max<int64_t>(rank, 1);
  if (dim < -range || dim >= range) [[unlikely]]
    throw IndexError(str(where, ": Dimension out of range (expected to be in range of [", -range,
                         ", ", range - 1, "], but got ", dim, ")"));
  return dim < 0 ? dim + range : dim;
}

void Tensor::throw_undefined() {
  throw_error("tensor: Expected a proper Tensor but got None (or an undefined Tensor in C++)");
}

const TensorImpl& Tensor::undefined_impl() {
  static const TensorImpl instance(TensorMeta{{0}, {1}, 0, DType::Undefined, {}}, {});
  return instance;
}

void Tensor::throw_holds(DType wanted) const {
  throw_error(str("data_ptr: expected scalar type ", oneagent::toString(wanted), " but found ",
                  oneagent::toString(dtype())));
}

DeprecatedTypeProperties::DeprecatedTypeProperties(const Tensor& x)
    : options_(x.options()), text_(x.toString()) {}

namespace {

[[noreturn]] void throw_no_dimension(const char* where, int64_t dim) {
  throw IndexError(str(where, ": Dimension specified as ", dim, " but tensor has no dimensions"));
}

}  // namespace

int64_t Tensor::size(int64_t dim) const {
  if (this->dim() == 0) throw_no_dimension("size", dim);
  return sizes()[static_cast<size_t>(wrap_dim(dim, this->dim(), "size"))];
}

int64_t Tensor::stride(int64_t dim) const {
  if (this->dim() == 0) throw_no_dimension("stride", dim);
  return strides()[static_cast<size_t>(wrap_dim(dim, this->dim(), "stride"))];
}

bool Tensor::is_non_overlapping_and_dense() const {
  std::vector<std::pair<int64_t, int64_t>> dims;  // stride, size
  for (size_t i = 0; i < sizes().size(); ++i)
    if (sizes()[i] != 1) dims.emplace_back(strides()[i], sizes()[i]);
  std::sort(dims.begin(), dims.end());
  int64_t expected = 1;
  for (const auto& [stride, size] : dims) {
    if (stride != expected) return numel() == 0;
    expected *= size;
  }
  return true;
}

bool Tensor::has_format(MemoryFormat format) const {
  if (format == MemoryFormat::Preserve) return true;
  const int64_t rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
  return dim() == rank && strides_of(format, sizes()) == strides();
}

MemoryFormat Tensor::suggest_memory_format() const {
  if (is_contiguous()) return MemoryFormat::Contiguous;
  if (has_format(MemoryFormat::ChannelsLast)) return MemoryFormat::ChannelsLast;
  if (has_format(MemoryFormat::ChannelsLast3d)) return MemoryFormat::ChannelsLast3d;
  return MemoryFormat::Contiguous;
}

bool Tensor::is_set_to(const Tensor& other) const {
  return is_alias_of(other) && storage_offset() == other.storage_offset() &&
         sizes() == other.sizes() && strides() == other.strides();
}

Tensor Tensor::detach() const {
  auto impl = make_ref<TensorImpl>(checked().meta, impl_->storage);
  impl->is_view = impl_->is_view;
  impl->parts = impl_->parts;
  impl->versions = impl_->versions;
  if (impl_->sparse) [[unlikely]] {
    impl->sparse = true;
    impl->contiguous = false;
    impl->hooks = impl_->hooks;
  }
  return Tensor(std::move(impl));
}

Tensor Tensor::data() const {
  Tensor out = detach();
  out.impl().versions = make_ref<Versions>();
  return out;
}

namespace {
GlobalHooks installed_hooks;
}  // namespace

void set_global_hooks(const GlobalHooks& hooks) { installed_hooks = hooks; }
const GlobalHooks& global_hooks() {
  OA_REQUIRE(installed_hooks.item != nullptr,
             "a global tensor is used in a thread that has no World");
  return installed_hooks;
}

Tensor whole_values(const Tensor& x) { return is_global(x) ? global_hooks().whole(x) : x; }

Scalar Tensor::item_scalar() const {
  checked();
  OA_REQUIRE(numel() == 1, "item: a Tensor with ", numel(),
             " elements cannot be converted to Scalar, its shape is ", sizes());
  OA_REQUIRE(!is_sparse(), "item: of a sparse tensor is not defined; use to_dense()");
  if (impl_->parts) [[unlikely]]
    return global_hooks().item(*this);
  Scalar value;
  with_complex(dtype(), [&]<class T>(Type<T>) { value = *data_ptr<Complex<T>>(); });
  with_any(dtype(), [&]<class T>(Type<T>) { value = *data_ptr<T>(); });
  return value;
}

std::string Tensor::toString() const {
  if (!defined()) return "UndefinedType";
  return std::string(is_sparse() ? "Sparse" : "") + (is_cuda() ? "CUDA" : "CPU") +
         oneagent::toString(scalar_type()) + "Type";
}

Tensor from_blob(void* data, const Shape& sizes, const Shape& strides,
                 const std::function<void(void*)>& deleter, const TensorOptions& options) {
  OA_REQUIRE(sizes.size() == strides.size(), "from_blob: ", sizes.size(), " sizes and ",
             strides.size(), " strides");
  const DType dtype = options.dtype();
  int64_t reach = sizes.numel() == 0 ? 0 : 1;
  for (size_t i = 0; i < sizes.size() && reach > 0; ++i) reach += (sizes[i] - 1) * strides[i];
  auto storage = make_ref<Storage>(data, static_cast<size_t>(reach) * size_of(dtype), deleter);
  Tensor out(make_ref<TensorImpl>(TensorMeta{sizes, strides, 0, dtype, options.device()},
                                  std::move(storage)));
  OA_REQUIRE(!options.requires_grad() || out.is_floating_point() || out.is_complex(),
             "from_blob: only floating and complex tensors have gradients, was ", name_of(dtype));
  out.impl().requires_grad = options.requires_grad();
  return out;
}

Tensor from_blob(void* data, const Shape& sizes, const Shape& strides,
                 const TensorOptions& options) {
  return from_blob(data, sizes, strides, nullptr, options);
}

Tensor from_blob(void* data, const Shape& sizes, const std::function<void(void*)>& deleter,
                 const TensorOptions& options) {
  return from_blob(data, sizes, contiguous_strides(sizes), deleter, options);
}

Tensor from_blob(void* data, const Shape& sizes, const TensorOptions& options) {
  return from_blob(data, sizes, nullptr, options);
}

Tensor empty_on(Stream& stream, const Shape& sizes, DType dtype) {
  auto bytes = static_cast<int64_t>(size_of(dtype));
  bool overflow = false, none = false;
  for (const int64_t size : sizes) {
    OA_REQUIRE(size >= 0, "empty: Trying to create tensor with negative dimension ", size, ": ",
               sizes);
    none = none || size == 0;
    overflow = __builtin_mul_overflow(bytes, size, &bytes) || overflow;
  }
  OA_REQUIRE(none || !overflow, "empty: the bytes of a tensor of shape ", sizes,
             " are more than an int64 counts");
  auto storage = make_ref<Storage>(none ? 0 : static_cast<size_t>(bytes), stream);
  return Tensor(make_ref<TensorImpl>(
      TensorMeta{sizes, contiguous_strides(sizes), 0, dtype, stream.device()}, std::move(storage)));
}

Tensor alias_of(const Tensor& base, const TensorMeta& meta) {
  auto impl = make_ref<TensorImpl>(meta, base.impl().storage);
  impl->is_view = true;
  impl->versions = base.impl().versions;
  return Tensor(std::move(impl));
}

}  // namespace oneagent
