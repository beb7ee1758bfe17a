#include "core/ops/op_upsample.h"

#include "core/ops/upsample.h"
#include "core/ops/upsample_backward.h"

namespace oneagent {
namespace {

using Scales = std::initializer_list<std::optional<double>>;

void check_size(UpsampleKind which, const Shape& output_size) {
  OA_REQUIRE(output_size.size() == dims_of(which), name_of(which), ": output_size must have ",
             dims_of(which), " values, was ", output_size);
}
std::array<double, 3> numbers(const Scales& scales) {
  std::array<double, 3> out = {};
  std::transform(scales.begin(), scales.end(), out.begin(),
                 [](const std::optional<double>& scale) { return scale.value_or(0.0); });
  return out;
}

Tensor to_size(UpsampleKind which, const Tensor& input, const Shape& output_size,
               bool align_corners, const Scales& scales) {
  check_size(which, output_size);
  return upsample(which, input, output_size, align_corners, numbers(scales).data());
}

// A size or factors: PyTorch's compute_output_size.
Tensor to_either(UpsampleKind which, const Tensor& input, const OptionalShape& output_size,
                 bool align_corners, const std::optional<std::vector<double>>& scale_factors) {
  const size_t dims = dims_of(which);
  OA_REQUIRE(output_size.has_value() != scale_factors.has_value(), name_of(which),
             ": either output_size or scale_factors must be given");
  OA_REQUIRE(static_cast<size_t>(input.dim()) == dims + 2, name_of(which), ": expected ", dims + 2,
             " dimensions, was shape ", input.sizes());
  std::array<double, 3> scales = {};
  if (output_size.has_value()) {
    check_size(which, *output_size);
    return upsample(which, input, *output_size, align_corners, scales.data());
  }
  OA_REQUIRE(scale_factors->size() == dims, name_of(which), ": scale_factors must have ", dims,
             " values, had ", scale_factors->size());
  Shape sizes;
  for (size_t d = 0; d < dims; ++d) {
    scales[d] = (*scale_factors)[d];
    sizes.push_back(static_cast<int64_t>(static_cast<double>(input.sizes()[d + 2]) * scales[d]));
  }
  return upsample(which, input, sizes, align_corners, scales.data());
}

Tensor back(UpsampleKind which, const Tensor& grad_output, const Shape& output_size,
            const Shape& input_size, bool align_corners, const Scales& scales) {
  check_size(which, output_size);
  return upsample_backward(which, grad_output, output_size, input_size, align_corners,
                           numbers(scales).data());
}

}  // namespace

Tensor upsample_nearest1d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearest1d, input, output_size, false, scale_factors);
}
Tensor upsample_nearest1d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales) {
  return to_size(UpsampleKind::kNearest1d, input, output_size, false, {scales});
}
Tensor upsample_nearest1d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size, std::optional<double> scales) {
  return back(UpsampleKind::kNearest1d, grad_output, output_size, input_size, false, {scales});
}

Tensor upsample_nearest2d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearest2d, input, output_size, false, scale_factors);
}
Tensor upsample_nearest2d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kNearest2d, input, output_size, false, {scales_h, scales_w});
}
Tensor upsample_nearest2d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size, std::optional<double> scales_h,
                                   std::optional<double> scales_w) {
  return back(UpsampleKind::kNearest2d, grad_output, output_size, input_size, false,
              {scales_h, scales_w});
}

Tensor upsample_nearest3d(const Tensor& input, OptionalShape output_size,
                          const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearest3d, input, output_size, false, scale_factors);
}
Tensor upsample_nearest3d(const Tensor& input, const Shape& output_size,
                          std::optional<double> scales_d, std::optional<double> scales_h,
                          std::optional<double> scales_w) {
  return to_size(UpsampleKind::kNearest3d, input, output_size, false,
                 {scales_d, scales_h, scales_w});
}
Tensor upsample_nearest3d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size, std::optional<double> scales_d,
                                   std::optional<double> scales_h, std::optional<double> scales_w) {
  return back(UpsampleKind::kNearest3d, grad_output, output_size, input_size, false,
              {scales_d, scales_h, scales_w});
}

Tensor _upsample_nearest_exact1d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearestExact1d, input, output_size, false, scale_factors);
}
Tensor _upsample_nearest_exact1d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales) {
  return to_size(UpsampleKind::kNearestExact1d, input, output_size, false, {scales});
}
Tensor _upsample_nearest_exact1d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size, std::optional<double> scales) {
  return back(UpsampleKind::kNearestExact1d, grad_output, output_size, input_size, false, {scales});
}

Tensor _upsample_nearest_exact2d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearestExact2d, input, output_size, false, scale_factors);
}
Tensor _upsample_nearest_exact2d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kNearestExact2d, input, output_size, false, {scales_h, scales_w});
}
Tensor _upsample_nearest_exact2d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size, std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return back(UpsampleKind::kNearestExact2d, grad_output, output_size, input_size, false,
              {scales_h, scales_w});
}

