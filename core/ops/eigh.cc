#include "core/ops/eigh.h"

#include "core/kernels/svd.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_matrix.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::transposed;

constexpr AttrSpec kAttrs[] = {{"upper", AttrKind::kBool}};

void values_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("linalg.eigh", *in[0]);
  Shape values = batch_sizes(in[0]->sizes);
  values.push_back(in[0]->sizes.back());
  out.add(values, in[0]->dtype);
}
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  values_infer(in, attrs, out);
  out.add(in[0]->sizes, in[0]->dtype);
}
void run(Stream& stream, const char* api, const Tensor& values, const Tensor& vectors,
         const Tensor& a, bool upper) {
  const Tensor info = empty_on(stream, batch_sizes(a.sizes()), DType::kInt32);
  symmetric_eigenvalues(stream, values, vectors, info, a, upper);
  matrix::check_info(api, info);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, "linalg.eigh", out[0], out[1], in[0], attrs.flag(0));
}
void values_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, "linalg.eigvalsh", out[0], {}, in[0], attrs.flag(0));
}
double flops(Metas in, const Attrs&, const Inferred&) {
  return 9.0 * static_cast<double>(in[0]->sizes.numel() * in[0]->sizes.back());
}

Tensor between(const Tensor& v, const Tensor& inner) {
  return matmul(v, matmul(inner, transposed(v)));
}
void vjp(VjpCall& call) {
  const Tensor values = call.output(0), v = call.output(1);
  Tensor inner;
  if (call.grad(1).defined()) {
    const Tensor gaps = where(matrix::on_diagonal(values.size(-1)), 1.0,
                              sub(unsqueeze(values, -2), unsqueeze(values, -1)));
    const Tensor part = matmul(transposed(v), call.grad(1));
    inner = div(mul(sub(part, transposed(part)), 0.5), gaps);
  }
  if (call.grad(0).defined()) {
    const Tensor part = matrix::with_diagonal(call.grad(0));
    inner = inner.defined() ? add(inner, part) : part;
  }
  if (inner.defined()) call.set(0, between(v, inner));
}
void values_vjp(VjpCall& call) {
  const auto [values, v] = linalg_eigh(call.input(0), call.attrs().flag(0) ? "U" : "L");
  call.set(0, between(v, matrix::with_diagonal(call.grad())));
}

Samples samples() {
  return {{{positive_definite({3, 3})}, Attrs().add(false)},
          {{positive_definite({2, 4, 4})}, Attrs().add(true)},
          {{positive_definite({1, 1})}, Attrs().add(false)},
          {{positive_definite({2, 0, 0})}, Attrs().add(false)}};
}

constinit const Op kEigh = {
    .name = "linalg_eigh",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "...mn->...k,...mk", .closed = "mnk"},
    .saves = saves_output(0) | saves_output(1),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples = samples,
};
constinit const Op kEigvalsh = {
    .name = "linalg_eigvalsh",
    .attrs = kAttrs,
    .infer = values_infer,
    .rule = {.factors = "...mn->...k", .closed = "mnk"},
    .saves = saves_input(0),
    .flops = flops,
    .vjp = values_vjp,
    .kernels = {values_kernel},
    .samples = samples,
};

bool is_upper(const char* api, std::string_view triangle) {
  OA_REQUIRE(triangle == "L" || triangle == "U" || triangle == "l" || triangle == "u", api,
             ": expected UPLO to be 'L' or 'U', was '", triangle, "'");
  return triangle == "U" || triangle == "u";
}

std::tuple<Tensor, Tensor> decompose(const Tensor& a, bool upper, bool vectors) {
  // With a gradient to come, the vectors are computed once, here.
  const bool both = vectors || (GradMode::is_enabled() && a.requires_grad());
  if (!both) return {call_op(kEigvalsh, {&a}, Attrs().add(upper)), empty({0}, a.dtype())};
  Tensor out[2];
  call_op(kEigh, {&a}, Attrs().add(upper), out);
  return {out[0], vectors ? out[1] : empty({0}, a.dtype())};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& self, std::string_view UPLO) {
  return decompose(self, is_upper("linalg.eigh", UPLO), true);
}
std::tuple<Tensor, Tensor> _linalg_eigh(const Tensor& A, std::string_view UPLO, bool compute_v) {
  return decompose(A, is_upper("linalg.eigh", UPLO), compute_v);
}
Tensor linalg_eigvalsh(const Tensor& self, std::string_view UPLO) {
  return std::get<0>(decompose(self, is_upper("linalg.eigvalsh", UPLO), false));
}
std::tuple<Tensor, Tensor> symeig(const Tensor& self, bool eigenvectors, bool upper) {
  return decompose(self, upper, eigenvectors);
}

OA_OP(eigh, &kEigh, &kEigvalsh)

}  // namespace oneagent
