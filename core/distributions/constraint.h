// What parameters and values of distributions must satisfy.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent::distributions {

enum class Constraint : uint8_t {
  kAny,
  kReal,  // not NaN
  kPositive,
  kNotNegative,
  kUnitInterval,  // [0, 1]
  kWithinOne,     // [-1, 1]
  kZeroOrOne,
  kWhole,          // 0, 1, 2, ...
  kSimplex,        // not negative; the last dimension sums to 1
  kOneHot,         // 0 except for a single 1 along the last dimension
  kLowerCholesky,  // 0 above the diagonal, positive on it
};

// An Error like "normal: scale must be positive, element 3 is -1".
void require(const char* distribution, const char* what, const Tensor& value,
             Constraint constraint);

// Every row [..., n] of a mask (bool) has a true entry.
void require_open_rows(const char* distribution, const Tensor& mask);

}  // namespace oneagent::distributions
