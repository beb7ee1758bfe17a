#include "core/kernels/eig.h"
#include "core/ops/op_complex.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  const Shape& a = in[0]->sizes;
  OA_REQUIRE(a.size() >= 2 && a[a.size() - 1] == a[a.size() - 2],
             "linalg.eig: A must be batches of square matrices, was ", a);
  OA_REQUIRE(has_gradient(in[0]->dtype), "linalg.eig: expected a floating or complex tensor, was ",
             name_of(in[0]->dtype));
  Shape values = a;
  values.erase(values.size() - 1);
  out.add(values, complex_type_of(in[0]->dtype));
  out.add(a, complex_type_of(in[0]->dtype));
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_eig(stream, out[0], out[1], in[0]);
}

// With V^H g_V in the basis of the vectors, less what only scales them, over the differences of the
// eigenvalues; g_L on the diagonal (Boeddeker et al. 2017; PyTorch's linalg_eig_backward).
void vjp(VjpCall& call) {
  const Tensor values = call.output(0), v = call.output(1), vh = conj(v.transpose(-2, -1));
  const int64_t n = v.size(-1);
  const Tensor on_diagonal = eye(n, kBool);
  Tensor inner;
  if (call.grad(1).defined()) {
    const Tensor g = matmul(vh, call.grad(1));
    const Tensor scales =
        complex(real(diagonal(g, 0, -2, -1)), zeros(values.sizes(), real(g).scalar_type()));
    const Tensor free = g - matmul(vh, v) * scales.unsqueeze(-2);
    const Tensor gaps = conj(values.unsqueeze(-2) - values.unsqueeze(-1));
    inner = where(on_diagonal, zeros_like(free), free / where(on_diagonal, ones_like(gaps), gaps));
  }
  if (call.grad(0).defined()) {
    const Tensor part = diag_embed(call.grad(0));
    inner = inner.defined() ? inner + part : part;
  }
  if (!inner.defined()) return;
  const Tensor gradient = linalg_solve(vh, matmul(inner, vh));
  call.set(0, is_complex(call.input_dtype(0)) ? gradient : real(gradient));
}

// Beside the table of ops, whose checks are about real results.
constinit const Op kEig = {
    .name = "linalg_eig",
    .infer = infer,
    .rule = {.factors = "...mn->...k,...mk", .closed = "mnk"},
    .saves = saves_output(0) | saves_output(1),
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
};

}  // namespace

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& self) {
  Tensor out[2];
  call_op(kEig, {&self}, {}, out);
  return {out[0], out[1]};
}
Tensor linalg_eigvals(const Tensor& self) { return std::get<0>(linalg_eig(self)); }

}  // namespace oneagent
