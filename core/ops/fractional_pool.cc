#include "core/ops/fractional_pool.h"

#include "core/kernels/copy.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"kernel_size", AttrKind::kInts}, {"output_size", AttrKind::kInts}};

FractionalShape shape_of(const Shape& x, const Attrs& attrs) {
  const Shape kernel = attrs.list(0), out = attrs.list(1);
  const size_t dims = kernel.size();
  FractionalShape shape;
  shape.planes = x[0] * x[1];
  shape.dims = static_cast<int>(dims);
  shape.width_first = dims == 2;
  fill_three(Shape(std::span(x.data() + 2, dims)), 1, shape.size);
  fill_three(kernel, 1, shape.kernel);
  fill_three(out, 1, shape.out);
  for (int d = 0; d < 3; ++d)
    OA_REQUIRE(shape.kernel[d] > 0 && shape.out[d] > 0 &&
                   shape.out[d] + shape.kernel[d] - 1 <= shape.size[d],
               "fractional_max_pool: windows of ", kernel, " for ", out,
               " results do not fit into ", x);
  return shape;
}
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("fractional_max_pool", in);
  require_floating("fractional_max_pool", *in[0]);
  const Shape &x = in[0]->sizes, pooled = attrs.list(1);
  OA_REQUIRE(x.size() == pooled.size() + 2, "fractional_max_pool: expected x [n, c, ",
             pooled.size(), " spatial dimensions], was ", x);
  const Shape samples = {x[0], x[1], static_cast<int64_t>(pooled.size())};
  OA_REQUIRE(in[1]->sizes == samples, "fractional_max_pool: expected random_samples of shape ",
             samples, ", was ", in[1]->sizes);
  shape_of(x, attrs);
  Shape sizes = {x[0], x[1]};
  for (const int64_t size : pooled) sizes.push_back(size);
  out.add(sizes, in[0]->dtype);
  out.add(sizes, DType::kInt64);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_fractional_max_pool(stream, shape_of(in[0].sizes(), attrs), out[0], out[1],
                          as_contiguous(stream, in[0]), as_contiguous(stream, in[1]));
}
MaxBackward backward_of(size_t dims) {
  return dims == 2 ? MaxBackward::kFractional2d : MaxBackward::kFractional3d;
}
void vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, max_backward(backward_of(call.attrs().list(0).size()), call.grad(), call.output(1),
                             call.input_sizes(0)));
}
std::string rule(Metas, const Attrs& attrs) {
  const std::string without_samples = pool_rule(attrs.list(0).size(), 2);
  const size_t arrow = without_samples.find("->");
  return without_samples.substr(0, arrow) + ",ncs" + without_samples.substr(arrow) + "s";
}

constexpr Op fractional_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.generate = rule},
          .saves = saves_output(1),
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}
constinit const Op kFractional[] = {
    fractional_op("fractional_max_pool2d",
                  [] {
                    return Samples{{{distinct({2, 2, 6, 7}), unit({2, 2, 2})},
                                    Attrs().add(Shape{2, 3}).add(Shape{3, 4})}};
                  }),
    fractional_op("fractional_max_pool3d", [] {
      return Samples{{{distinct({1, 2, 4, 5, 6}), unit({1, 2, 3})},
                      Attrs().add(Shape{2, 2, 1}).add(Shape{2, 3, 4})}};
    })};

std::tuple<Tensor, Tensor> pool(size_t dims, const Tensor& input, const Shape& kernel_size,
                                const Shape& output_size, const Tensor& random_samples) {
  const char* name = kFractional[dims - 2].name;
  const Tensor x = with_batch(name, input, dims);
  Tensor out[2];
  call_op(kFractional[dims - 2], {&x, &random_samples},
          Attrs()
              .add(spatial_list(name, "kernel_size", kernel_size, dims))
              .add(spatial_list(name, "output_size", output_size, dims)),
          out);
  return {without_batch(out[0], input, dims), without_batch(out[1], input, dims)};
}
Tensor pool_backward(size_t dims, const Tensor& grad_output, const Tensor& input,
                     const Tensor& indices) {
  const char* name = kFractional[dims - 2].name;
  const Tensor dy = with_batch(name, grad_output, dims), index = with_batch(name, indices, dims);
  return without_batch(
      max_backward(backward_of(dims), dy, index, with_batch(name, input, dims).sizes()), input,
      dims);
}

}  // namespace

std::tuple<Tensor, Tensor> fractional_max_pool2d(const Tensor& input, const Shape& kernel_size,
                                                 const Shape& output_size,
                                                 const Tensor& random_samples) {
  return pool(2, input, kernel_size, output_size, random_samples);
}
std::tuple<Tensor, Tensor> fractional_max_pool3d(const Tensor& input, const Shape& kernel_size,
                                                 const Shape& output_size,
                                                 const Tensor& random_samples) {
  return pool(3, input, kernel_size, output_size, random_samples);
}
Tensor fractional_max_pool2d_backward(const Tensor& grad_output, const Tensor& input, const Shape&,
                                      const Shape&, const Tensor& indices) {
  return pool_backward(2, grad_output, input, indices);
}
Tensor fractional_max_pool3d_backward(const Tensor& grad_output, const Tensor& input, const Shape&,
                                      const Shape&, const Tensor& indices) {
  return pool_backward(3, grad_output, input, indices);
}

OA_OP(fractional_pool, &kFractional[0], &kFractional[1])

}  // namespace oneagent
