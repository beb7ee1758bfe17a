// 2-d convolution and pooling of [N, C, H, W].
#pragma once

#include "core/graph/op.h"

namespace oneagent {

// One number for both directions, or {vertical, horizontal}.
struct Pair {
  int64_t h, w;
  Pair(int64_t both) : h(both), w(both) {}  // NOLINT: implicit like libtorch's ExpandingArray
  Pair(int64_t vertical, int64_t horizontal) : h(vertical), w(horizontal) {}
};

// weight [out, C / groups, kh, kw], bias [out] or undefined -> [N, out, H', W'], H' = (H + 2
// padding - dilation (kh - 1) - 1) / stride + 1
Tensor conv2d(const Tensor& x, const Tensor& weight, const Tensor& bias = {}, Pair stride = 1,
              Pair padding = 0, Pair dilation = 1, int64_t groups = 1);

Tensor max_pool2d(const Tensor& x, Pair kernel_size, std::optional<Pair> stride = std::nullopt,
                  Pair padding = 0);  // stride: the kernel's size

}  // namespace oneagent
