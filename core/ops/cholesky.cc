#include "core/ops/cholesky.h"

#include "core/kernels/cholesky.h"
#include "core/ops/binary.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_matrix.h"
#include "core/ops/triangular.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using matrix::transposed;

constexpr AttrSpec kAttrs[] = {{"upper", AttrKind::kBool}};
Attrs attrs_of(bool upper) { return Attrs().add(upper); }

void factor_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("linalg.cholesky", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(matrix::batch_sizes(in[0]->sizes), DType::kInt32);
}
void factor_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  cholesky_factor(stream, out[0], out[1], in[0], attrs.flag(0));
}
double cubic_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel() * in[0]->sizes.back()) / 3;
}
void factor_vjp(VjpCall& call) {
  const bool upper = call.attrs().flag(0);
  const Tensor l = upper ? transposed(call.output()) : call.output();
  const Tensor gradient = upper ? transposed(call.grad()) : call.grad();
  // Below the diagonal the product stands in both triangles with half its value.
  const Tensor half = mul(matrix::lower(matmul(transposed(l), gradient)), 0.5);
  const Tensor inner = add(half, transposed(matrix::lower(half, -1)));
  const Tensor left = linalg_solve_triangular(transposed(l), inner, true);
  call.set(0, linalg_solve_triangular(l, left, false, false));
}

constinit const Op kCholesky = {
    .name = "linalg_cholesky_ex",
    .attrs = kAttrs,
    .infer = factor_infer,
    .rule = {.factors = "...mn->...mn,...", .closed = "mn"},
    .saves = saves_output(),
    .flops = cubic_flops,
    .vjp = factor_vjp,
    .kernels = {factor_kernel},
    .samples =
        [] {
          return Samples{{{positive_definite({3, 3})}, attrs_of(false)},
                         {{positive_definite({2, 4, 4})}, attrs_of(true)},
                         {{positive_definite({1, 1})}, attrs_of(false)},
                         {{positive_definite({2, 0, 0})}, attrs_of(false)},
                         {{positive_definite({0, 2, 2})}, attrs_of(false)}};
        },
};

void solve_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("cholesky_solve", in);
  matrix::require_square("cholesky_solve", *in[1]);
  matrix::require_matrix("cholesky_solve", *in[0]);
  const Shape &b = in[0]->sizes, &l = in[1]->sizes;
  OA_REQUIRE(b[b.size() - 2] == l.back() && matrix::batch_sizes(b) == matrix::batch_sizes(l),
             "cholesky_solve: incompatible shapes of b and the factor: ", b, " and ", l);
  out.add(b, in[0]->dtype);
}
void solve_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  cholesky_solve(stream, out[0], in[0], in[1], attrs.flag(0));
}
double solve_flops(Metas in, const Attrs&, const Inferred& out) {
  return 2 * static_cast<double>(out[0].sizes.numel() * in[1]->sizes.back());
}

// With S = dB X^T + X dB^T: the gradient of L is -S L in its triangle, that of U is -U S.
Tensor factor_gradient(const Tensor& factor, const Tensor& product, bool upper) {
  const Tensor both = add(product, transposed(product));
  return upper ? matrix::upper(neg(matmul(factor, both)))
               : matrix::lower(neg(matmul(both, factor)));
}
Tensor triangle_of(const Tensor& factor, bool upper) {
  return upper ? matrix::upper(factor) : matrix::lower(factor);
}

void solve_vjp(VjpCall& call) {
  const bool upper = call.attrs().flag(0);
  const Tensor gradient = cholesky_solve(call.grad(), call.input(1), upper);
  if (call.needs(0)) call.set(0, gradient);
  if (call.needs(1))
    call.set(1, factor_gradient(triangle_of(call.input(1), upper),
                                matmul(gradient, transposed(call.output())), upper));
}

constinit const Op kCholeskySolve = {
    .name = "cholesky_solve",
    .attrs = kAttrs,
    .infer = solve_infer,
    .rule = {.factors = "...mk,...mn->...mk", .closed = "mn", .linear = 1},
    .saves = saves_input(1) | saves_output(),
    .flops = solve_flops,
    .vjp = solve_vjp,
    .kernels = {solve_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 2}), dominant({3, 3})}, attrs_of(false)},
                         {{normal({2, 4, 1}), dominant({2, 4, 4})}, attrs_of(true)},
                         {{normal({0, 2}), dominant({0, 0})}, attrs_of(false)}};
        },
};

void inverse_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("cholesky_inverse", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}
void inverse_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  cholesky_inverse(stream, out[0], in[0], attrs.flag(0));
}
void inverse_vjp(VjpCall& call) {  // X = A^-1: dA = -X dX X
  const bool upper = call.attrs().flag(0);
  const Tensor x = call.output();
  const Tensor product = matmul(x, matmul(call.grad(), x));
  call.set(0, factor_gradient(triangle_of(call.input(0), upper), product, upper));
}

constinit const Op kCholeskyInverse = {
    .name = "cholesky_inverse",
    .attrs = kAttrs,
    .infer = inverse_infer,
    .rule = {.factors = "...mn->...mn", .closed = "mn"},
    .saves = saves_input(0) | saves_output(),
    .flops = cubic_flops,
    .vjp = inverse_vjp,
    .kernels = {inverse_kernel},
    .samples =
        [] {
          return Samples{{{dominant({3, 3})}, attrs_of(false)},
                         {{dominant({2, 4, 4})}, attrs_of(true)},
                         {{dominant({0, 0})}, attrs_of(false)}};
        },
};

std::tuple<Tensor, Tensor> factor(const char* api, const Tensor& a, bool upper, bool check) {
  Tensor out[2];
  call_op(kCholesky, {&a}, attrs_of(upper), out);
  if (check) matrix::check_info(api, out[1]);
  return {out[0], out[1]};
}

}  // namespace

Tensor linalg_cholesky(const Tensor& self, bool upper) {
  return std::get<0>(factor("linalg.cholesky", self, upper, true));
}
Tensor cholesky(const Tensor& self, bool upper) {
  return std::get<0>(factor("cholesky", self, upper, true));
}
std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& self, bool upper, bool check_errors) {
  return factor("linalg.cholesky_ex", self, upper, check_errors);
}

Tensor cholesky_solve(const Tensor& self, const Tensor& input2, bool upper) {
  matrix::require_square("cholesky_solve", input2.impl().meta);
  matrix::require_matrix("cholesky_solve", self.impl().meta);
  const auto [b, l] = matrix::broadcast_batches("cholesky_solve", self, input2);
  return call_op(kCholeskySolve, {&b, &l}, attrs_of(upper));
}
Tensor cholesky_inverse(const Tensor& self, bool upper) {
  return call_op(kCholeskyInverse, {&self}, attrs_of(upper));
}

OA_OP(cholesky, &kCholesky, &kCholeskySolve, &kCholeskyInverse)

}  // namespace oneagent
