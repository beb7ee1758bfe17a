// Conversions, copies and constants.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// The tensor itself when it already is what is asked for, unless `copy`.
Tensor to(const Tensor& self, DType dtype, bool non_blocking = false, bool copy = false,
          std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor to(const Tensor& self, TypeMeta dtype, bool non_blocking = false, bool copy = false,
          std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor to(const Tensor& self, const TensorOptions& options, bool non_blocking = false,
          bool copy = false, std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor to(const Tensor& self, Device device, DType dtype, bool non_blocking = false,
          bool copy = false, std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor to(const Tensor& self, const Tensor& other, bool non_blocking = false, bool copy = false,
          std::optional<MemoryFormat> memory_format = std::nullopt);
Tensor toType(const Tensor& self, DType dtype);
Tensor type_as(const Tensor& self, const Tensor& other);

// A copy with gradient. Preserve keeps the strides of a dense tensor.
Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format = std::nullopt);
// The tensor itself when it is laid out like that.
Tensor contiguous(const Tensor& self, MemoryFormat memory_format = MemoryFormat::Contiguous);

// self = source, broadcast and converted.
const Tensor& copy_(const Tensor& self, const Tensor& source, bool non_blocking = false);
const Tensor& fill_(const Tensor& self, Scalar value);
const Tensor& fill_(const Tensor& self, const Tensor& value);  // of one element
const Tensor& zero_(const Tensor& self);
Tensor fill(const Tensor& self, Scalar value);

}  // namespace oneagent
