// What a new tensor is made of: dtype, device, layout, requires_grad. libtorch's names:
// dtype(kFloat32).requires_grad(true). What is not set comes from the default or from the tensor
// that the new one is like.
#pragma once

#include <optional>
#include <string>

#include "core/tensor/device.h"
#include "core/tensor/layout.h"
#include "core/tensor/type_meta.h"

namespace oneagent {

inline constexpr DType kFloat32 = DType::kFloat32;
inline constexpr DType kFloat64 = DType::kFloat64;
inline constexpr DType kFloat = DType::kFloat32;
inline constexpr DType kDouble = DType::kFloat64;
inline constexpr DType kFloat16 = DType::kFloat16;
inline constexpr DType kHalf = DType::kFloat16;
inline constexpr DType kBFloat16 = DType::kBFloat16;
inline constexpr DType kInt64 = DType::kInt64;
inline constexpr DType kLong = DType::kInt64;
inline constexpr DType kInt32 = DType::kInt32;
inline constexpr DType kInt = DType::kInt32;
inline constexpr DType kInt16 = DType::kInt16;
inline constexpr DType kShort = DType::kInt16;
inline constexpr DType kInt8 = DType::kInt8;
inline constexpr DType kChar = DType::kInt8;
inline constexpr DType kUInt8 = DType::kUInt8;
inline constexpr DType kByte = DType::kUInt8;
inline constexpr DType kU8 = DType::kUInt8;
inline constexpr DType kI8 = DType::kInt8;
inline constexpr DType kI16 = DType::kInt16;
inline constexpr DType kI32 = DType::kInt32;
inline constexpr DType kI64 = DType::kInt64;
inline constexpr DType kF16 = DType::kFloat16;
inline constexpr DType kF32 = DType::kFloat32;
inline constexpr DType kF64 = DType::kFloat64;
inline constexpr DType kBool = DType::kBool;
inline constexpr DType kComplexFloat = DType::kComplex64;
inline constexpr DType kComplexDouble = DType::kComplex128;

// Of the process; core/graph/context.h has the checked form.
DType get_default_dtype_value();
void set_default_dtype_value(DType dtype);

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(DType dtype) : dtype_(dtype) {}              // NOLINT: implicit like libtorch's
  TensorOptions(TypeMeta meta) : dtype_(DType(meta)) {}      // NOLINT
  TensorOptions(Device device) : device_(device) {}          // NOLINT
  TensorOptions(DeviceType type) : device_(Device(type)) {}  // NOLINT
  TensorOptions(Layout layout) : layout_(layout) {}          // NOLINT
  TensorOptions(MemoryFormat format) : memory_format_(format) {}  // NOLINT
  // A device by its name. A template, so that the number 0 is none.
  template <class Text, std::enable_if_t<std::is_convertible_v<Text, std::string> &&
                                             !std::is_convertible_v<Text, TypeMeta>,
                                         int> = 0>
  TensorOptions(const Text& device) : device_(Device(std::string(device))) {}  // NOLINT

  TensorOptions dtype(std::optional<DType> dtype) const {
    return with([&](TensorOptions& o) { o.dtype_ = dtype; });
  }
  TensorOptions dtype(DType dtype) const { return this->dtype(std::optional<DType>(dtype)); }
  TensorOptions dtype(TypeMeta meta) const { return dtype(DType(meta)); }
  template <class T>
  TensorOptions dtype() const {
    return dtype(dtype_of<T>);
  }
  TensorOptions device(std::optional<Device> device) const {
    return with([&](TensorOptions& o) { o.device_ = device; });
  }
  TensorOptions device(Device device) const { return this->device(std::optional<Device>(device)); }
  TensorOptions device(DeviceType type, int index = -1) const {
    return device(Device(type, index));
  }
  TensorOptions device(const std::string& text) const { return device(Device(text)); }
  TensorOptions device(const char* text) const { return device(Device(text)); }
  TensorOptions device_index(int16_t index) const { return device(Device(kCUDA, index)); }
  TensorOptions layout(std::optional<Layout> layout) const {
    return with([&](TensorOptions& o) { o.layout_ = layout; });
  }
  TensorOptions requires_grad(std::optional<bool> on) const {
    return with([&](TensorOptions& o) { o.requires_grad_ = on; });
  }
  TensorOptions pinned_memory(std::optional<bool> on) const {
    return with([&](TensorOptions& o) { o.pinned_memory_ = on; });
  }
  TensorOptions memory_format(std::optional<MemoryFormat> format) const {
    return with([&](TensorOptions& o) { o.memory_format_ = format; });
  }

  TypeMeta dtype() const { return dtype_ ? *dtype_ : get_default_dtype_value(); }
  std::optional<TypeMeta> dtype_opt() const {
    return dtype_ ? std::optional<TypeMeta>(*dtype_) : std::nullopt;
  }
  Device device() const { return device_.value_or(Device()); }
  std::optional<Device> device_opt() const { return device_; }
  int32_t device_index() const { return device().index(); }
  Layout layout() const { return layout_.value_or(kStrided); }
  std::optional<Layout> layout_opt() const { return layout_; }
  bool requires_grad() const { return requires_grad_.value_or(false); }
  std::optional<bool> requires_grad_opt() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_.value_or(false); }
  std::optional<bool> pinned_memory_opt() const { return pinned_memory_; }
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }
  bool has_dtype() const { return dtype_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  bool has_layout() const { return layout_.has_value(); }
  bool has_requires_grad() const { return requires_grad_.has_value(); }
  bool has_pinned_memory() const { return pinned_memory_.has_value(); }
  bool has_memory_format() const { return memory_format_.has_value(); }
  bool is_sparse() const { return layout() == kSparse; }
  bool is_sparse_csr() const { return layout() == kSparseCsr; }
  bool type_equal(const TensorOptions& other) const {  // of one kind of tensor
    return dtype() == other.dtype() && layout() == other.layout() &&
           device().type() == other.device().type();
  }

  TensorOptions merge_memory_format(std::optional<MemoryFormat> format) const {
    return format ? memory_format(format) : *this;
  }
  // What `other` sets wins.
  TensorOptions merge_in(const TensorOptions& other) const;

  friend std::ostream& operator<<(std::ostream& out, const TensorOptions& options);

 private:
  template <class Change>
  TensorOptions with(const Change& change) const {
    TensorOptions copy = *this;
    change(copy);
    return copy;
  }

  std::optional<DType> dtype_;
  std::optional<Device> device_;
  std::optional<Layout> layout_;
  std::optional<bool> requires_grad_;
  std::optional<bool> pinned_memory_;
  std::optional<MemoryFormat> memory_format_;
};

inline TensorOptions dtype(DType dtype) { return TensorOptions(dtype); }
inline TensorOptions dtype(TypeMeta meta) { return TensorOptions(meta); }
template <class T>
TensorOptions dtype() {
  return TensorOptions(dtype_of<T>);
}
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions device_index(int16_t index) { return TensorOptions().device_index(index); }
inline TensorOptions layout(Layout layout) { return TensorOptions(layout); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }
inline TensorOptions memory_format(MemoryFormat format) { return TensorOptions(format); }

}  // namespace oneagent
