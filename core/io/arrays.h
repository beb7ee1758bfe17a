// Between tensors and what travels the ring: ring::Array.
#pragma once

#include "core/data/array_set.h"
#include "core/tensor/tensor.h"

namespace oneagent::io {

ring::Array array_from(std::string name, const Tensor& tensor);  // a copy
Tensor tensor_over(const ring::Array& array);  // no copy: shares the array's memory and keeps it
                                               // alive; only for reading
Tensor tensor_from(const ring::Array& array);  // a private copy

}  // namespace oneagent::io
