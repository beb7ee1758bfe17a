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
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  Scalar(T value) {  // NOLINT: implicit, so that x + 1 reads as such
    if constexpr (std::is_same_v<T, bool>)
      kind_ = DType::kBool;
    else if constexpr (std::is_integral_v<T>)
      kind_ = DType::kInt64;
    else
      kind_ = DType::kFloat64;
    number_ = static_cast<double>(value);
    integer_ = static_cast<int64_t>(value);
  }
  Scalar(Half value) : Scalar(static_cast<float>(value)) {}      // NOLINT
  Scalar(BFloat16 value) : Scalar(static_cast<float>(value)) {}  // NOLINT

  DType kind() const { return kind_; }  // kBool, kInt64 or kFloat64
  DType type() const { return kind_; }
  bool is_floating() const { return kind_ == DType::kFloat64; }
  double number() const { return number_; }
  int64_t integer() const { return integer_; }
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

  // libtorch's names
  bool isFloatingPoint() const { return is_floating(); }
  bool isIntegral(bool include_bool = false) const {
    return kind_ == DType::kInt64 || (include_bool && isBoolean());
  }
  bool isBoolean() const { return kind_ == DType::kBool; }
  bool isComplex() const { return false; }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int32_t toInt() const { return to<int32_t>(); }
  int16_t toShort() const { return to<int16_t>(); }
  int8_t toChar() const { return to<int8_t>(); }
  uint8_t toByte() const { return to<uint8_t>(); }
  bool toBool() const { return to<bool>(); }
  Scalar operator-() const { return is_floating() ? Scalar(-number_) : Scalar(-integer_); }
  Scalar log() const;
  bool equal(const Scalar& other) const {
    return is_floating() || other.is_floating() ? number_ == other.number_
                                                : integer_ == other.integer_;
  }

  friend std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
    if (scalar.isBoolean()) return out << (scalar.toBool() ? "true" : "false");
    if (scalar.is_floating()) return out << scalar.number_;
    return out << scalar.integer_;
  }

 private:
  DType kind_;
  double number_;
  int64_t integer_;
};

}  // namespace oneagent
