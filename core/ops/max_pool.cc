#include "core/ops/max_pool.h"

#include "core/kernels/copy.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"kernel_size", AttrKind::kInts},
                               {"stride", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"ceil_mode", AttrKind::kBool}};

Attrs pool_attrs(const PoolLists& lists) {
  return Attrs()
      .add(lists.kernel_size)
      .add(lists.stride)
      .add(lists.padding)
      .add(lists.dilation)
      .add(lists.ceil_mode);
}
PoolShape shape_of(const Shape& x, const Attrs& attrs) {
  return pool_shape("max_pool", x,
                    {attrs.list(0), attrs.list(1), attrs.list(2), attrs.list(3), attrs.flag(4)});
}

template <bool Indices>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[0]->dtype != DType::kBool, "max_pool: has no meaning for bool");
  const Shape sizes = pooled_sizes(shape_of(in[0]->sizes, attrs), in[0]->sizes);
  out.add(sizes, in[0]->dtype);
  if (Indices) out.add(sizes, DType::kInt64);
}
template <bool Indices>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_max_pool(stream, shape_of(in[0].sizes(), attrs), out[0], Indices ? out[1] : Tensor(),
               as_contiguous(stream, in[0]));
}
template <bool Indices>
std::string rule(Metas, const Attrs& attrs) {
  return pool_rule(attrs.list(0).size(), Indices ? 2 : 1);
}
void vjp(VjpCall& call) {
  const auto which = static_cast<MaxBackward>(call.attrs().list(0).size() - 1);
  call.set(0, max_backward(which, call.grad(), call.output(1), call.input_sizes(0)));
}

Samples samples1() {
  return {{{distinct({2, 3, 7})}, pool_attrs({2, 2, 0, 1, false})},
          {{distinct({1, 2, 8})}, pool_attrs({3, 2, 1, 2, true})}};
}
Samples samples2() {
  return {{{distinct({2, 3, 4, 4})}, pool_attrs({{2, 2}, {2, 2}, {0, 0}, {1, 1}, false})},
          {{distinct({1, 2, 5, 5})}, pool_attrs({{3, 3}, {2, 2}, {1, 1}, {1, 1}, false})},
          {{distinct({1, 2, 6, 8})}, pool_attrs({{2, 3}, {1, 3}, {0, 1}, {2, 1}, true})},
          {{distinct({0, 2, 4, 4})}, pool_attrs({{2, 2}, {1, 1}, {0, 0}, {1, 1}, false})}};
}
Samples samples3() {
  return {{{distinct({1, 2, 4, 4, 3})},
           pool_attrs({{2, 2, 2}, {2, 2, 1}, {0, 1, 0}, {1, 1, 1}, false})},
          {{distinct({2, 1, 3, 5, 4})},
           pool_attrs({{2, 3, 2}, {2, 2, 2}, {1, 0, 0}, {1, 2, 1}, true})}};
}

constexpr Op with_indices(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<true>,
          .rule = {.generate = rule<true>},
          .saves = saves_output(1),
          .vjp = vjp,
          .kernels = {kernel<true>},
          .samples = samples};
}
// Without gradient: half the memory traffic.
constexpr Op values_only(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<false>,
          .rule = {.generate = rule<false>},
          .kernels = {kernel<false>},
          .samples = samples};
}
constinit const Op kWithIndices[] = {with_indices("max_pool1d_with_indices", samples1),
                                     with_indices("max_pool2d_with_indices", samples2),
                                     with_indices("max_pool3d_with_indices", samples3)};
constinit const Op kValues[] = {values_only("max_pool1d", samples1),
                                values_only("max_pool2d", samples2),
                                values_only("max_pool3d", samples3)};

constexpr const char* kNames[] = {"max_pool1d", "max_pool2d", "max_pool3d"};

