#include "core/tensor/tensor_impl.h"

namespace oneagent {

Shape contiguous_strides(const Shape& sizes) {
  Shape strides = sizes;
  int64_t stride = 1;
  for (size_t i = sizes.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<int64_t>(sizes[i], 1);
  }
  return strides;
}

bool is_contiguous(const TensorMeta& meta) {
  int64_t stride = 1;
  for (size_t i = meta.sizes.size(); i-- > 0;) {
    if (meta.sizes[i] == 0) return true;
    if (meta.sizes[i] != 1 && meta.strides[i] != stride) return false;
    stride *= meta.sizes[i];
  }
  return true;
}

}  // namespace oneagent
