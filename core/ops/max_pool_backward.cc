// Records of the gradients of all poolings that choose a value, and the unpooling that puts values
// at such indices.
#include "core/kernels/copy.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"
#include "core/ops/unpool.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"sizes", AttrKind::kInts}};

template <bool Add>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const char* op = Add ? "max_pool_backward" : "max_unpool";
  const Shape sizes = attrs.list(0);
  OA_REQUIRE(in[1]->dtype == DType::kInt64 && in[1]->sizes == in[0]->sizes, op,
             ": expected int64 indices of shape ", in[0]->sizes, ", was ", name_of(in[1]->dtype),
             " ", in[1]->sizes);
  OA_REQUIRE(sizes.size() == in[0]->sizes.size() && sizes[0] == in[0]->sizes[0] &&
                 sizes[1] == in[0]->sizes[1],
             op, ": values of shape ", in[0]->sizes, " do not belong to ", sizes);
  out.add(sizes, in[0]->dtype);
}
template <bool Add>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Shape sizes = attrs.list(0);
  run_plane_scatter(stream, Add ? "max_pool_backward" : "max_unpool", sizes[0] * sizes[1], out[0],
                    as_contiguous(stream, in[1]), as_contiguous(stream, in[0]), Add);
}
void vjp(VjpCall& call) { call.set(0, at_plane_index(call.grad(), call.input(1))); }

std::string rule(Metas, const Attrs& attrs) {
  return pool_backward_rule(attrs.list(0).size() - 2, 2);
}

Samples samples(const Shape& from, const Shape& to) {
  int64_t plane = 1;
  for (size_t d = 2; d < to.size(); ++d) plane *= to[d];
  return {{{normal(from), ints(from, 0, plane)}, Attrs().add(to)}};
}
Samples samples1() { return samples({2, 3, 3}, {2, 3, 7}); }
Samples samples2() { return samples({2, 1, 3, 2}, {2, 1, 4, 5}); }
Samples samples3() { return samples({1, 2, 2, 3, 2}, {1, 2, 3, 4, 3}); }
// One value a plane, as equal indices have no gradient of their own.
Samples unpool_samples2() { return samples({2, 3, 1, 1}, {2, 3, 3, 4}); }
Samples unpool_samples3() { return samples({2, 3, 1, 1, 1}, {2, 3, 2, 2, 3}); }

template <bool Add>
constexpr Op scatter_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<Add>,
          .rule = {.linear = 1, .generate = rule},
          .saves = saves_input(1),
          .vjp = vjp,
          .kernels = {kernel<Add>},
          .samples = samples};
}

constinit const Op kBackward[] = {  // in the order of MaxBackward
    scatter_op<true>("max_pool1d_with_indices_backward", samples1),
    scatter_op<true>("max_pool2d_with_indices_backward", samples2),
    scatter_op<true>("max_pool3d_with_indices_backward", samples3),
    scatter_op<true>("adaptive_max_pool1d_backward", samples1),
    scatter_op<true>("adaptive_max_pool2d_backward", samples2),
    scatter_op<true>("adaptive_max_pool3d_backward", samples3),
    scatter_op<true>("fractional_max_pool2d_backward", samples2),
    scatter_op<true>("fractional_max_pool3d_backward", samples3)};
constinit const Op kUnpool[] = {scatter_op<false>("max_unpool2d", unpool_samples2),
                                scatter_op<false>("max_unpool3d", unpool_samples3)};

Tensor unpool(size_t dims, const Tensor& input, const Tensor& indices, const Shape& output_size) {
  const char* name = kUnpool[dims - 2].name;
  OA_REQUIRE(output_size.size() == dims, name, ": output_size must have ", dims, " values, was ",
             output_size);
  const Tensor x = with_batch(name, input, dims), index = with_batch(name, indices, dims);
  Shape sizes = {x.size(0), x.size(1)};
  for (const int64_t size : output_size) sizes.push_back(size);
  return without_batch(call_op(kUnpool[dims - 2], {&x, &index}, Attrs().add(sizes)), input, dims);
}

}  // namespace

Tensor max_backward(MaxBackward which, const Tensor& gradient, const Tensor& index,
                    const Shape& sizes) {
  return call_op(kBackward[static_cast<size_t>(which)], {&gradient, &index}, Attrs().add(sizes));
}

Tensor max_unpool2d(const Tensor& input, const Tensor& indices, const Shape& output_size) {
  return unpool(2, input, indices, output_size);
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices, const Shape& output_size,
                    const Shape& stride, const Shape& padding) {
  OA_REQUIRE(stride.size() == 3 && padding.size() == 3,
             "max_unpool3d: stride and padding must have 3 values, were ", stride, " and ",
             padding);
  for (const int64_t step : stride)
    OA_REQUIRE(step > 0, "max_unpool3d: stride must be positive, was ", stride);
  return unpool(3, input, indices, output_size);
}

OA_OP(max_pool_backward, &kBackward[0], &kBackward[1], &kBackward[2], &kBackward[3], &kBackward[4],
      &kBackward[5], &kBackward[6], &kBackward[7], &kUnpool[0], &kUnpool[1])

}  // namespace oneagent
