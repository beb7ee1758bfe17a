#include "core/ops/pinv.h"

#include <limits>

#include "core/kernels/svd.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/eigh.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_matrix.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/svd.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::transposed;

constexpr const char* kName = "linalg.pinv";
constexpr AttrSpec kAttrs[] = {{"hermitian", AttrKind::kBool}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype(kName, in);
  matrix::require_matrix(kName, *in[0]);
  if (attrs.flag(0)) matrix::require_square(kName, *in[0]);
  const Shape &a = in[0]->sizes, batch = batch_sizes(a);
  for (const size_t i : {1, 2})
    OA_REQUIRE(in[i] == nullptr || broadcast_sizes(kName, in[i]->sizes, batch) == batch, kName,
               ": tolerances of shape ", in[i]->sizes, " cannot be broadcast to ", batch);
  out.add(matrix::with_matrix(batch, a.back(), a[a.size() - 2]), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor info = zeros(batch_sizes(in[0].sizes()), kInt32);
  pseudo_inverse(stream, out[0], info, in[0], in[1], in[2], attrs.flag(0));
  matrix::check_info(attrs.flag(0) ? "linalg.eigh" : "linalg.svd", info);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& a = in[0]->sizes;
  return 16.0 * static_cast<double>(a.numel() * std::min(a.back(), a[a.size() - 2]));
}

void vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, matrix::pinv_gradient(call.grad(), call.output(), call.input(0)));
}

constinit const Op kPinv = {
    .name = "linalg_pinv",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(1) | saves_input(2),
    .rule = {.factors = "...mn,...,...->...nm", .closed = "mn"},
    .saves = saves_input(0) | saves_output(),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto hermitian = [](bool value) { return Attrs().add(value); };
          return Samples{{{well_conditioned({3, 3}), unit({}), absent()}, hermitian(false)},
                         {{well_conditioned({2, 4, 3}), unit({2}), absent()}, hermitian(false)},
                         {{well_conditioned({2, 3}), unit({}), absent()}, hermitian(false)},
                         {{positive_definite({2, 3, 3}), unit({}), absent()}, hermitian(true)},
                         {{well_conditioned({0, 3}), unit({}), absent()}, hermitian(false)}};
        },
};

// atol and rtol as tensors of a's dtype, with PyTorch's defaults.
std::pair<Tensor, Tensor> tolerances(const Tensor& a, const std::optional<Tensor>& atol,
                                     const std::optional<Tensor>& rtol) {
  const DType dtype = a.dtype();
  const bool absolute = atol && atol->defined(), relative = rtol && rtol->defined();
  const double step = dtype == DType::kFloat64   ? std::numeric_limits<double>::epsilon()
                      : dtype == DType::kFloat32 ? std::numeric_limits<float>::epsilon()
                      : dtype == DType::kFloat16 ? 0x1p-10
                                                 : 0x1p-7;
  const double usual = step * static_cast<double>(std::max(a.size(-1), a.size(-2)));
  return {absolute ? to(*atol, dtype).detach() : wrapped_scalar(0.0, dtype),
          relative ? to(*rtol, dtype).detach() : wrapped_scalar(absolute ? 0.0 : usual, dtype)};
}
std::optional<Tensor> tensor_of(std::optional<double> number) {
  if (!number) return std::nullopt;
  return wrapped_scalar(*number, kFloat64);
}

}  // namespace

namespace matrix {

// With P the pseudo-inverse and G = dP^T, as Golub and Pereyra:
//   m <= n: K = G P; -(P K)^T + K P^T - A P K P^T + P^T P (G - K A)
//   m > n:  K = P G; -(K P)^T + (G - A K) P P^T + P^T K - P^T K P A
Tensor pinv_gradient(const Tensor& gradient, const Tensor& p, const Tensor& a) {
  const Tensor g = transposed(gradient), pt = transposed(p);
  if (a.size(-2) <= a.size(-1)) {
    const Tensor k = matmul(g, p);
    const Tensor kp = matmul(k, pt);
    return add(sub(kp, transposed(matmul(p, k))),
               sub(matmul(matmul(pt, p), sub(g, matmul(k, a))), matmul(matmul(a, p), kp)));
  }
  const Tensor k = matmul(p, g);
  const Tensor pk = matmul(pt, k);
  return add(sub(pk, transposed(matmul(k, p))),
             sub(matmul(matmul(sub(g, matmul(a, k)), p), pt), matmul(matmul(pk, p), a)));
}

}  // namespace matrix

Tensor linalg_pinv(const Tensor& self, const std::optional<Tensor>& atol,
                   const std::optional<Tensor>& rtol, bool hermitian) {
  matrix::require_matrix(kName, self.impl().meta);
  const auto [absolute, relative] = tolerances(self, atol, rtol);
  return call_op(kPinv, {&self, &absolute, &relative}, Attrs().add(hermitian));
}
Tensor linalg_pinv(const Tensor& self, std::optional<double> atol, std::optional<double> rtol,
                   bool hermitian) {
  return linalg_pinv(self, tensor_of(atol), tensor_of(rtol), hermitian);
}
Tensor linalg_pinv(const Tensor& self, double rcond, bool hermitian) {
  return linalg_pinv(self, std::optional<double>(0.0), std::optional<double>(rcond), hermitian);
}
Tensor linalg_pinv(const Tensor& self, const Tensor& rcond, bool hermitian) {
  return linalg_pinv(self, tensor_of(0.0), std::optional<Tensor>(rcond), hermitian);
}
Tensor pinverse(const Tensor& self, double rcond) { return linalg_pinv(self, rcond); }

Tensor linalg_matrix_rank(const Tensor& input, const std::optional<Tensor>& atol,
                          const std::optional<Tensor>& rtol, bool hermitian) {
  matrix::require_matrix("linalg.matrix_rank", input.impl().meta);
  const Tensor a = input.detach();
  const Tensor values = hermitian ? abs(linalg_eigvalsh(a)) : linalg_svdvals(a);
  if (values.size(-1) == 0) return zeros(batch_sizes(a.sizes()), kInt64);
  const auto [absolute, relative] = tolerances(a, atol, rtol);
  const Tensor limit = maximum(absolute, mul(relative, amax(values, {-1}, false)));
  return sum(gt(values, unsqueeze(limit, -1)), Shape{-1});
}
Tensor linalg_matrix_rank(const Tensor& self, std::optional<double> atol,
                          std::optional<double> rtol, bool hermitian) {
  return linalg_matrix_rank(self, tensor_of(atol), tensor_of(rtol), hermitian);
}
Tensor linalg_matrix_rank(const Tensor& self, double tol, bool hermitian) {
  return linalg_matrix_rank(self, std::optional<double>(tol), std::optional<double>(0.0),
                            hermitian);
}
Tensor linalg_matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian) {
  return linalg_matrix_rank(input, std::optional<Tensor>(tol), tensor_of(0.0), hermitian);
}

OA_OP(pinv, &kPinv)

}  // namespace oneagent
