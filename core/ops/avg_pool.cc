#include "core/ops/avg_pool.h"

#include "core/kernels/copy.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"kernel_size", AttrKind::kInts},       {"stride", AttrKind::kInts},
    {"padding", AttrKind::kInts},           {"ceil_mode", AttrKind::kBool},
    {"count_include_pad", AttrKind::kBool}, {"divisor", AttrKind::kInt}};  // 0: the window's size
constexpr AttrSpec kBackwardAttrs[] = {{"kernel_size", AttrKind::kInts},
                                       {"stride", AttrKind::kInts},
                                       {"padding", AttrKind::kInts},
                                       {"ceil_mode", AttrKind::kBool},
                                       {"count_include_pad", AttrKind::kBool},
                                       {"divisor", AttrKind::kInt},
                                       {"sizes", AttrKind::kInts}};

Attrs pool_attrs(const Shape& kernel_size, const Shape& stride, const Shape& padding,
                 bool ceil_mode, bool count_include_pad, int64_t divisor) {
  return Attrs()
      .add(kernel_size)
      .add(stride)
      .add(padding)
      .add(ceil_mode)
      .add(count_include_pad)
      .add(divisor);
}
Attrs without_sizes(const Attrs& a) {
  return pool_attrs(a.list(0), a.list(1), a.list(2), a.flag(3), a.flag(4), a.integer(5));
}
PoolShape shape_of(const Shape& x, const Attrs& attrs) {
  Shape ones;
  for (size_t d = 0; d < attrs.list(0).size(); ++d) ones.push_back(1);
  return pool_shape("avg_pool", x,
                    {attrs.list(0), attrs.list(1), attrs.list(2), ones, attrs.flag(3)});
}
AverageOptions options_of(const Attrs& attrs) { return {attrs.flag(4), attrs.integer(5)}; }

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[0]->dtype != DType::kBool, "avg_pool: has no meaning for bool");
  out.add(pooled_sizes(shape_of(in[0]->sizes, attrs), in[0]->sizes), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_avg_pool(stream, shape_of(in[0].sizes(), attrs), options_of(attrs), out[0],
               as_contiguous(stream, in[0]));
}
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("avg_pool_backward", *in[0]);
  const Shape sizes = attrs.list(6), expected = pooled_sizes(shape_of(sizes, attrs), sizes);
  OA_REQUIRE(in[0]->sizes == expected, "avg_pool_backward: expected a gradient of shape ", expected,
             ", was ", in[0]->sizes);
  out.add(sizes, in[0]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_avg_pool_backward(stream, shape_of(out[0].sizes(), attrs), options_of(attrs), out[0],
                        as_contiguous(stream, in[0]));
}
std::string rule(Metas, const Attrs& attrs) { return pool_rule(attrs.list(0).size(), 1); }
std::string backward_rule(Metas, const Attrs& attrs) {
  return pool_backward_rule(attrs.list(0).size(), 1);
}

Tensor forward(const Tensor& x, const Attrs& attrs);
Tensor backward(const Tensor& gradient, const Attrs& attrs, const Shape& sizes);
void vjp(VjpCall& call) { call.set(0, backward(call.grad(), call.attrs(), call.input_sizes(0))); }
void backward_vjp(VjpCall& call) { call.set(0, forward(call.grad(), without_sizes(call.attrs()))); }

Samples samples1() {
  return {{{normal({2, 3, 7})}, pool_attrs(2, 2, 0, false, true, 0)},
          {{normal({1, 2, 8})}, pool_attrs(3, 2, 1, true, false, 0)}};
}
Samples samples2() {
  return {{{normal({2, 3, 4, 4})}, pool_attrs({2, 2}, {2, 2}, {0, 0}, false, true, 0)},
          {{normal({1, 2, 5, 6})}, pool_attrs({3, 2}, {2, 3}, {1, 1}, true, false, 0)},
          {{normal({1, 2, 5, 6})}, pool_attrs({3, 4}, {2, 3}, {1, 2}, true, true, 0)},
          {{normal({1, 1, 5, 5})}, pool_attrs({2, 2}, {1, 1}, {1, 0}, false, true, 3)}};
}
Samples samples3() {
  return {{{normal({1, 2, 4, 3, 4})}, pool_attrs({2, 2, 2}, {2, 1, 2}, {1, 0, 1}, false, true, 0)},
          {{normal({2, 1, 3, 4, 3})}, pool_attrs({2, 3, 2}, {2, 2, 1}, {0, 1, 0}, true, false, 5)}};
}
template <Samples (*Forward)()>
Samples backward_samples() {
  Samples out;
  for (const Sample& sample : Forward()) {
    const Shape& sizes = sample.inputs[0].sizes;
    Attrs attrs = sample.attrs;
    out.push_back({{normal(pooled_sizes(shape_of(sizes, attrs), sizes))}, attrs.add(sizes)});
  }
  return out;
}

