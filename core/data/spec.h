// What an environment shows and takes: names, element types and shapes of one row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/dtype.h"
#include "core/base/shape.h"

namespace oneagent::ring {

struct FieldSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;  // of one row; [] is a scalar
};

struct ActionSpec {
  enum class Kind { kDiscrete, kContinuous };
  Kind kind = Kind::kDiscrete;
  int64_t count = 0;             // number of choices, or of dimensions
  std::vector<float> low, high;  // bounds per dimension; continuous only

  bool discrete() const { return kind == Kind::kDiscrete; }
  static ActionSpec choices(int64_t n) { return {Kind::kDiscrete, n, {}, {}}; }
  static ActionSpec box(std::vector<float> low, std::vector<float> high) {
    const auto dimensions = static_cast<int64_t>(low.size());
    return {Kind::kContinuous, dimensions, std::move(low), std::move(high)};
  }
};

}  // namespace oneagent::ring
