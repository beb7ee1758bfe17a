// How elementwise functions choose the type that they compute in and call their record. Operands of
// several types are promoted as PyTorch does (core/tensor/promote.h); in place the result must be
// of a category that self can hold.
#pragma once

#include "core/ops/op_support.h"

namespace oneagent {

struct Elementwise {
  // kFloating: integers and bool become the default floating type first.
  enum Kind : uint8_t { kAny, kFloating };

  static DType type_of(Kind kind, const Tensor& a, const Tensor& b);
  static DType type_of(Kind kind, const Tensor& a, Scalar b);
  static DType type_of(Kind kind, const Tensor& a, const Tensor& b, const Tensor& c);

  static Tensor call(const Op& op, Kind kind, const Tensor& x, const Attrs& attrs = {});
  static const Tensor& call_(const Op& op, Kind kind, const Tensor& self, const Attrs& attrs = {});

  static Tensor call(const Op& op, Kind kind, const Tensor& a, const Tensor& b,
                     const Attrs& attrs = {});
  static Tensor call(const Op& op, Kind kind, const Tensor& a, Scalar b, const Attrs& attrs = {});
  static Tensor call(const Op& op, Kind kind, Scalar a, const Tensor& b, const Attrs& attrs = {});
  static const Tensor& call_(const Op& op, Kind kind, const Tensor& self, const Tensor& other,
                             const Attrs& attrs = {});
  static const Tensor& call_(const Op& op, Kind kind, const Tensor& self, Scalar other,
                             const Attrs& attrs = {});

  static Tensor call(const Op& op, Kind kind, const Tensor& a, const Tensor& b, const Tensor& c,
                     const Attrs& attrs = {});
  static const Tensor& call_(const Op& op, Kind kind, const Tensor& self, const Tensor& b,
                             const Tensor& c, const Attrs& attrs = {});

  // self = result, computed out of place before; `name` without the underscore.
  static const Tensor& store(const char* name, const Tensor& self, const Tensor& result);
  static void require_storable(const char* name, DType result, const Tensor& self);
};

}  // namespace oneagent
