// Resampling of images: folding, interpolation, sampling at a grid, pixel shuffling.
#pragma once

#include "core/nn/options/fold.h"
#include "core/nn/options/pixelshuffle.h"
#include "core/nn/options/upsampling.h"
#include "core/nn/options/vision.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn::functional {

Tensor fold(const Tensor& input, const FoldFuncOptions& options);      // sums windows into an image
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options);  // windows of an image
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options);
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options);
Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options = {});
Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners = false);
Tensor grid_sample(const Tensor& input, const Tensor& grid,
                   const GridSampleFuncOptions& options = {});

}  // namespace oneagent::nn::functional
