// Numbers written into tensors.
#pragma once

#include "core/base/dtype.h"
#include "core/tensor/scalar.h"

namespace oneagent {

// Throws std::runtime_error where a tensor of `dtype` cannot hold the number: beyond its range, or
// NaN among integers. Negative numbers wrap in unsigned types.
inline void require_fits(const Scalar& value, DType dtype) {
  if (value.is_complex() || dtype == DType::kBool) return;
  with_any(dtype, [&]<class T>(Type<T>) { (void)value.to<T>(); });
}

// The same for a factor or limit beside a floating tensor; integers take any.
inline void require_factor(const Scalar& value, DType dtype) {
  if (is_floating(dtype)) require_fits(value, dtype);
}

}  // namespace oneagent
