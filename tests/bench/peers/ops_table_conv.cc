// Convolutions, pooling, interpolation, grids and patches.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {
namespace {

Tensor image(int64_t n, int64_t channels, int64_t side) {
  return torch::randn({n, channels, side, side});
}

template <class Result>
Tensor head(Result&& result) {
  return std::get<0>(result);
}

}  // namespace

void convolutions() {
  const Tensor x1 = torch::randn({pick(2, 8), pick(4, 64), pick(16, 256)});
  const Tensor w1 = torch::randn({pick(4, 64), pick(4, 64), 3});
  const Tensor x = image(pick(1, 8), pick(4, 64), pick(8, 28));
  const Tensor w3 = image(pick(4, 64), pick(4, 64), 3);
  const Tensor w5 = image(pick(4, 32), pick(4, 64), 5);
  const Tensor one = image(pick(4, 128), pick(4, 64), 1);
  const Tensor deep = torch::randn({pick(4, 64), 1, 3, 3});
  const Tensor groups = torch::randn({pick(4, 64), pick(2, 16), 3, 3});
  const Tensor bias = torch::randn({pick(4, 64)});
  const Tensor rgb = image(pick(1, 4), 3, pick(16, 112));
  const Tensor w7 = image(pick(4, 32), 3, 7);
  const Tensor x3 = torch::randn({pick(1, 2), pick(2, 16), pick(6, 16), pick(6, 16), pick(6, 16)});
  const Tensor w333 = torch::randn({pick(2, 16), pick(2, 16), 3, 3, 3});
  const Tensor up = image(pick(4, 64), pick(4, 32), 4);
  OA_BOTH("conv1d", OA_LEAVES(x1, w1), torch::conv1d(x1, w1, {}, 1, 1));
  OA_BOTH("conv2d 3x3", OA_LEAVES(x, w3, bias), torch::conv2d(x, w3, bias, 1, 1));
  OA_BOTH("conv2d 3x3 stride 2", OA_LEAVES(x, w3), torch::conv2d(x, w3, {}, 2, 1));
  OA_BOTH("conv2d 3x3 dilated", OA_LEAVES(x, w3), torch::conv2d(x, w3, {}, 1, 2, 2));
  OA_BOTH("conv2d 5x5", OA_LEAVES(x, w5), torch::conv2d(x, w5, {}, 1, 2));
  OA_BOTH("conv2d 7x7 rgb", OA_LEAVES(w7), torch::conv2d(rgb, w7, {}, 2, 3));
  OA_BOTH("conv2d 1x1", OA_LEAVES(x, one), torch::conv2d(x, one));
  OA_BOTH("conv2d depthwise", OA_LEAVES(x, deep), torch::conv2d(x, deep, {}, 1, 1, 1, pick(4, 64)));
  OA_BOTH("conv2d depthwise stride 2", OA_LEAVES(x, deep),
          torch::conv2d(x, deep, {}, 2, 1, 1, pick(4, 64)));
  OA_BOTH("conv2d groups", OA_LEAVES(x, groups), torch::conv2d(x, groups, {}, 1, 1, 1, pick(2, 4)));
  OA_BOTH("conv3d", OA_LEAVES(x3, w333), torch::conv3d(x3, w333, {}, 1, 1));
  OA_BOTH("conv_transpose1d", OA_LEAVES(x1, w1), torch::conv_transpose1d(x1, w1, {}, 2, 1));
  OA_BOTH("conv_transpose2d", OA_LEAVES(x, up), torch::conv_transpose2d(x, up, {}, 2, 1));
  OA_BOTH("conv_transpose3d", OA_LEAVES(x3, w333), torch::conv_transpose3d(x3, w333, {}, 2, 1));
  OA_BOTH("conv_tbc", OA_LEAVES(x1),
          torch::conv_tbc(x1.permute({2, 0, 1}).contiguous(), w1.permute({2, 0, 1}).contiguous(),
                          torch::zeros({pick(4, 64)}), 1));
  OA_BOTH("im2col", OA_LEAVES(x), torch::im2col(x, {3, 3}, {1, 1}, {1, 1}, {1, 1}));
  const Tensor columns = torch::im2col(x, {3, 3}, {1, 1}, {1, 1}, {1, 1});
  const int64_t side = x.size(2);
  OA_BOTH("col2im", OA_LEAVES(columns),
          torch::col2im(columns, {side, side}, {3, 3}, {1, 1}, {1, 1}, {1, 1}));
}

