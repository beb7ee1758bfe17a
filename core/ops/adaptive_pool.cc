#include "core/ops/adaptive_pool.h"

#include "core/kernels/copy.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"output_size", AttrKind::kInts}};
constexpr AttrSpec kBackwardAttrs[] = {{"sizes", AttrKind::kInts}};

// Of x [n, c, spatial...].
AdaptiveShape shape_of(const Shape& x, const Shape& out) {
  const size_t dims = out.size();
  AdaptiveShape shape;
  OA_REQUIRE(x.size() == dims + 2, "adaptive_pool: expected x [n, c, ", dims,
             " spatial dimensions], was ", x);
  shape.planes = x[0] * x[1];
  fill_three(Shape(std::span(x.data() + 2, dims)), 1, shape.size);
  fill_three(out, 1, shape.out);
  for (int d = 0; d < 3; ++d)
    OA_REQUIRE(shape.size[d] > 0 && shape.out[d] >= 0,
               "adaptive_pool: planes must not be empty and output_size not negative, were ", x,
               " and ", out);
  return shape;
}
Shape spatial_of(const Shape& x) { return Shape(std::span(x.data() + 2, x.size() - 2)); }
Shape pooled(const Shape& x, const Shape& out) {
  Shape sizes = {x[0], x[1]};
  for (const int64_t size : out) sizes.push_back(size);
  return sizes;
}

template <bool Max>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("adaptive_pool", *in[0]);
  shape_of(in[0]->sizes, attrs.list(0));
  const Shape sizes = pooled(in[0]->sizes, attrs.list(0));
  out.add(sizes, in[0]->dtype);
  if (Max) out.add(sizes, DType::kInt64);
}
void average_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_adaptive_avg_pool(stream, shape_of(in[0].sizes(), attrs.list(0)), out[0],
                        as_contiguous(stream, in[0]));
}
void max_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_adaptive_max_pool(stream, shape_of(in[0].sizes(), attrs.list(0)), out[0], out[1],
                        as_contiguous(stream, in[0]));
}
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("adaptive_avg_pool_backward", *in[0]);
  const Shape sizes = attrs.list(0);
  OA_REQUIRE(in[0]->sizes.size() == sizes.size() && in[0]->sizes[0] == sizes[0] &&
                 in[0]->sizes[1] == sizes[1],
             "adaptive_avg_pool_backward: a gradient of shape ", in[0]->sizes,
             " does not belong to ", sizes);
  out.add(sizes, in[0]->dtype);
}
void backward_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_adaptive_avg_pool_backward(stream, shape_of(out[0].sizes(), spatial_of(in[0].sizes())),
                                 out[0], as_contiguous(stream, in[0]));
}
template <bool Max>
std::string rule(Metas, const Attrs& attrs) {
  return pool_rule(attrs.list(0).size(), Max ? 2 : 1);
}
std::string backward_rule(Metas, const Attrs& attrs) {
  return pool_backward_rule(attrs.list(0).size() - 2, 1);
}

Tensor average(const Tensor& x, const Shape& output_size);
Tensor average_backward(const Tensor& gradient, const Shape& sizes);

void average_vjp(VjpCall& call) { call.set(0, average_backward(call.grad(), call.input_sizes(0))); }
void average_backward_vjp(VjpCall& call) {
  call.set(0, average(call.grad(), spatial_of(call.input_sizes(0))));
}
void max_vjp(VjpCall& call) {
  const auto which = static_cast<MaxBackward>(static_cast<size_t>(MaxBackward::kAdaptive1d) +
                                              call.attrs().list(0).size() - 1);
  call.set(0, max_backward(which, call.grad(), call.output(1), call.input_sizes(0)));
}

Samples samples1() {
  return {{{distinct({2, 3, 7})}, Attrs().add(Shape{3})},
          {{distinct({1, 2, 3})}, Attrs().add(Shape{5})}};
}
Samples samples2() {
  return {{{distinct({2, 3, 4, 6})}, Attrs().add(Shape{2, 3})},
          {{distinct({1, 2, 5, 7})}, Attrs().add(Shape{3, 2})},
          {{distinct({2, 2, 3, 4})}, Attrs().add(Shape{1, 1})},
          {{distinct({0, 2, 3, 4})}, Attrs().add(Shape{2, 2})}};
}
Samples samples3() {
  return {{{distinct({1, 2, 4, 3, 5})}, Attrs().add(Shape{2, 2, 3})},
          {{distinct({2, 1, 2, 3, 2})}, Attrs().add(Shape{1, 1, 1})}};
}
template <Samples (*Forward)()>
Samples backward_samples() {
  Samples out;
  for (const Sample& sample : Forward()) {
    const Shape& sizes = sample.inputs[0].sizes;
    out.push_back({{normal(pooled(sizes, sample.attrs.list(0)))}, Attrs().add(sizes)});
  }
  return out;
}

