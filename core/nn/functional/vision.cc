#include "core/nn/functional/vision.h"

#include <cmath>

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor fold(const Tensor& input, const FoldFuncOptions& options) {
  OA_REQUIRE(input.dim() == 3 || input.dim() == 2,
             "Input Error: Only unbatched (2D) or batched (3D) input Tensors are supported (got ",
             input.dim(), "D)");
  return oneagent::col2im(input, options.output_size(), options.kernel_size(), options.dilation(),
                          options.padding(), options.stride());
}
Tensor unfold(const Tensor& input, const UnfoldFuncOptions& options) {
  OA_REQUIRE(input.dim() == 4, "Input Error: Only 4D input Tensors are supported (got ",
             input.dim(), "D)");
  return oneagent::im2col(input, options.kernel_size(), options.dilation(), options.padding(),
                          options.stride());
}
Tensor pixel_shuffle(const Tensor& input, const PixelShuffleFuncOptions& options) {
  return oneagent::pixel_shuffle(input, options.upscale_factor());
}
Tensor pixel_unshuffle(const Tensor& input, const PixelUnshuffleFuncOptions& options) {
  return oneagent::pixel_unshuffle(input, options.downscale_factor());
}

namespace {

struct Target {
  Shape size;
  std::vector<std::optional<double>> scales;  // as given, where the result follows them
};

Target target_of(const Tensor& input, const InterpolateFuncOptions& options) {
  const auto dims = static_cast<size_t>(input.dim() - 2);
  OA_REQUIRE(options.size() || options.scale_factor(),
             "either size or scale_factor should be defined");
  OA_REQUIRE(!options.size() || !options.scale_factor(),
             "only one of size or scale_factor should be defined");
  Target target;
  target.scales.assign(dims, std::nullopt);
  if (options.size()) {
    OA_REQUIRE(options.size()->size() == dims, "It is expected output_size equals to ", dims,
               ", but got size ", options.size()->size());
    target.size = *options.size();
    return target;
  }
  const std::vector<double>& factors = *options.scale_factor();
  OA_REQUIRE(factors.size() == dims, "scale_factor shape must match input shape. Input is ", dims,
             "D, scale_factor size is ", factors.size());
  for (size_t i = 0; i < dims; ++i) {
    const auto size = static_cast<double>(input.size(static_cast<int64_t>(i) + 2));
    target.size.push_back(static_cast<int64_t>(std::floor(size * factors[i])));
    if (!options.recompute_scale_factor().value_or(false)) target.scales[i] = factors[i];
  }
  return target;
}

}  // namespace

Tensor interpolate(const Tensor& input, const InterpolateFuncOptions& options) {
  const auto& mode = options.mode();
  const int64_t rank = input.dim();
  const auto is = [&](auto choice) { return std::holds_alternative<decltype(choice)>(mode); };
  OA_REQUIRE(!options.align_corners() || !(is(kNearest) || is(kArea)),
             "align_corners option can only be set with the interpolating modes: linear | bilinear "
             "| bicubic | trilinear");
  OA_REQUIRE(!options.antialias() || (rank == 4 && (is(kBilinear) || is(kBicubic))),
             "Anti-alias option is only supported for bilinear and bicubic modes");
  OA_REQUIRE(rank >= 3 && rank <= 5,
             "Input Error: Only 3D, 4D and 5D input Tensors supported (got ", rank,
             "D) for the modes: nearest | linear | bilinear | bicubic | trilinear (got ",
             enumtype::get_enum_name(mode), ")");
  const auto [size, scales] = target_of(input, options);
  const bool corners = options.align_corners().value_or(false);
  if (is(kNearest)) {
    if (rank == 3) return upsample_nearest1d(input, size, scales[0]);
    if (rank == 4) return upsample_nearest2d(input, size, scales[0], scales[1]);
    return upsample_nearest3d(input, size, scales[0], scales[1], scales[2]);
  }
  if (is(kNearestExact)) {
    if (rank == 3) return _upsample_nearest_exact1d(input, size, scales[0]);
    if (rank == 4) return _upsample_nearest_exact2d(input, size, scales[0], scales[1]);
    return _upsample_nearest_exact3d(input, size, scales[0], scales[1], scales[2]);
  }
  if (is(kArea)) {
    if (rank == 3) return adaptive_avg_pool1d(input, size);
    return rank == 4 ? adaptive_avg_pool2d(input, size) : adaptive_avg_pool3d(input, size);
  }
  if (is(kLinear) && rank == 3) return upsample_linear1d(input, size, corners, scales[0]);
  if (is(kTrilinear) && rank == 5)
    return upsample_trilinear3d(input, size, corners, scales[0], scales[1], scales[2]);
  OA_REQUIRE(rank == 4 && (is(kBilinear) || is(kBicubic)), "Got ", rank, "D input, but ",
             is(kLinear) ? "linear" : (is(kTrilinear) ? "trilinear" : "bilinear"), " mode needs ",
             is(kLinear) ? 3 : (is(kTrilinear) ? 5 : 4), "D input");
  if (is(kBilinear))
    return options.antialias() ? _upsample_bilinear2d_aa(input, size, corners, scales[0], scales[1])
                               : upsample_bilinear2d(input, size, corners, scales[0], scales[1]);
  return options.antialias() ? _upsample_bicubic2d_aa(input, size, corners, scales[0], scales[1])
                             : upsample_bicubic2d(input, size, corners, scales[0], scales[1]);
}

Tensor affine_grid(const Tensor& theta, const IntArrayRef& size, bool align_corners) {
  OA_REQUIRE(theta.is_floating_point(), "Expected theta to have floating point type, but got ",
             theta.dtype());
  OA_REQUIRE(size.size() == 4 || size.size() == 5,
             "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
             "respectively. Got size ",
             size);
  const auto dims = static_cast<int64_t>(size.size()) - 2;
  OA_REQUIRE(theta.dim() == 3 && theta.size(1) == dims && theta.size(2) == dims + 1,
             "Expected a batch of ", dims, "D affine matrices of shape Nx", dims, "x", dims + 1,
             " for size ", size, ". Got ", theta.sizes(), ".");
  OA_REQUIRE(*std::min_element(size.begin(), size.end()) > 0,
             "Expected non-zero, positive output size. Got ", size);
  return affine_grid_generator(theta, size, align_corners);
}

Tensor grid_sample(const Tensor& input, const Tensor& grid, const GridSampleFuncOptions& options) {
  const int64_t mode = std::holds_alternative<enumtype::kBilinear>(options.mode()) ? 0 : 1;
  const auto padding = static_cast<int64_t>(options.padding_mode().index());  // zeros, border, ...
  return grid_sampler(input, grid, mode, padding, options.align_corners().value_or(false));
}

}  // namespace oneagent::nn::functional
