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

Shape strides_of(MemoryFormat format, const Shape& sizes) {
  const bool planar = format == MemoryFormat::ChannelsLast;
  if (!planar && format != MemoryFormat::ChannelsLast3d) return contiguous_strides(sizes);
  const size_t rank = planar ? 4 : 5;
  OA_REQUIRE(sizes.size() == rank, "memory format: ", format, " needs ", rank,
             " dimensions, the shape is ", sizes);
  Shape strides = sizes;
  int64_t stride = 1;
  const auto take = [&](size_t dim) {
    strides[dim] = stride;
    stride *= std::max<int64_t>(sizes[dim], 1);
  };
  take(1);
  for (size_t dim = rank; dim-- > 2;) take(dim);
  take(0);
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