constexpr Op forward_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.linear = 1, .generate = rule},
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}
template <Samples (*Forward)()>
constexpr Op backward_op(const char* name) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_infer,
          .rule = {.linear = 1, .generate = backward_rule},
          .vjp = backward_vjp,
          .kernels = {backward_kernel},
          .samples = backward_samples<Forward>};
}
constinit const Op kForward[] = {forward_op("avg_pool1d", samples1),
                                 forward_op("avg_pool2d", samples2),
                                 forward_op("avg_pool3d", samples3)};
constinit const Op kBackward[] = {backward_op<samples1>("avg_pool1d_backward"),
                                  backward_op<samples2>("avg_pool2d_backward"),
                                  backward_op<samples3>("avg_pool3d_backward")};

Tensor forward(const Tensor& x, const Attrs& attrs) {
  return call_op(kForward[attrs.list(0).size() - 1], {&x}, attrs);
}
Tensor backward(const Tensor& gradient, const Attrs& attrs, const Shape& sizes) {
  Attrs sized = attrs;
  return call_op(kBackward[attrs.list(0).size() - 1], {&gradient}, sized.add(sizes));
}

Attrs complete(const char* name, size_t dims, const Shape& kernel_size, const Shape& stride,
               const Shape& padding, bool ceil_mode, bool count_include_pad,
               std::optional<int64_t> divisor_override) {
  OA_REQUIRE(divisor_override != 0, name, ": divisor must be not zero");
  const PoolLists lists = pool_lists(name, dims, kernel_size, stride, padding, 1, ceil_mode);
  return pool_attrs(lists.kernel_size, lists.stride, lists.padding, ceil_mode, count_include_pad,
                    divisor_override.value_or(0));
}
Tensor pool(size_t dims, const Tensor& input, const Shape& kernel_size, const Shape& stride,
            const Shape& padding, bool ceil_mode, bool count_include_pad,
            std::optional<int64_t> divisor_override) {
  const char* name = kForward[dims - 1].name;
  const Tensor x = with_batch(name, input, dims);
  return without_batch(forward(x, complete(name, dims, kernel_size, stride, padding, ceil_mode,
                                           count_include_pad, divisor_override)),
                       input, dims);
}
Tensor pool_backward(size_t dims, const Tensor& grad_output, const Tensor& input,
                     const Shape& kernel_size, const Shape& stride, const Shape& padding,
                     bool ceil_mode, bool count_include_pad,
                     std::optional<int64_t> divisor_override) {
  const char* name = kBackward[dims - 1].name;
  const Tensor dy = with_batch(name, grad_output, dims), x = with_batch(name, input, dims);
  return without_batch(backward(dy,
                                complete(name, dims, kernel_size, stride, padding, ceil_mode,
                                         count_include_pad, divisor_override),
                                x.sizes()),
                       input, dims);
}

}  // namespace

Tensor avg_pool1d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad) {
  return pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, std::nullopt);
}
Tensor avg_pool2d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  return pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
              divisor_override);
}
Tensor avg_pool3d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, bool ceil_mode, bool count_include_pad,
                  std::optional<int64_t> divisor_override) {
  return pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
              divisor_override);
}
Tensor avg_pool2d_backward(const Tensor& grad_output, const Tensor& input, const Shape& kernel_size,
                           const Shape& stride, const Shape& padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override) {
  return pool_backward(2, grad_output, input, kernel_size, stride, padding, ceil_mode,
                       count_include_pad, divisor_override);
}
Tensor avg_pool3d_backward(const Tensor& grad_output, const Tensor& input, const Shape& kernel_size,
                           const Shape& stride, const Shape& padding, bool ceil_mode,
                           bool count_include_pad, std::optional<int64_t> divisor_override) {
  return pool_backward(3, grad_output, input, kernel_size, stride, padding, ceil_mode,
                       count_include_pad, divisor_override);
}

OA_OP(avg_pool, &kForward[0], &kForward[1], &kForward[2], &kBackward[0], &kBackward[1],
      &kBackward[2])

}  // namespace oneagent
