#include "core/ops/matrix_exp.h"

#include "core/kernels/matrix_exp.h"
#include "core/ops/cat.h"
#include "core/ops/creation.h"
#include "core/ops/op_matrix.h"
#include "core/ops/slice.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("linalg.matrix_exp", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  matrix_exponential(stream, out[0], in[0]);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  return 20.0 * static_cast<double>(in[0]->sizes.numel() * in[0]->sizes.back());
}
void vjp(VjpCall& call) {
  const Tensor a = matrix::transposed(call.input(0));
  const int64_t n = a.size(-1);
  const Tensor top = cat({a, call.grad()}, -1);
  const Tensor bottom = cat({zeros(a.sizes(), a.dtype()), a}, -1);
  const Tensor both = matrix_exp(cat({top, bottom}, -2));
  call.set(0, narrow(narrow(both, -2, 0, n), -1, n, n));
}

constinit const Op kMatrixExp = {
    .name = "matrix_exp",
    .infer = infer,
    .rule = {.factors = "...mn->...mn", .closed = "mn"},
    .saves = saves_input(0),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{unit({3, 3})}},
                         {{well_conditioned({2, 4, 4})}},
                         {{unit({1, 1})}},
                         {{unit({2, 0, 0})}},
                         {{unit({0, 2, 2})}}};
        },
};

}  // namespace

Tensor matrix_exp(const Tensor& self) { return call_op(kMatrixExp, {&self}); }
Tensor linalg_matrix_exp(const Tensor& self) { return matrix_exp(self); }

OA_OP(matrix_exp, &kMatrixExp)

}  // namespace oneagent
