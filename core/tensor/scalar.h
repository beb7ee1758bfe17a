// A number with its kind (bool, integer, floating, complex), as an operand beside tensors. Its
// kind, not its width, takes part in type promotion.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <ostream>
#include <stdexcept>
#include <type_traits>

#include "core/base/check.h"
#include "core/base/complex.h"
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

  template <class T>
  Scalar(const Complex<T>& value)  // NOLINT
      : kind_(DType::kComplex128), number_(static_cast<double>(value.real())) {
    const auto imag = static_cast<double>(value.imag());
    std::memcpy(&integer_, &imag, sizeof imag);
  }

  // What attributes hold of a number of a dtype: number() and integer() of as(dtype).
  static Scalar from_parts(double number, int64_t integer, DType dtype) {
    if (oneagent::is_floating(dtype)) return number;
    if (!oneagent::is_complex(dtype)) return integer;
    double imag = 0;
    std::memcpy(&imag, &integer, sizeof imag);
    return Complex<double>(number, imag);
  }
  Scalar as(DType dtype) const {
    if (oneagent::is_complex(dtype)) [[unlikely]]
      return toComplexDouble();
    return is_complex() ? Scalar(real_number()) : *this;
  }

  DType kind() const { return kind_; }  // kBool, kInt64, kFloat64 or kComplex128
  DType type() const { return kind_; }
  bool is_floating() const { return kind_ == DType::kFloat64; }
  bool is_complex() const { return kind_ == DType::kComplex128; }
  double number() const { return number_; }     // the real part
  int64_t integer() const { return integer_; }  // of complex ones the bits of the imaginary part
  double imag() const {
    double value = 0;
    if (is_complex()) std::memcpy(&value, &integer_, sizeof value);
    return value;
  }
  // Beyond the range of T: integers wrap, floating types become infinite.
  template <class T>
  T wrapped_to() const {
    if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>)
      return T(wrapped_to<float>());
    else if constexpr (std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>)
      return T(Complex<double>(is_complex() ? number_ : wrapped_to<double>(), imag()));
    else if constexpr (std::is_same_v<T, bool>)
      return number_ != 0.0 || (is_complex() && imag() != 0.0);
    else if (is_floating())
      return static_cast<T>(number_);
    else if (is_complex()) [[unlikely]]
      return static_cast<T>(real_number());
    else
      return static_cast<T>(integer_);
  }

  // libtorch's names
  bool isFloatingPoint() const { return is_floating(); }
  bool isIntegral(bool include_bool = false) const {
    return kind_ == DType::kInt64 || (include_bool && isBoolean());
  }
  bool isBoolean() const { return kind_ == DType::kBool; }
  bool isComplex() const { return is_complex(); }
  // std::runtime_error where the number does not fit into T.
  template <class T>
  T to() const {
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      const auto low = static_cast<double>(std::numeric_limits<T>::lowest());
      const auto high = static_cast<double>(std::numeric_limits<T>::max());
      if (number_ != number_ || number_ > high ||
          (number_ < low && (std::is_signed_v<T> || -number_ > high)))
        throw_overflow(type_name<T>());
    } else if constexpr (std::is_same_v<T, float> || sizeof(T) == 2) {  // and 16-bit floats
      const double size = number_ < 0 ? -number_ : number_;
      if (size > static_cast<double>(std::numeric_limits<T>::max()) &&
          size <= std::numeric_limits<double>::max())
        throw_overflow(type_name<T>());
    }
    if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, Complex<float>> &&
                  !std::is_same_v<T, Complex<double>>)
      if (is_complex() && imag() != 0.0) throw_overflow(type_name<T>());
    return wrapped_to<T>();
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int32_t toInt() const { return to<int32_t>(); }
  int16_t toShort() const { return to<int16_t>(); }
  int8_t toChar() const { return to<int8_t>(); }
  uint8_t toByte() const { return to<uint8_t>(); }
  bool toBool() const { return to<bool>(); }
  Half toHalf() const { return to<Half>(); }
  BFloat16 toBFloat16() const { return to<BFloat16>(); }
  Complex<float> toComplexFloat() const { return to<Complex<float>>(); }
  Complex<double> toComplexDouble() const { return to<Complex<double>>(); }
  Scalar operator-() const {
    if (is_complex()) return -toComplexDouble();
    return is_floating() ? Scalar(-number_) : Scalar(-integer_);
  }
  Scalar conj() const { return is_complex() ? Scalar(std::conj(toComplexDouble())) : *this; }
  Scalar log() const;
  bool equal(const Scalar& other) const {
    if (is_complex() || other.is_complex()) return toComplexDouble() == other.toComplexDouble();
    return is_floating() || other.is_floating() ? number_ == other.number_
                                                : integer_ == other.integer_;
  }

  [[noreturn]] static void throw_overflow(const char* type) {
    throw std::runtime_error(std::string("value cannot be converted to type ") + type +
                             " without overflow");
  }
  template <class T>
  static constexpr const char* type_name() {
    if constexpr (std::is_same_v<T, bool>) return "bool";
    if constexpr (std::is_same_v<T, Half>) return "c10::Half";
    if constexpr (std::is_same_v<T, BFloat16>) return "c10::BFloat16";
    if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 4 ? "float" : "double";
    constexpr const char* kSigned[] = {"int8_t", "int16_t", "int", "int64_t"};
    constexpr const char* kUnsigned[] = {"uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    constexpr size_t at = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? kSigned[at] : kUnsigned[at];
  }

  friend std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
    if (scalar.isBoolean()) return out << (scalar.toBool() ? "true" : "false");
    if (scalar.is_complex()) return out << scalar.toComplexDouble();
    if (scalar.is_floating()) return out << scalar.number_;
    return out << scalar.integer_;
  }

 private:
  // std::runtime_error where an imaginary part would be lost.
  double real_number() const {
    if (imag() != 0.0) throw_overflow("real");
    return number_;
  }

  DType kind_;
  double number_;
  int64_t integer_;
};

}  // namespace oneagent
