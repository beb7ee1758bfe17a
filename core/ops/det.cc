#include "core/ops/det.h"

#include <limits>

#include "core/kernels/lu.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/lu.h"
#include "core/ops/op_matrix.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

void factors_infer(const char* op, Metas in, int results, Inferred& out) {
  matrix::require_square(op, *in[0]);
  const Shape &a = in[0]->sizes, batch = matrix::batch_sizes(a);
  for (int i = 0; i < results; ++i) out.add(batch, in[0]->dtype);
  out.add(a, in[0]->dtype);
  Shape pivots = batch;
  pivots.push_back(a.back());
  out.add(pivots, DType::kInt32);
}
void det_infer(Metas in, const Attrs&, Inferred& out) { factors_infer("linalg.det", in, 1, out); }
void slogdet_infer(Metas in, const Attrs&, Inferred& out) {
  factors_infer("linalg.slogdet", in, 2, out);
}
void factor(Stream& stream, const Tensor& lu, const Tensor& pivots, const Tensor& a) {
  lu_factor(stream, lu, pivots, empty_on(stream, matrix::batch_sizes(a.sizes()), DType::kInt32), a);
}
void det_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  factor(stream, out[1], out[2], in[0]);
  lu_determinant(out[0], out[1], out[2]);
}
void slogdet_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  factor(stream, out[2], out[3], in[0]);
  lu_log_determinant(out[0], out[1], out[2], out[3]);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel() * in[0]->sizes.back()) * 2 / 3;
}

// A^-T times a number for each matrix, from the factors.
Tensor scaled_inverse(const Tensor& lu, const Tensor& pivots, const Tensor& scale) {
  const Tensor number = reshape(scale, matrix::with_matrix(scale.sizes(), 1, 1));
  const Tensor right = where(matrix::on_diagonal(lu.size(-1)), number, 0.0);
  return linalg_lu_solve(lu, pivots, right, true, true);
}
void set_sum(VjpCall& call, const Tensor& first, size_t factors) {
  if (!call.grad(factors).defined()) return call.set(0, first);
  const Tensor second = matrix::lu_factor_gradient(call.grad(factors), call.output(factors),
                                                   call.output(factors + 1));
  call.set(0, first.defined() ? add(first, second) : second);
}

void det_vjp(VjpCall& call) {
  Tensor of_a;
  if (call.grad(0).defined()) {
    const Tensor lu = call.output(1);
    const double step = lu.dtype() == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                      : std::numeric_limits<float>::epsilon();
    const Tensor zeros = logical_and(matrix::on_diagonal(lu.size(-1)), eq(lu, 0.0));
    of_a =
        scaled_inverse(where(zeros, step, lu), call.output(2), mul(call.grad(0), call.output(0)));
  }
  if (of_a.defined() || call.grad(1).defined()) set_sum(call, of_a, 1);
}
void slogdet_vjp(VjpCall& call) {
  Tensor of_a;
  if (call.grad(1).defined()) of_a = scaled_inverse(call.output(2), call.output(3), call.grad(1));
  if (of_a.defined() || call.grad(2).defined()) set_sum(call, of_a, 2);
}

Samples samples() {
  return {{{well_conditioned({3, 3})}},
          {{well_conditioned({2, 4, 4})}},
          {{well_conditioned({1, 1})}},
          {{well_conditioned({2, 0, 0})}},
          {{well_conditioned({0, 2, 2})}}};
}

constinit const Op kDet = {
    .name = "linalg_det",
    .infer = det_infer,
    .rule = {.factors = "...mn->...,...mn,...n", .closed = "mn"},
    .saves = saves_output(0) | saves_output(1) | saves_output(2),
    .flops = flops,
    .vjp = det_vjp,
    .kernels = {det_kernel},
    .samples = samples,
};
constinit const Op kSlogdet = {
    .name = "linalg_slogdet",
    .infer = slogdet_infer,
    .rule = {.factors = "...mn->...,...,...mn,...n", .closed = "mn"},
    .saves = saves_output(2) | saves_output(3),
    .flops = flops,
    .vjp = slogdet_vjp,
    .kernels = {slogdet_kernel},
    .samples = samples,
};

}  // namespace

std::tuple<Tensor, Tensor, Tensor> _linalg_det(const Tensor& A) {
  Tensor out[3];
  call_op(kDet, {&A}, {}, out);
  return {out[0], out[1], out[2]};
}
Tensor linalg_det(const Tensor& A) { return std::get<0>(_linalg_det(A)); }
Tensor det(const Tensor& self) { return linalg_det(self); }

std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_slogdet(const Tensor& A) {
  Tensor out[4];
  call_op(kSlogdet, {&A}, {}, out);
  return {out[0], out[1], out[2], out[3]};
}
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& A) {
  const auto [sign, logarithm, lu, pivots] = _linalg_slogdet(A);
  return {sign, logarithm};
}
std::tuple<Tensor, Tensor> slogdet(const Tensor& self) { return linalg_slogdet(self); }
Tensor logdet(const Tensor& self) {
  const auto [sign, logarithm] = linalg_slogdet(self);
  return where(eq(sign, -1.0), std::numeric_limits<double>::quiet_NaN(), logarithm);
}

OA_OP(det, &kDet, &kSlogdet)

}  // namespace oneagent