std::tuple<Tensor, Tensor> pool_with_indices(size_t dims, const Tensor& input,
                                             const Shape& kernel_size, const Shape& stride,
                                             const Shape& padding, const Shape& dilation,
                                             bool ceil_mode) {
  const char* name = kNames[dims - 1];
  const Tensor x = with_batch(name, input, dims);
  const PoolLists lists = pool_lists(name, dims, kernel_size, stride, padding, dilation, ceil_mode);
  Tensor out[2];
  call_op(kWithIndices[dims - 1], {&x}, pool_attrs(lists), out);
  return {without_batch(out[0], input, dims), without_batch(out[1], input, dims)};
}

Tensor pool(size_t dims, const Tensor& input, const Shape& kernel_size, const Shape& stride,
            const Shape& padding, const Shape& dilation, bool ceil_mode) {
  if (context().grad_mode && input.requires_grad())
    return std::get<0>(
        pool_with_indices(dims, input, kernel_size, stride, padding, dilation, ceil_mode));
  const char* name = kNames[dims - 1];
  const Tensor x = with_batch(name, input, dims);
  const PoolLists lists = pool_lists(name, dims, kernel_size, stride, padding, dilation, ceil_mode);
  return without_batch(call_op(kValues[dims - 1], {&x}, pool_attrs(lists)), input, dims);
}

Tensor pool_backward(size_t dims, const Tensor& gradient, const Tensor& input,
                     const PoolLists& lists, const Tensor& indices) {
  const char* name = kNames[dims - 1];
  const Tensor dy = with_batch(name, gradient, dims), index = with_batch(name, indices, dims);
  const Tensor x = with_batch(name, input, dims);
  const Shape expected = pooled_sizes(pool_shape(name, x.sizes(), lists), x.sizes());
  OA_REQUIRE(dy.sizes() == expected && index.sizes() == expected, name,
             "_with_indices_backward: expected a gradient and indices of shape ", expected,
             ", were ", dy.sizes(), " and ", index.sizes());
  return without_batch(max_backward(static_cast<MaxBackward>(dims - 1), dy, index, x.sizes()),
                       input, dims);
}

}  // namespace

Tensor max_pool1d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, const Shape& dilation, bool ceil_mode) {
  return pool(1, input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool2d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, const Shape& dilation, bool ceil_mode) {
  return pool(2, input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool3d(const Tensor& input, const Shape& kernel_size, const Shape& stride,
                  const Shape& padding, const Shape& dilation, bool ceil_mode) {
  return pool(3, input, kernel_size, stride, padding, dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool1d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride, const Shape& padding,
                                                   const Shape& dilation, bool ceil_mode) {
  return pool_with_indices(1, input, kernel_size, stride, padding, dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool2d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride, const Shape& padding,
                                                   const Shape& dilation, bool ceil_mode) {
  return pool_with_indices(2, input, kernel_size, stride, padding, dilation, ceil_mode);
}
std::tuple<Tensor, Tensor> max_pool3d_with_indices(const Tensor& input, const Shape& kernel_size,
                                                   const Shape& stride, const Shape& padding,
                                                   const Shape& dilation, bool ceil_mode) {
  return pool_with_indices(3, input, kernel_size, stride, padding, dilation, ceil_mode);
}
Tensor max_pool2d_with_indices_backward(const Tensor& grad_output, const Tensor& input,
                                        const Shape& kernel_size, const Shape& stride,
                                        const Shape& padding, const Shape& dilation, bool ceil_mode,
                                        const Tensor& indices) {
  return pool_backward(2, grad_output, input,
                       pool_lists("max_pool2d_with_indices_backward", 2, kernel_size, stride,
                                  padding, dilation, ceil_mode),
                       indices);
}
Tensor max_pool3d_with_indices_backward(const Tensor& grad_output, const Tensor& input,
                                        const Shape& kernel_size, const Shape& stride,
                                        const Shape& padding, const Shape& dilation, bool ceil_mode,
                                        const Tensor& indices) {
  return pool_backward(3, grad_output, input,
                       pool_lists("max_pool3d_with_indices_backward", 3, kernel_size, stride,
                                  padding, dilation, ceil_mode),
                       indices);
}

OA_OP(max_pool, &kWithIndices[0], &kWithIndices[1], &kWithIndices[2], &kValues[0], &kValues[1],
      &kValues[2])

}  // namespace oneagent
