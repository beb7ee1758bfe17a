#include "core/io/arrays.h"

#include "core/graph/context.h"
#include "core/kernels/copy.h"
#include "core/tensor/global_parts.h"

namespace oneagent::io {

ring::Array array_from(std::string name, const Tensor& tensor) {
  ring::MutableArray made = ring::make_array(std::move(name), tensor.dtype(), tensor.sizes());
  const Tensor target = from_blob(made.data, tensor.sizes(), tensor.dtype());
  copy_into(context().stream, target, whole_values(tensor));
  return std::move(made.array);
}

Tensor tensor_over(const ring::Array& array) {
  return from_blob(
      const_cast<uint8_t*>(array.data), array.shape, [owner = array.owner](void*) {}, array.dtype);
}

Tensor tensor_from(const ring::Array& array) {
  return contiguous_copy(context().stream, tensor_over(array));
}

}  // namespace oneagent::io
