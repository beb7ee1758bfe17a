// Element types of tensors, columns and wire frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oneagent {

enum class DType : uint8_t { kFloat32, kFloat64, kInt64, kInt32, kUInt8, kBool };
inline constexpr int kDTypeCount = 6;

size_t size_of(DType dtype);
std::string_view name_of(DType dtype);     // "float32", "int64", ...
DType parse_dtype(std::string_view name);  // throws Error naming the valid ones
inline bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64;
}

template <class T>
struct DTypeOf;
template <>
struct DTypeOf<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOf<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOf<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOf<uint8_t> {
  static constexpr DType value = DType::kUInt8;
};
template <>
struct DTypeOf<bool> {
  static constexpr DType value = DType::kBool;
};

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

}  // namespace oneagent
