// What Tensor::type() returns: the kind of a tensor, as older libtorch programs print and compare
// it.
#pragma once

#include <string>

#include "core/tensor/tensor.h"

namespace oneagent {

class DeprecatedTypeProperties {
 public:
  explicit DeprecatedTypeProperties(const Tensor& x);
  const std::string& toString() const { return text_; }
  DType scalarType() const { return options_.dtype(); }
  TypeMeta typeMeta() const { return options_.dtype(); }
  DeviceType device_type() const { return options_.device().type(); }
  Layout layout() const { return options_.layout(); }
  bool is_cuda() const { return options_.device().is_cuda(); }
  bool is_sparse() const { return options_.is_sparse(); }
  const TensorOptions& options() const { return options_; }
  operator TensorOptions() const { return options_; }  // NOLINT: implicit like libtorch's
  operator DType() const { return scalarType(); }      // NOLINT
  friend bool operator==(const DeprecatedTypeProperties& a, const DeprecatedTypeProperties& b) {
    return a.text_ == b.text_;
  }
  friend bool operator!=(const DeprecatedTypeProperties& a, const DeprecatedTypeProperties& b) {
    return !(a == b);
  }
  friend std::ostream& operator<<(std::ostream& out, const DeprecatedTypeProperties& type) {
    return out << type.text_;
  }

 private:
  TensorOptions options_;
  std::string text_;
};
inline DeprecatedTypeProperties Tensor::type() const { return DeprecatedTypeProperties(*this); }

}  // namespace oneagent
