// Numbers written into tensors.
#pragma once

#include "core/base/dtype.h"
#include "core/tensor/scalar.h"

namespace oneagent {

// Throws std::runtime_error where a tensor of `dtype` cannot hold the number: beyond its range, or
// NaN among integers. Negative numbers wrap in unsigned types, and 16-bit floats become infinite.
inline void require_fits(const Scalar& value, DType dtype) {
  if (value.is_complex() || dtype == DType::kBool) return;
  with_any(dtype, [&]<class T>(Type<T>) {
    if constexpr (std::is_arithmetic_v<T>) (void)value.checked_to<T>();
  });
}

}  // namespace oneagent
