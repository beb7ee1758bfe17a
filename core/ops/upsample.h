// Interpolation of [N, C, spatial...] to another size. Two forms of each: with a size and the
// factors that it comes from (they decide where values lie, unless align_corners does), and with
// either a size or factors, one for each spatial dimension. "exact" takes the value nearest to the
// middle; _aa widens its filter when it shrinks. nearest takes any type, the others floating ones.
#pragma once

#include <vector>

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

Tensor upsample_nearest1d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_nearest1d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales = std::nullopt);
Tensor upsample_nearest2d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_nearest2d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales_h = std::nullopt,
                          std::optional<double> scales_w = std::nullopt);
Tensor upsample_nearest3d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_nearest3d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales_d = std::nullopt,
                          std::optional<double> scales_h = std::nullopt,
                          std::optional<double> scales_w = std::nullopt);

Tensor _upsample_nearest_exact1d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors);
Tensor _upsample_nearest_exact1d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales = std::nullopt);
Tensor _upsample_nearest_exact2d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors);
Tensor _upsample_nearest_exact2d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales_h = std::nullopt,
                                 std::optional<double> scales_w = std::nullopt);
Tensor _upsample_nearest_exact3d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors);
Tensor _upsample_nearest_exact3d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales_d = std::nullopt,
                                 std::optional<double> scales_h = std::nullopt,
                                 std::optional<double> scales_w = std::nullopt);

Tensor upsample_linear1d(const Tensor& input, OptionalShape output_size, bool align_corners,
                         const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_linear1d(const Tensor& input, const Shape& output_size, bool align_corners,
                         std::optional<double> scales = std::nullopt);
Tensor upsample_bilinear2d(const Tensor& input, OptionalShape output_size, bool align_corners,
                           const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_bilinear2d(const Tensor& input, const Shape& output_size, bool align_corners,
                           std::optional<double> scales_h = std::nullopt,
                           std::optional<double> scales_w = std::nullopt);
Tensor upsample_trilinear3d(const Tensor& input, OptionalShape output_size, bool align_corners,
                            const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_trilinear3d(const Tensor& input, const Shape& output_size, bool align_corners,
                            std::optional<double> scales_d = std::nullopt,
                            std::optional<double> scales_h = std::nullopt,
                            std::optional<double> scales_w = std::nullopt);
Tensor upsample_bicubic2d(const Tensor& input, OptionalShape output_size, bool align_corners,
                          const std::optional<std::vector<double>>& scale_factors);
Tensor upsample_bicubic2d(const Tensor& input, const Shape& output_size, bool align_corners,
                          std::optional<double> scales_h = std::nullopt,
                          std::optional<double> scales_w = std::nullopt);
Tensor _upsample_bilinear2d_aa(const Tensor& input, OptionalShape output_size, bool align_corners,
                               const std::optional<std::vector<double>>& scale_factors);
Tensor _upsample_bilinear2d_aa(const Tensor& input, const Shape& output_size, bool align_corners,
                               std::optional<double> scales_h = std::nullopt,
                               std::optional<double> scales_w = std::nullopt);
Tensor _upsample_bicubic2d_aa(const Tensor& input, OptionalShape output_size, bool align_corners,
                              const std::optional<std::vector<double>>& scale_factors);
Tensor _upsample_bicubic2d_aa(const Tensor& input, const Shape& output_size, bool align_corners,
                              std::optional<double> scales_h = std::nullopt,
                              std::optional<double> scales_w = std::nullopt);

}  // namespace oneagent
