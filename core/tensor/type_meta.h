// TypeMeta: what Tensor::dtype() returns, a DType that prints as libtorch prints it ("float").
#pragma once

#include <ostream>
#include <type_traits>

#include "core/base/dtype.h"

namespace oneagent {

using ScalarType = DType;

// "Float", "Long", ...: libtorch's names of the scalar types.
const char* toString(DType dtype);
std::ostream& operator<<(std::ostream& out, DType dtype);

class TypeMeta {
 public:
  constexpr TypeMeta() = default;
  constexpr TypeMeta(DType dtype) : dtype_(dtype) {}   // NOLINT: implicit like libtorch's
  constexpr operator DType() const { return dtype_; }  // NOLINT
  constexpr DType toScalarType() const { return dtype_; }
  template <class T>
  static TypeMeta Make() {
    return dtype_of<T>;
  }
  template <class T>
  bool Match() const {
    return dtype_ == dtype_of<T>;
  }
  size_t itemsize() const { return dtype_ == DType::Undefined ? 0 : size_of(dtype_); }
  const char* name() const;  // "float", "long int", ...
  bool isScalarType() const { return dtype_ != DType::Undefined; }
  bool isScalarType(DType dtype) const { return dtype_ == dtype; }
  DType id() const { return dtype_; }  // types are their own identifiers
  template <class T>
  static DType Id() {
    return dtype_of<T>;
  }
  template <class T>
  static const char* TypeName() {
    return TypeMeta(dtype_of<T>).name();
  }
  template <class T>
  static constexpr size_t ItemSize() {
    return sizeof(T);
  }
  static TypeMeta fromScalarType(DType dtype) { return dtype; }

  friend constexpr bool operator==(TypeMeta a, TypeMeta b) { return a.dtype_ == b.dtype_; }
  friend constexpr bool operator==(TypeMeta a, DType b) { return a.dtype_ == b; }
  friend constexpr bool operator!=(TypeMeta a, TypeMeta b) { return a.dtype_ != b.dtype_; }
  friend constexpr bool operator!=(TypeMeta a, DType b) { return a.dtype_ != b; }
  friend constexpr bool operator==(DType a, TypeMeta b) { return a == b.dtype_; }
  friend constexpr bool operator!=(DType a, TypeMeta b) { return a != b.dtype_; }
  friend std::ostream& operator<<(std::ostream& out, TypeMeta meta) { return out << meta.name(); }

 private:
  DType dtype_ = DType::Undefined;
};

template <class T>
struct CppTypeToScalarType : std::integral_constant<DType, dtype_of<T>> {};

inline DType typeMetaToScalarType(TypeMeta meta) { return meta; }
inline TypeMeta scalarTypeToTypeMeta(DType dtype) { return dtype; }

inline bool isFloatingType(DType dtype) { return is_floating(dtype); }
inline bool isIntegralType(DType dtype, bool include_bool = false) {
  return is_integral(dtype, include_bool);
}
inline bool isComplexType(DType dtype) { return is_complex(dtype); }
inline DType toComplexType(DType dtype) { return complex_type_of(dtype); }
inline DType toRealValueType(DType dtype) { return real_type_of(dtype); }
inline size_t elementSize(DType dtype) { return size_of(dtype); }

}  // namespace oneagent
