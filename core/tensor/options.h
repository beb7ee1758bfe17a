// What a new tensor is made of: dtype, device, requires_grad. libtorch's names:
// dtype(kFloat32).requires_grad(true).
#pragma once

#include <optional>

#include "core/base/dtype.h"
#include "core/tensor/device.h"

namespace oneagent {

inline constexpr DType kFloat32 = DType::kFloat32;
inline constexpr DType kFloat64 = DType::kFloat64;
inline constexpr DType kFloat = DType::kFloat32;
inline constexpr DType kDouble = DType::kFloat64;
inline constexpr DType kInt64 = DType::kInt64;
inline constexpr DType kLong = DType::kInt64;
inline constexpr DType kInt32 = DType::kInt32;
inline constexpr DType kInt = DType::kInt32;
inline constexpr DType kUInt8 = DType::kUInt8;
inline constexpr DType kByte = DType::kUInt8;
inline constexpr DType kBool = DType::kBool;

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(DType dtype) : dtype_(dtype) {}              // NOLINT: implicit like libtorch's
  TensorOptions(Device device) : device_(device) {}          // NOLINT
  TensorOptions(DeviceType type) : device_(Device(type)) {}  // NOLINT

  TensorOptions dtype(DType dtype) const {
    return with([&](TensorOptions& o) { o.dtype_ = dtype; });
  }
  TensorOptions device(Device device) const {
    return with([&](TensorOptions& o) { o.device_ = device; });
  }
  TensorOptions requires_grad(bool on) const {
    return with([&](TensorOptions& o) { o.requires_grad_ = on; });
  }

  std::optional<DType> dtype_opt() const { return dtype_; }
  Device device() const { return device_; }
  bool requires_grad() const { return requires_grad_; }

 private:
  template <class Change>
  TensorOptions with(const Change& change) const {
    TensorOptions copy = *this;
    change(copy);
    return copy;
  }

  std::optional<DType> dtype_;
  Device device_;
  bool requires_grad_ = false;
};

inline TensorOptions dtype(DType dtype) { return TensorOptions(dtype); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool on = true) { return TensorOptions().requires_grad(on); }

}  // namespace oneagent
