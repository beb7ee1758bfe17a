// A number with its kind (bool, integer, floating), as an operand beside tensors. Its kind, not its
// width, takes part in type promotion.
#pragma once

#include <cstdint>
#include <ostream>
#include <type_traits>

#include "core/base/dtype.h"

namespace oneagent {

class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
  template <class T>
  requires std::is_arithmetic_v<T> Scalar(
      T value) {  // NOLINT: implicit, so that x + 1 reads as such
    if constexpr (std::is_same_v<T, bool>)
      kind_ = DType::kBool;
    else if constexpr (std::is_integral_v<T>)
      kind_ = DType::kInt64;
    else
      kind_ = DType::kFloat64;
    number_ = static_cast<double>(value);
    integer_ = static_cast<int64_t>(value);
  }

  DType kind() const { return kind_; }  // kBool, kInt64 or kFloat64
  bool is_floating() const { return kind_ == DType::kFloat64; }
  double number() const { return number_; }
  int64_t integer() const { return integer_; }
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}      // NOLINT
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}  // NOLINT
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return T(to<float>());
    else if constexpr (std::is_same_v<T, bool>)
      return number_ != 0.0;
    else if (is_floating())
      return static_cast<T>(number_);
    else
      return static_cast<T>(integer_);
  }
  friend std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
    if (scalar.is_floating()) return out << scalar.number_;
    return out << scalar.integer_;
  }

 private:
  DType kind_;
  double number_;
  int64_t integer_;
};

}  // namespace oneagent