constexpr Op average_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<false>,
          .rule = {.linear = 1, .generate = rule<false>},
          .vjp = average_vjp,
          .kernels = {average_kernel},
          .samples = samples};
}
template <Samples (*Forward)()>
constexpr Op average_backward_op(const char* name) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_infer,
          .rule = {.linear = 1, .generate = backward_rule},
          .vjp = average_backward_vjp,
          .kernels = {backward_kernel},
          .samples = backward_samples<Forward>};
}
constexpr Op max_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<true>,
          .rule = {.generate = rule<true>},
          .saves = saves_output(1),
          .vjp = max_vjp,
          .kernels = {max_kernel},
          .samples = samples};
}
constinit const Op kAverage[] = {average_op("adaptive_avg_pool1d", samples1),
                                 average_op("adaptive_avg_pool2d", samples2),
                                 average_op("adaptive_avg_pool3d", samples3)};
constinit const Op kAverageBackward[] = {
    average_backward_op<samples1>("adaptive_avg_pool1d_backward"),
    average_backward_op<samples2>("adaptive_avg_pool2d_backward"),
    average_backward_op<samples3>("adaptive_avg_pool3d_backward")};
constinit const Op kMax[] = {max_op("adaptive_max_pool1d", samples1),
                             max_op("adaptive_max_pool2d", samples2),
                             max_op("adaptive_max_pool3d", samples3)};

Tensor average(const Tensor& x, const Shape& output_size) {
  return call_op(kAverage[output_size.size() - 1], {&x}, Attrs().add(output_size));
}
Tensor average_backward(const Tensor& gradient, const Shape& sizes) {
  return call_op(kAverageBackward[sizes.size() - 3], {&gradient}, Attrs().add(sizes));
}

void check_size(const char* name, const Shape& output_size, size_t dims) {
  OA_REQUIRE(output_size.size() == dims, name, ": output_size must have ", dims, " values, was ",
             output_size);
}
Tensor average_of(size_t dims, const Tensor& input, const Shape& output_size) {
  const char* name = kAverage[dims - 1].name;
  check_size(name, output_size, dims);
  return without_batch(average(with_batch(name, input, dims), output_size), input, dims);
}
Tensor average_backward_of(size_t dims, const Tensor& gradient, const Tensor& input) {
  const char* name = kAverageBackward[dims - 1].name;
  const Tensor dy = with_batch(name, gradient, dims), x = with_batch(name, input, dims);
  return without_batch(average_backward(dy, x.sizes()), input, dims);
}
std::tuple<Tensor, Tensor> max_of(size_t dims, const Tensor& input, const Shape& output_size) {
  const char* name = kMax[dims - 1].name;
  check_size(name, output_size, dims);
  const Tensor x = with_batch(name, input, dims);
  Tensor out[2];
  call_op(kMax[dims - 1], {&x}, Attrs().add(output_size), out);
  return {without_batch(out[0], input, dims), without_batch(out[1], input, dims)};
}
Tensor max_backward_of(size_t dims, const Tensor& gradient, const Tensor& input,
                       const Tensor& indices) {
  const char* name = kMax[dims - 1].name;
  const Tensor dy = with_batch(name, gradient, dims), index = with_batch(name, indices, dims);
  const auto which =
      static_cast<MaxBackward>(static_cast<size_t>(MaxBackward::kAdaptive1d) + dims - 1);
  return without_batch(max_backward(which, dy, index, with_batch(name, input, dims).sizes()), input,
                       dims);
}

}  // namespace

Tensor adaptive_avg_pool1d(const Tensor& input, const Shape& output_size) {
  return average_of(1, input, output_size);
}
Tensor adaptive_avg_pool2d(const Tensor& input, const Shape& output_size) {
  return average_of(2, input, output_size);
}
Tensor adaptive_avg_pool3d(const Tensor& input, const Shape& output_size) {
  return average_of(3, input, output_size);
}
Tensor _adaptive_avg_pool2d(const Tensor& input, const Shape& output_size) {
  return average_of(2, input, output_size);
}
Tensor _adaptive_avg_pool3d(const Tensor& input, const Shape& output_size) {
  return average_of(3, input, output_size);
}
Tensor _adaptive_avg_pool2d_backward(const Tensor& grad_output, const Tensor& input) {
  return average_backward_of(2, grad_output, input);
}
Tensor _adaptive_avg_pool3d_backward(const Tensor& grad_output, const Tensor& input) {
  return average_backward_of(3, grad_output, input);
}

std::tuple<Tensor, Tensor> adaptive_max_pool1d(const Tensor& input, const Shape& output_size) {
  return max_of(1, input, output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool2d(const Tensor& input, const Shape& output_size) {
  return max_of(2, input, output_size);
}
std::tuple<Tensor, Tensor> adaptive_max_pool3d(const Tensor& input, const Shape& output_size) {
  return max_of(3, input, output_size);
}
Tensor adaptive_max_pool2d_backward(const Tensor& grad_output, const Tensor& input,
                                    const Tensor& indices) {
  return max_backward_of(2, grad_output, input, indices);
}
Tensor adaptive_max_pool3d_backward(const Tensor& grad_output, const Tensor& input,
                                    const Tensor& indices) {
  return max_backward_of(3, grad_output, input, indices);
}

OA_OP(adaptive_pool, &kAverage[0], &kAverage[1], &kAverage[2], &kAverageBackward[0],
      &kAverageBackward[1], &kAverageBackward[2], &kMax[0], &kMax[1], &kMax[2])

}  // namespace oneagent
