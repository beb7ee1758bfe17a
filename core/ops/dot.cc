#include "core/ops/dot.h"

#include "core/kernels/product.h"
#include "core/ops/binary.h"
#include "core/ops/complex.h"
#include "core/ops/matmul.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("dot", in);
  OA_REQUIRE(in[0]->dtype != DType::kBool, "dot: has no meaning for bool");
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.size() == 1 && a == b,
             "dot: inconsistent tensor size, expected two vectors of one size, got ", a, " and ",
             b);
  out.add({}, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const TensorMeta& meta = in.meta(0);
  const Tensor row = alias_of(in[0], {{1, meta.sizes[0]},
                                      {meta.sizes[0] * meta.strides[0], meta.strides[0]},
                                      meta.offset,
                                      meta.dtype,
                                      meta.device});
  multiply_vector(stream, out[0], row, in[1]);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  return 2.0 * static_cast<double>(in[0]->sizes[0]);
}
void vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, mul(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mul(call.grad(), call.input(0)));
}

constinit const Op kDot = {
    .name = "dot",
    .infer = infer,
    .rule = {.factors = "k,k->", .linear = 3},
    .saves = saves_input(0) | saves_input(1),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({5}), normal({5})}},
                         {{normal({77}), normal({77})}},
                         {{ints({6}, -5, 6), ints({6}, -5, 6)}},
                         {{normal({0}), normal({0})}}};
        },
};

}  // namespace

Tensor dot(const Tensor& self, const Tensor& tensor) {
  OA_REQUIRE(self.defined() && tensor.defined(), "dot: an operand is an undefined tensor");
  return call_op(kDot, {&self, &tensor});
}
Tensor vdot(const Tensor& self, const Tensor& other) { return dot(conj(self), other); }

Tensor outer(const Tensor& self, const Tensor& vec2) {
  OA_REQUIRE(self.dim() == 1 && vec2.dim() == 1, "outer: Expected 1-D arguments, got ",
             self.sizes(), " and ", vec2.sizes());
  return mul(unsqueeze(self, 1), vec2);
}
Tensor ger(const Tensor& self, const Tensor& vec2) { return outer(self, vec2); }

Tensor inner(const Tensor& self, const Tensor& other) {
  if (self.dim() == 0 || other.dim() == 0) return mul(self, other);
  const int64_t depth = self.size(-1);
  OA_REQUIRE(depth == other.size(-1), "inner: the last sizes of ", self.sizes(), " and ",
             other.sizes(), " differ");
  if (self.dim() == 1 && other.dim() == 1) return dot(self, other);
  Shape sizes(std::span(self.sizes().data(), self.sizes().size() - 1));
  const int64_t left = sizes.numel();
  Shape rest(std::span(other.sizes().data(), other.sizes().size() - 1));
  for (const int64_t size : rest) sizes.push_back(size);
  const Tensor rows = reshape(self, {left, depth});
  const Tensor columns = reshape(other, {rest.numel(), depth});
  return reshape(mm(rows, t(columns)), sizes);
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  OA_REQUIRE(has_gradient(x.dtype()) && has_gradient(y.dtype()),
             "linalg.vecdot: expected floating operands, was ", name_of(x.dtype()), " and ",
             name_of(y.dtype()));
  if (x.dim() == 1 && y.dim() == 1) return vdot(x, y);
  return sum(mul(conj(x), y), Shape{dim});
}

OA_OP(dot, &kDot)

}  // namespace oneagent
