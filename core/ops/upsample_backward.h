// The gradients of interpolation: grad_output has output_size, the result input_size (all its
// dimensions). They are linear and differentiable, too.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor upsample_nearest1d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size,
                                   std::optional<double> scales = std::nullopt);
Tensor upsample_nearest2d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
Tensor upsample_nearest3d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size,
                                   std::optional<double> scales_d = std::nullopt,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
Tensor _upsample_nearest_exact1d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size,
                                          std::optional<double> scales = std::nullopt);
Tensor _upsample_nearest_exact2d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size,
                                          std::optional<double> scales_h = std::nullopt,
                                          std::optional<double> scales_w = std::nullopt);
Tensor _upsample_nearest_exact3d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size,
                                          std::optional<double> scales_d = std::nullopt,
                                          std::optional<double> scales_h = std::nullopt,
                                          std::optional<double> scales_w = std::nullopt);
Tensor upsample_linear1d_backward(const Tensor& grad_output, const Shape& output_size,
                                  const Shape& input_size, bool align_corners,
                                  std::optional<double> scales = std::nullopt);
Tensor upsample_bilinear2d_backward(const Tensor& grad_output, const Shape& output_size,
                                    const Shape& input_size, bool align_corners,
                                    std::optional<double> scales_h = std::nullopt,
                                    std::optional<double> scales_w = std::nullopt);
Tensor upsample_trilinear3d_backward(const Tensor& grad_output, const Shape& output_size,
                                     const Shape& input_size, bool align_corners,
                                     std::optional<double> scales_d = std::nullopt,
                                     std::optional<double> scales_h = std::nullopt,
                                     std::optional<double> scales_w = std::nullopt);
Tensor upsample_bicubic2d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size, bool align_corners,
                                   std::optional<double> scales_h = std::nullopt,
                                   std::optional<double> scales_w = std::nullopt);
Tensor _upsample_bilinear2d_aa_backward(const Tensor& grad_output, const Shape& output_size,
                                        const Shape& input_size, bool align_corners,
                                        std::optional<double> scales_h = std::nullopt,
                                        std::optional<double> scales_w = std::nullopt);
Tensor _upsample_bicubic2d_aa_backward(const Tensor& grad_output, const Shape& output_size,
                                       const Shape& input_size, bool align_corners,
                                       std::optional<double> scales_h = std::nullopt,
                                       std::optional<double> scales_w = std::nullopt);

}  // namespace oneagent
