#include "core/ops/glu.h"

#include "core/kernels/cpu/activation.h"
#include "core/kernels/loop.h"
#include "core/ops/binary.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

// Half `which` of a dimension, in the same memory.
Tensor half_of(const Tensor& x, int64_t dim, int64_t which) {
  TensorMeta meta = x.impl().meta;
  const auto at = static_cast<size_t>(dim);
  meta.sizes[at] /= 2;
  meta.offset += which * meta.sizes[at] * meta.strides[at];
  return alias_of(x, meta);
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("glu", *in[0]);
  const int64_t dim = attrs.integer(0);
  Shape sizes = in[0]->sizes;
  const auto at = static_cast<size_t>(dim);
  OA_REQUIRE(sizes[at] % 2 == 0, "glu: Halving dimension must be even, but dimension ", dim,
             " is size ", sizes[at]);
  sizes[at] /= 2;
  out.add(sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = half_of(in[0], attrs.integer(0), 0), b = half_of(in[0], attrs.integer(0), 1);
  const Tensor* operands[] = {&out[0], &a, &b};
  run_loop(stream, "glu", cpu::glu(a.dtype()), operands);
}

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("glu_backward", in);
  Shape half = in[1]->sizes;
  half[static_cast<size_t>(attrs.integer(0))] /= 2;
  OA_REQUIRE(in[0]->sizes == half, "glu_backward: expected a gradient of shape ", half, ", was ",
             in[0]->sizes);
  out.add(in[1]->sizes, in[1]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const int64_t dim = attrs.integer(0);
  const Tensor a = half_of(in[1], dim, 0), b = half_of(in[1], dim, 1);
  const Tensor to_a = half_of(out[0], dim, 0), to_b = half_of(out[0], dim, 1);
  const Tensor* first[] = {&to_a, &in[0], &b};
  run_loop(stream, "glu", cpu::glu(a.dtype()), first);
  const Tensor* second[] = {&to_b, &in[0], &a, &b};
  run_loop(stream, "glu", cpu::glu_backward_gate(a.dtype()), second);
}

std::vector<Tensor> composed(const Tensor& x, int64_t dim) {
  const int64_t half = x.size(dim) / 2;
  return {mul(narrow(x, dim, 0, half), sigmoid(narrow(x, dim, half, half)))};
}

void vjp(VjpCall& call) {
  call.set(0, glu_backward(call.grad(), call.input(0), call.attrs().integer(0)));
}
void backward_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  vjp_by_composition(call, [dim](const std::vector<Tensor>& in) {
    return gradients_of([dim](const std::vector<Tensor>& x) { return composed(x[0], dim); },
                        {in[1]}, {in[0]});
  });
}

template <bool Backward>
std::string rule(Metas in, const Attrs& attrs) {
  std::string whole;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) whole += static_cast<char>('a' + i);
  std::string half = whole;
  half[static_cast<size_t>(attrs.integer(0))] = 'z';
  const std::string closed = whole.substr(static_cast<size_t>(attrs.integer(0)), 1) + "z";
  return (Backward ? half + "," + whole + "->" + whole : whole + "->" + half) + ";" + closed;
}

Attrs dim_attrs(int64_t dim) { return Attrs().add(dim); }

constinit const Op kGlu = {.name = "glu",
                           .attrs = kAttrs,
                           .infer = infer,
                           .rule = {.generate = rule<false>},
                           .saves = saves_input(0),
                           .vjp = vjp,
                           .kernels = {kernel},
                           .samples = [] {
                             return Samples{{{normal({3, 8})}, dim_attrs(1)},
                                            {{normal({4, 3, 2})}, dim_attrs(0)},
                                            {{normal({2, 0})}, dim_attrs(1)}};
                           }};
constinit const Op kGluBackward = {.name = "glu_backward",
                                   .attrs = kAttrs,
                                   .infer = backward_infer,
                                   .rule = {.linear = 1, .generate = rule<true>},
                                   .saves = saves_input(0) | saves_input(1),
                                   .vjp = backward_vjp,
                                   .kernels = {backward_kernel},
                                   .samples = [] {
                                     return Samples{
                                         {{normal({3, 4}), normal({3, 8})}, dim_attrs(1)},
                                         {{normal({2, 3}), normal({4, 3})}, dim_attrs(0)}};
                                   }};

}  // namespace

Tensor glu(const Tensor& self, int64_t dim) {
  OA_REQUIRE(self.dim() > 0, "glu: needs at least one dimension");
  return call_op(kGlu, {&self}, dim_attrs(wrap_dim(dim, self.dim(), "glu")));
}
Tensor glu_backward(const Tensor& grad_output, const Tensor& self, int64_t dim) {
  return call_op(kGluBackward, {&grad_output, &self},
                 dim_attrs(wrap_dim(dim, self.dim(), "glu_backward")));
}

OA_OP(glu, &kGlu, &kGluBackward)

}  // namespace oneagent
