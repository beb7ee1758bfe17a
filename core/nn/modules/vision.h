// Resampling of images as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/fold.h"
#include "core/nn/options/pixelshuffle.h"
#include "core/nn/options/upsampling.h"

namespace oneagent::nn {

OA_LAYER_OF(Fold, (const Tensor& input),
            (ExpandingArray<2> output_size, ExpandingArray<2> kernel_size),
            (output_size, kernel_size));
OA_LAYER_OF(Unfold, (const Tensor& input), (ExpandingArray<2> kernel_size), (kernel_size));
OA_LAYER_OF(PixelShuffle, (const Tensor& input), (int64_t upscale_factor), (upscale_factor));
OA_LAYER_OF(PixelUnshuffle, (const Tensor& input), (int64_t downscale_factor), (downscale_factor));
OA_LAYER(Upsample, (const Tensor& input));

}  // namespace oneagent::nn
