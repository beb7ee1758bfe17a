// Windows of images [n, c, h, w] as columns [n, c kernel_h kernel_w, windows] and back; contiguous.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

struct UnfoldShape {
  int64_t images, channels, size[2], kernel[2], dilation[2], padding[2], stride[2], windows[2];
};
void run_unfold(Stream& stream, const UnfoldShape& shape, const Tensor& columns,
                const Tensor& images);
// The transpose: sums of columns.
void run_fold(Stream& stream, const UnfoldShape& shape, const Tensor& images,
              const Tensor& columns);

}  // namespace oneagent
