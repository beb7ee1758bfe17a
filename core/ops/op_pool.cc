#include "core/ops/op_pool.h"

#include "core/ops/index.h"
#include "core/ops/op_spatial.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// PyTorch's pooling_output_shape.
int64_t pooled_size(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation,
                    bool ceil_mode) {
  const int64_t room = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (room < 0 && !ceil_mode) return 0;
  const int64_t raised = room + (ceil_mode ? stride - 1 : 0);
  int64_t out = (raised >= 0 ? raised / stride : -1) + 1;
  if (ceil_mode && (out - 1) * stride >= size + padding) --out;
  return out;
}

std::string image_of(size_t dims) { return std::string("hwt").substr(0, dims); }
std::string result_of(size_t dims) { return std::string("yxz").substr(0, dims); }

std::string repeated(const std::string& text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += (i > 0 ? "," : "") + text;
  return out;
}

}  // namespace

PoolLists pool_lists(const char* op, size_t dims, const Shape& kernel_size, const Shape& stride,
                     const Shape& padding, const Shape& dilation, bool ceil_mode) {
  PoolLists lists;
  lists.kernel_size = spatial_list(op, "kernel_size", kernel_size, dims);
  lists.stride = stride.empty() ? lists.kernel_size : spatial_list(op, "stride", stride, dims);
  lists.padding = spatial_list(op, "padding", padding, dims);
  lists.dilation = spatial_list(op, "dilation", dilation, dims);
  lists.ceil_mode = ceil_mode;
  return lists;
}

PoolShape pool_shape(const char* op, const Shape& x, const PoolLists& lists) {
  const size_t dims = lists.kernel_size.size();
  OA_REQUIRE(x.size() == dims + 2, op, ": expected x [n, c, ", dims, " spatial dimensions], was ",
             x);
  PoolShape out;
  out.planes = x[0] * x[1];
  fill_three(Shape(std::span(x.data() + 2, dims)), 1, out.size);
  fill_three(lists.kernel_size, 1, out.kernel);
  fill_three(lists.stride, 1, out.stride);
  fill_three(lists.padding, 0, out.padding);
  fill_three(lists.dilation, 1, out.dilation);
  for (int d = 0; d < 3; ++d) {
    OA_REQUIRE(2 * out.padding[d] <= out.kernel[d] || out.kernel[d] <= 0, op,
               ": pad should be at most half of kernel size, but got pad=", out.padding[d],
               " and kernel_size=", out.kernel[d]);
    OA_REQUIRE(out.kernel[d] > 0 && out.stride[d] > 0 && out.dilation[d] > 0 &&
                   out.padding[d] >= 0 && 2 * out.padding[d] <= out.kernel[d],
               op, ": kernel ", lists.kernel_size, ", stride ", lists.stride, " and dilation ",
               lists.dilation, " must be positive and padding ", lists.padding,
               " at most half the kernel");
    out.out[d] = pooled_size(out.size[d], out.kernel[d], out.stride[d], out.padding[d],
                             out.dilation[d], lists.ceil_mode);
    OA_REQUIRE(out.out[d] > 0, op, ": a window of ", lists.kernel_size,
               " does not fit into planes of ", x);
  }
  return out;
}

Shape pooled_sizes(const PoolShape& shape, const Shape& x) {
  Shape sizes = {x[0], x[1]};
  for (size_t d = 3 - (x.size() - 2); d < 3; ++d) sizes.push_back(shape.out[d]);
  return sizes;
}

std::string pool_rule(size_t dims, int results) {
  return "nc" + image_of(dims) + "->" + repeated("nc" + result_of(dims), results) + ";" +
         image_of(dims) + result_of(dims);
}
std::string pool_backward_rule(size_t dims, int operands) {
  return repeated("nc" + result_of(dims), operands) + "->nc" + image_of(dims) + ";" +
         image_of(dims) + result_of(dims);
}

Tensor at_plane_index(const Tensor& x, const Tensor& index) {
  const int64_t planes = x.size(0) * x.size(1);
  if (planes == 0) return view(reshape(x, {-1}), index.sizes());
  return view(gather(reshape(x, {planes, -1}), 1, reshape(index, {planes, -1})), index.sizes());
}

}  // namespace oneagent
