// Rearrangements of channels and pixels.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// [..., c r^2, h, w] -> [..., c, h r, w r]: channel (c, i, j) becomes the pixels (y r + i, x r +
// j).
Tensor pixel_shuffle(const Tensor& input, int64_t upscale_factor);
// The way back: [..., c, h r, w r] -> [..., c r^2, h, w].
Tensor pixel_unshuffle(const Tensor& input, int64_t downscale_factor);
// [n, c, ...]: channels as (groups, c / groups) become (c / groups, groups).
Tensor channel_shuffle(const Tensor& input, int64_t groups);
Tensor native_channel_shuffle(const Tensor& input, int64_t groups);

}  // namespace oneagent