void pooling() {
  const Tensor x1 = torch::randn({pick(2, 16), pick(4, 64), pick(16, 256)});
  const Tensor x = image(pick(1, 16), pick(4, 64), pick(8, 32));
  const Tensor x3 = torch::randn({pick(1, 2), pick(2, 32), pick(6, 24), pick(6, 24), pick(6, 24)});
  OA_BOTH("max_pool1d", OA_LEAVES(x1), torch::max_pool1d(x1, 2));
  OA_BOTH("max_pool2d 2", OA_LEAVES(x), torch::max_pool2d(x, 2));
  OA_BOTH("max_pool2d 3 stride 2", OA_LEAVES(x), torch::max_pool2d(x, 3, 2, 1));
  OA_BOTH("max_pool2d_with_indices", OA_LEAVES(x), head(torch::max_pool2d_with_indices(x, 3, 1)));
  OA_BOTH("max_pool3d", OA_LEAVES(x3), torch::max_pool3d(x3, 2));
  OA_BOTH("avg_pool1d", OA_LEAVES(x1), torch::avg_pool1d(x1, 2));
  OA_BOTH("avg_pool2d 2", OA_LEAVES(x), torch::avg_pool2d(x, 2));
  OA_BOTH("avg_pool2d 3 stride 2", OA_LEAVES(x), torch::avg_pool2d(x, 3, 2, 1));
  OA_BOTH("avg_pool3d", OA_LEAVES(x3), torch::avg_pool3d(x3, 2));
  OA_BOTH("adaptive_avg_pool1d", OA_LEAVES(x1), torch::adaptive_avg_pool1d(x1, 4));
  OA_BOTH("adaptive_avg_pool2d 1", OA_LEAVES(x), torch::adaptive_avg_pool2d(x, {1, 1}));
  OA_BOTH("adaptive_avg_pool2d 7", OA_LEAVES(x), torch::adaptive_avg_pool2d(x, {7, 7}));
  OA_BOTH("adaptive_avg_pool3d", OA_LEAVES(x3), torch::adaptive_avg_pool3d(x3, {2, 2, 2}));
  OA_BOTH("adaptive_max_pool1d", OA_LEAVES(x1), head(torch::adaptive_max_pool1d(x1, 4)));
  OA_BOTH("adaptive_max_pool2d", OA_LEAVES(x), head(torch::adaptive_max_pool2d(x, {4, 4})));
  OA_BOTH("adaptive_max_pool3d", OA_LEAVES(x3), head(torch::adaptive_max_pool3d(x3, {2, 2, 2})));
  const Tensor samples = torch::rand({x.size(0), x.size(1), 2});
  OA_BOTH("fractional_max_pool2d", OA_LEAVES(x),
          head(torch::fractional_max_pool2d(x, {2, 2}, {4, 4}, samples)));
  const auto pooled = torch::max_pool2d_with_indices(x, 2);
  const Tensor values = std::get<0>(pooled).clone();
  const Tensor places = std::get<1>(pooled);
  OA_BOTH("max_unpool2d", OA_LEAVES(values),
          torch::max_unpool2d(values, places, {x.size(2), x.size(3)}));
}

void spatial() {
  const int64_t side = pick(4, 32);
  const int64_t to = pick(7, 56);
  const Tensor x = image(pick(1, 8), pick(2, 32), side);
  const Tensor x1 = torch::randn({pick(1, 8), pick(2, 32), side * side});
  const Tensor x3 = torch::randn({pick(1, 2), pick(2, 16), pick(4, 16), pick(4, 16), pick(4, 16)});
  const std::vector<int64_t> to2 = {to, to};
  const std::vector<int64_t> to3 = {pick(7, 28), pick(7, 28), pick(7, 28)};
  const std::vector<int64_t> half = {side / 2, side / 2};
  OA_BOTH("upsample_nearest1d", OA_LEAVES(x1), torch::upsample_nearest1d(x1, {side * side * 2}));
  OA_BOTH("upsample_nearest2d", OA_LEAVES(x), torch::upsample_nearest2d(x, to2));
  OA_BOTH("upsample_nearest2d twice", OA_LEAVES(x),
          torch::upsample_nearest2d(x, {2 * side, 2 * side}));
  OA_BOTH("upsample_nearest3d", OA_LEAVES(x3), torch::upsample_nearest3d(x3, to3));
  OA_BOTH("_upsample_nearest_exact2d", OA_LEAVES(x), torch::_upsample_nearest_exact2d(x, to2));
  OA_BOTH("upsample_linear1d", OA_LEAVES(x1),
          torch::upsample_linear1d(x1, {side * side * 2}, false));
  OA_BOTH("upsample_bilinear2d", OA_LEAVES(x), torch::upsample_bilinear2d(x, to2, false));
  OA_BOTH("upsample_bilinear2d corners", OA_LEAVES(x), torch::upsample_bilinear2d(x, to2, true));
  OA_BOTH("upsample_bicubic2d", OA_LEAVES(x), torch::upsample_bicubic2d(x, to2, false));
  OA_BOTH("upsample_trilinear3d", OA_LEAVES(x3), torch::upsample_trilinear3d(x3, to3, false));
  OA_BOTH("_upsample_bilinear2d_aa", OA_LEAVES(x), torch::_upsample_bilinear2d_aa(x, half, false));
  OA_BOTH("_upsample_bicubic2d_aa", OA_LEAVES(x), torch::_upsample_bicubic2d_aa(x, half, false));
  const Tensor grid = number_in(-1, 1, {x.size(0), to, to, 2});
  const Tensor grid3 = number_in(-1, 1, {x3.size(0), side / 2, side / 2, side / 2, 3});
  OA_BOTH("grid_sampler bilinear", OA_LEAVES(x, grid), torch::grid_sampler(x, grid, 0, 0, false));
  OA_BOTH("grid_sampler nearest", OA_LEAVES(x), torch::grid_sampler(x, grid, 1, 0, false));
  OA_BOTH("grid_sampler bicubic", OA_LEAVES(x, grid), torch::grid_sampler(x, grid, 2, 0, false));
  OA_BOTH("grid_sampler border", OA_LEAVES(x, grid), torch::grid_sampler(x, grid, 0, 1, true));
  OA_BOTH("grid_sampler 3-d", OA_LEAVES(x3, grid3), torch::grid_sampler(x3, grid3, 0, 0, false));
  const Tensor theta = torch::randn({x.size(0), 2, 3});
  OA_BOTH("affine_grid_generator", OA_LEAVES(theta),
          torch::affine_grid_generator(theta, {x.size(0), 3, to, to}, false));
}

}  // namespace ops_table