Tensor _upsample_nearest_exact3d(const Tensor& input, OptionalShape output_size,
                                 const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kNearestExact3d, input, output_size, false, scale_factors);
}
Tensor _upsample_nearest_exact3d(const Tensor& input, const Shape& output_size,
                                 std::optional<double> scales_d, std::optional<double> scales_h,
                                 std::optional<double> scales_w) {
  return to_size(UpsampleKind::kNearestExact3d, input, output_size, false,
                 {scales_d, scales_h, scales_w});
}
Tensor _upsample_nearest_exact3d_backward(const Tensor& grad_output, const Shape& output_size,
                                          const Shape& input_size, std::optional<double> scales_d,
                                          std::optional<double> scales_h,
                                          std::optional<double> scales_w) {
  return back(UpsampleKind::kNearestExact3d, grad_output, output_size, input_size, false,
              {scales_d, scales_h, scales_w});
}

Tensor upsample_linear1d(const Tensor& input, OptionalShape output_size, bool align_corners,
                         const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kLinear1d, input, output_size, align_corners, scale_factors);
}
Tensor upsample_linear1d(const Tensor& input, const Shape& output_size, bool align_corners,
                         std::optional<double> scales) {
  return to_size(UpsampleKind::kLinear1d, input, output_size, align_corners, {scales});
}
Tensor upsample_linear1d_backward(const Tensor& grad_output, const Shape& output_size,
                                  const Shape& input_size, bool align_corners,
                                  std::optional<double> scales) {
  return back(UpsampleKind::kLinear1d, grad_output, output_size, input_size, align_corners,
              {scales});
}

Tensor upsample_bilinear2d(const Tensor& input, OptionalShape output_size, bool align_corners,
                           const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kBilinear2d, input, output_size, align_corners, scale_factors);
}
Tensor upsample_bilinear2d(const Tensor& input, const Shape& output_size, bool align_corners,
                           std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kBilinear2d, input, output_size, align_corners,
                 {scales_h, scales_w});
}
Tensor upsample_bilinear2d_backward(const Tensor& grad_output, const Shape& output_size,
                                    const Shape& input_size, bool align_corners,
                                    std::optional<double> scales_h,
                                    std::optional<double> scales_w) {
  return back(UpsampleKind::kBilinear2d, grad_output, output_size, input_size, align_corners,
              {scales_h, scales_w});
}

Tensor upsample_trilinear3d(const Tensor& input, OptionalShape output_size, bool align_corners,
                            const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kTrilinear3d, input, output_size, align_corners, scale_factors);
}
Tensor upsample_trilinear3d(const Tensor& input, const Shape& output_size, bool align_corners,
                            std::optional<double> scales_d, std::optional<double> scales_h,
                            std::optional<double> scales_w) {
  return to_size(UpsampleKind::kTrilinear3d, input, output_size, align_corners,
                 {scales_d, scales_h, scales_w});
}
Tensor upsample_trilinear3d_backward(const Tensor& grad_output, const Shape& output_size,
                                     const Shape& input_size, bool align_corners,
                                     std::optional<double> scales_d, std::optional<double> scales_h,
                                     std::optional<double> scales_w) {
  return back(UpsampleKind::kTrilinear3d, grad_output, output_size, input_size, align_corners,
              {scales_d, scales_h, scales_w});
}

Tensor upsample_bicubic2d(const Tensor& input, OptionalShape output_size, bool align_corners,
                          const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kBicubic2d, input, output_size, align_corners, scale_factors);
}
Tensor upsample_bicubic2d(const Tensor& input, const Shape& output_size, bool align_corners,
                          std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kBicubic2d, input, output_size, align_corners, {scales_h, scales_w});
}
Tensor upsample_bicubic2d_backward(const Tensor& grad_output, const Shape& output_size,
                                   const Shape& input_size, bool align_corners,
                                   std::optional<double> scales_h, std::optional<double> scales_w) {
  return back(UpsampleKind::kBicubic2d, grad_output, output_size, input_size, align_corners,
              {scales_h, scales_w});
}

Tensor _upsample_bilinear2d_aa(const Tensor& input, OptionalShape output_size, bool align_corners,
                               const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kBilinear2dSmooth, input, output_size, align_corners,
                   scale_factors);
}
Tensor _upsample_bilinear2d_aa(const Tensor& input, const Shape& output_size, bool align_corners,
                               std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kBilinear2dSmooth, input, output_size, align_corners,
                 {scales_h, scales_w});
}
Tensor _upsample_bilinear2d_aa_backward(const Tensor& grad_output, const Shape& output_size,
                                        const Shape& input_size, bool align_corners,
                                        std::optional<double> scales_h,
                                        std::optional<double> scales_w) {
  return back(UpsampleKind::kBilinear2dSmooth, grad_output, output_size, input_size, align_corners,
              {scales_h, scales_w});
}

Tensor _upsample_bicubic2d_aa(const Tensor& input, OptionalShape output_size, bool align_corners,
                              const std::optional<std::vector<double>>& scale_factors) {
  return to_either(UpsampleKind::kBicubic2dSmooth, input, output_size, align_corners,
                   scale_factors);
}
Tensor _upsample_bicubic2d_aa(const Tensor& input, const Shape& output_size, bool align_corners,
                              std::optional<double> scales_h, std::optional<double> scales_w) {
  return to_size(UpsampleKind::kBicubic2dSmooth, input, output_size, align_corners,
                 {scales_h, scales_w});
}
Tensor _upsample_bicubic2d_aa_backward(const Tensor& grad_output, const Shape& output_size,
                                       const Shape& input_size, bool align_corners,
                                       std::optional<double> scales_h,
                                       std::optional<double> scales_w) {
  return back(UpsampleKind::kBicubic2dSmooth, grad_output, output_size, input_size, align_corners,
              {scales_h, scales_w});
}

}  // namespace oneagent
