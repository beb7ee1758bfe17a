// What libtorch calls OptionalIntArrayRef: a list of dimensions that may be absent. One number and
// a braced list are lists, too: sum(x, 1), sum(x, {0, 2}, true).
#pragma once

#include <optional>

#include "core/base/array_ref.h"
#include "core/base/shape.h"

namespace oneagent {

class OptionalShape : public std::optional<Shape> {
 public:
  OptionalShape() = default;
  OptionalShape(std::nullopt_t) {}                                     // NOLINT: implicit
  OptionalShape(const Shape& list) : optional(list) {}                 // NOLINT
  OptionalShape(const std::optional<Shape>& list) : optional(list) {}  // NOLINT
  OptionalShape(const std::vector<int64_t>& list) : optional(list) {}  // NOLINT
  OptionalShape(ArrayRef<int64_t> list) : optional(Shape(list.data(), list.size())) {}  // NOLINT
  OptionalShape(std::initializer_list<int64_t> list) : optional(list) {}                // NOLINT
  OptionalShape(int64_t dim) : optional(Shape{dim}) {}                                  // NOLINT
};

}  // namespace oneagent
