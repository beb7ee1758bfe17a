// Element types of tensors, columns and wire frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/base/half.h"

namespace oneagent {

// The numbers are on the wire and in files: new types go to the end. The second names are
// libtorch's.
enum class DType : uint8_t {
  kFloat32,
  kFloat64,
  kInt64,
  kInt32,
  kUInt8,
  kBool,
  kInt8,
  kInt16,
  kFloat16,
  kBFloat16,
  kComplex64,
  kComplex128,
  Float = kFloat32,
  Double = kFloat64,
  Long = kInt64,
  Int = kInt32,
  Byte = kUInt8,
  Bool = kBool,
  Char = kInt8,
  Short = kInt16,
  Half = kFloat16,
  // NOLINTNEXTLINE
  BFloat16 = kBFloat16,
  ComplexFloat = kComplex64,
  ComplexDouble = kComplex128,
  Undefined = 255
};
inline constexpr int kDTypeCount = 12;

size_t size_of(DType dtype);
std::string_view name_of(DType dtype);     // "float32", "int64", ...
DType parse_dtype(std::string_view name);  // throws Error naming the valid ones
inline bool is_half(DType dtype) {         // 16-bit floating types: kernels compute them in float32
  return dtype == DType::kFloat16 || dtype == DType::kBFloat16;
}
inline bool is_floating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || is_half(dtype);
}
inline bool is_complex(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}
inline bool has_gradient(DType dtype) { return is_floating(dtype) || is_complex(dtype); }
inline bool is_integral(DType dtype, bool include_bool = false) {
  return dtype == DType::kBool ? include_bool : !is_floating(dtype) && !is_complex(dtype);
}
// The type of the parts, and the complex type of such parts; others stay as they are.
inline DType real_type_of(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kFloat32;
  return dtype == DType::kComplex128 ? DType::kFloat64 : dtype;
}
inline DType complex_type_of(DType dtype) {
  if (is_complex(dtype)) return dtype;
  return dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64;
}

template <class T>
struct Complex;  // core/base/complex.h

template <class T>
struct DTypeOf;
#define OA_DTYPE_OF(T, name)                       \
  template <>                                      \
  struct DTypeOf<T> {                              \
    static constexpr DType value = DType::k##name; \
  };
OA_DTYPE_OF(float, Float32)
OA_DTYPE_OF(double, Float64)
OA_DTYPE_OF(int64_t, Int64)
OA_DTYPE_OF(int32_t, Int32)
OA_DTYPE_OF(int16_t, Int16)
OA_DTYPE_OF(int8_t, Int8)
OA_DTYPE_OF(uint8_t, UInt8)
OA_DTYPE_OF(bool, Bool)
OA_DTYPE_OF(Half, Float16)
OA_DTYPE_OF(BFloat16, BFloat16)
OA_DTYPE_OF(Complex<float>, Complex64)
OA_DTYPE_OF(Complex<double>, Complex128)
// The other 64-bit integer of the platform; one of the two is int64_t.
OA_DTYPE_OF(long long, Int64)
#undef OA_DTYPE_OF

template <class T>
inline constexpr DType dtype_of = DTypeOf<T>::value;

// Calls visit(Type<T>()) with the C++ type of a dtype and says whether there was one:
//   with_floating(x.dtype(), [&]<class T>(Type<T>) { run<T>(...); });
template <class T>
struct Type {
  using type = T;
};

template <class Visit>
OA_INLINE bool with_floating(DType dtype, const Visit& visit) {  // what kernels compute in
  if (dtype == DType::kFloat32) return visit(Type<float>()), true;
  if (dtype == DType::kFloat64) return visit(Type<double>()), true;
  return false;
}
template <class Visit>
OA_INLINE bool with_integral(DType dtype, const Visit& visit) {
  if (dtype == DType::kInt64) return visit(Type<int64_t>()), true;
  if (dtype == DType::kInt32) return visit(Type<int32_t>()), true;
  if (dtype == DType::kUInt8) return visit(Type<uint8_t>()), true;
  if (dtype == DType::kInt16) return visit(Type<int16_t>()), true;
  if (dtype == DType::kInt8) return visit(Type<int8_t>()), true;
  return false;
}
template <class Visit>
OA_INLINE bool with_number(DType dtype, const Visit& visit) {  // float32, float64, integers
  return with_floating(dtype, visit) || with_integral(dtype, visit);
}
template <class Visit>
OA_INLINE bool with_number_or_bool(DType dtype, const Visit& visit) {  // bool as uint8_t
  return with_number(dtype == DType::kBool ? DType::kUInt8 : dtype, visit);
}
template <class Visit>
OA_INLINE bool with_any(DType dtype, const Visit& visit) {  // all but complex types
  if (dtype == DType::kBool) return visit(Type<bool>()), true;
  if (dtype == DType::kFloat16) return visit(Type<Half>()), true;
  if (dtype == DType::kBFloat16) return visit(Type<BFloat16>()), true;
  return with_number(dtype, visit);
}
template <class Visit>
OA_INLINE bool with_complex(DType dtype, const Visit& visit) {  // the type of the parts
  if (dtype == DType::kComplex64) return visit(Type<float>()), true;
  if (dtype == DType::kComplex128) return visit(Type<double>()), true;
  return false;
}

struct Bits128 {
  uint64_t low = 0, high = 0;
  Bits128() = default;
  OA_INLINE explicit Bits128(uint64_t value) : low(value) {}
  friend OA_INLINE bool operator==(const Bits128& a, const Bits128& b) {
    return a.low == b.low && a.high == b.high;
  }
};
// Bits as wide as the dtype, unsigned integers up to 64: for moving elements.
template <class Visit>
OA_INLINE bool with_width_of(DType dtype, const Visit& visit) {
  switch (size_of(dtype)) {
    case 1:
      return visit(Type<uint8_t>()), true;
    case 2:
      return visit(Type<uint16_t>()), true;
    case 4:
      return visit(Type<uint32_t>()), true;
    case 16:
      return visit(Type<Bits128>()), true;
    default:
      return visit(Type<uint64_t>()), true;
  }
}

}  // namespace oneagent
