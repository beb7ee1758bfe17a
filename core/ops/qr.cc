#include "core/ops/qr.h"

#include "core/kernels/qr.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_matrix.h"
#include "core/ops/slice.h"
#include "core/ops/triangular.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::lower;
using matrix::transposed;
using matrix::upper;
using matrix::with_matrix;

enum Mode : int64_t { kReduced, kComplete, kOnlyR };
constexpr AttrSpec kModeAttrs[] = {{"mode", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  matrix::require_matrix("linalg.qr", *in[0]);
  const Shape &a = in[0]->sizes, batch = batch_sizes(a);
  const int64_t m = a[a.size() - 2], n = a.back(), mode = attrs.integer(0);
  const int64_t k = mode == kComplete ? m : std::min(m, n);
  out.add(mode == kOnlyR ? Shape{0} : with_matrix(batch, m, k), in[0]->dtype);
  out.add(with_matrix(batch, k, n), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  qr_factor(stream, attrs.integer(0) == kOnlyR ? Tensor() : out[0], out[1], in[0]);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& a = in[0]->sizes;
  return 4.0 * static_cast<double>(a.numel() * std::min(a.back(), a[a.size() - 2]));
}

// m >= n; either gradient may be undefined.
Tensor tall_gradient(const Tensor& q, const Tensor& r, const Tensor& of_q, const Tensor& of_r) {
  Tensor inner;
  if (of_r.defined()) inner = matmul(of_r, transposed(r));
  if (of_q.defined()) {
    const Tensor part = matmul(transposed(q), of_q);
    inner = inner.defined() ? sub(inner, part) : neg(part);
  }
  const Tensor mirrored = add(upper(inner), transposed(upper(inner, 1)));
  Tensor sum = matmul(q, mirrored);
  if (of_q.defined()) sum = add(sum, of_q);
  return linalg_solve_triangular(transposed(r), sum, false, false);
}

void vjp(VjpCall& call) {
  const int64_t mode = call.attrs().integer(0);
  const Shape& a = call.input_sizes(0);
  const int64_t m = a[a.size() - 2], n = a.back();
  OA_REQUIRE(mode != kOnlyR,
             "linalg.qr: mode 'r' has no gradient, as Q is not kept; use mode 'reduced'");
  OA_REQUIRE(mode != kComplete || m <= n,
             "linalg.qr: mode 'complete' has no gradient for more rows than columns");
  const Tensor q = call.output(0), r = call.output(1);
  if (!call.grad(0).defined() && !call.grad(1).defined()) return;
  if (m >= n) return call.set(0, tall_gradient(q, r, call.grad(0), call.grad(1)));
  Tensor of_q = call.grad(0), of_r;
  if (call.grad(1).defined()) {
    of_r = narrow(call.grad(1), -1, 0, m);
    const Tensor rest = narrow(call.grad(1), -1, m, n - m);
    const Tensor part = matmul(q, matmul(narrow(r, -1, m, n - m), transposed(rest)));
    of_q = of_q.defined() ? add(of_q, part) : part;
  }
  const Tensor first = tall_gradient(q, narrow(r, -1, 0, m), of_q, of_r);
  const Tensor last = call.grad(1).defined() ? matmul(q, narrow(call.grad(1), -1, m, n - m))
                                             : mul(narrow(r, -1, m, n - m), 0.0);
  call.set(0, cat({first, last}, -1));
}

constinit const Op kQr = {
    .name = "linalg_qr",
    .attrs = kModeAttrs,
    .infer = infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      return attrs.integer(0) == kOnlyR ? "...mn->q,...kn;mnkq" : "...mn->...mk,...kn;mnk";
    }},
    .saves = saves_output(0) | saves_output(1),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto mode = [](int64_t value) { return Attrs().add(value); };
          return Samples{{{well_conditioned({3, 3})}, mode(kReduced)},
                         {{well_conditioned({2, 5, 3})}, mode(kReduced)},
                         {{well_conditioned({2, 3, 5})}, mode(kReduced)},
                         {{well_conditioned({3, 4})}, mode(kComplete)},
                         {{well_conditioned({0, 3})}, mode(kReduced)},
                         {{well_conditioned({3, 0})}, mode(kReduced)}};
        },
};

void geqrf_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_matrix("geqrf", *in[0]);
  const Shape& a = in[0]->sizes;
  Shape tau = batch_sizes(a);
  tau.push_back(std::min(a[a.size() - 2], a.back()));
  out.add(a, in[0]->dtype);
  out.add(tau, in[0]->dtype);
}
void geqrf_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  householder_factor(stream, out[0], out[1], in[0]);
}
constinit const Op kGeqrf = {
    .name = "geqrf",
    .infer = geqrf_infer,
    .rule = {.factors = "...mn->...mn,...k", .closed = "mnk"},
    .flops = flops,
    .kernels = {geqrf_kernel},
    .samples =
        [] {
          return Samples{{{well_conditioned({3, 3})}},
                         {{well_conditioned({2, 5, 3})}},
                         {{well_conditioned({2, 3, 5})}},
                         {{well_conditioned({0, 3})}}};
        },
};

void product_infer(Metas in, const Attrs&, Inferred& out) {
  constexpr const char* kName = "linalg.householder_product";
  require_same_dtype(kName, in);
  matrix::require_matrix(kName, *in[0]);
  const Shape &a = in[0]->sizes, &tau = in[1]->sizes;
  const int64_t m = a[a.size() - 2], n = a.back();
  OA_REQUIRE(m >= n, kName,
             ": input.shape[-2] must be greater than or equal to input.shape[-1], "
             "was ",
             a);
  OA_REQUIRE(tau.size() + 1 == a.size() && tau.back() <= n &&
                 std::equal(tau.begin(), tau.end() - 1, a.begin()),
             kName, ": expected tau of shape [..., k] with k <= ", n, ", was ", tau);
  out.add(a, in[0]->dtype);
}
void product_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  householder_product(stream, out[0], in[0], in[1]);
}
double product_flops(Metas in, const Attrs&, const Inferred&) {
  return 4.0 * static_cast<double>(in[0]->sizes.numel() * in[1]->sizes.back());
}

// Q = H_0 ... H_{k-1} E with H_i = I - tau_i v_i v_i^T. With L_i = H_{i-1} ... H_0 dQ and
// R_i = H_{i+1} ... H_{k-1} E, the gradient of H_i is L_i R_i^T.
Tensor reflected(const Tensor& x, const Tensor& v, const Tensor& tau) {
  return sub(x, mul(tau, matmul(v, matmul(transposed(v), x))));
}
void product_vjp(VjpCall& call) {
  const Tensor a = call.input(0), tau = call.input(1);
  const int64_t m = a.size(-2), n = a.size(-1), k = tau.size(-1);
  if (k == 0) return;
  const Tensor vectors = add(lower(a, -1), matrix::identity(m, n, a.dtype()));
  const auto vector = [&](int64_t i) { return narrow(vectors, -1, i, 1); };
  const auto factor = [&](int64_t i) { return unsqueeze(narrow(tau, -1, i, 1), -1); };
  std::vector<Tensor> right(static_cast<size_t>(k));
  Tensor product = expand(matrix::identity(m, n, a.dtype()), a.sizes());
  for (int64_t i = k; i-- > 0;) {
    right[static_cast<size_t>(i)] = product;
    product = reflected(product, vector(i), factor(i));
  }
  std::vector<Tensor> of_vectors, of_tau;
  Tensor left = call.grad();
  for (int64_t i = 0; i < k; ++i) {
    const Tensor& other = right[static_cast<size_t>(i)];
    const Tensor v = vector(i);
    const Tensor l = matmul(transposed(left), v), r = matmul(transposed(other), v);
    of_tau.push_back(neg(matmul(transposed(l), r)));
    of_vectors.push_back(neg(mul(factor(i), add(matmul(left, r), matmul(other, l)))));
    left = reflected(left, v, factor(i));
  }
  if (k < n) of_vectors.push_back(mul(narrow(a, -1, k, n - k), 0.0));
  if (call.needs(0)) call.set(0, lower(cat(of_vectors, -1), -1));
  if (call.needs(1)) call.set(1, reshape(cat(of_tau, -1), tau.sizes()));
}

constinit const Op kProduct = {
    .name = "linalg_householder_product",
    .infer = product_infer,
    .rule = {.factors = "...mn,...k->...mn", .closed = "mnk"},
    .saves = saves_input(0) | saves_input(1),
    .flops = product_flops,
    .vjp = product_vjp,
    .kernels = {product_kernel},
    .samples =
        [] {
          return Samples{{{unit({3, 3}), unit({3})}},
                         {{unit({2, 5, 3}), unit({2, 2})}},
                         {{unit({4, 2}), unit({0})}},
                         {{unit({3, 0}), unit({0})}}};
        },
};

constexpr AttrSpec kMultiplyAttrs[] = {{"left", AttrKind::kBool}, {"transpose", AttrKind::kBool}};
void multiply_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("ormqr", in);
  matrix::require_matrix("ormqr", *in[0]);
  matrix::require_matrix("ormqr", *in[2]);
  const Shape &a = in[0]->sizes, &tau = in[1]->sizes, &c = in[2]->sizes;
  OA_REQUIRE(tau.size() + 1 == a.size() && tau.back() <= a[a.size() - 2] && tau.back() <= a.back(),
             "ormqr: expected tau of shape [..., k], k being no larger than the sizes of the "
             "matrices, was ",
             tau);
  OA_REQUIRE(
      batch_sizes(a) == batch_sizes(c) && c[c.size() - (attrs.flag(0) ? 2 : 1)] == a[a.size() - 2],
      "ormqr: incompatible shapes of the reflections and the other matrix: ", a, " and ", c);
  out.add(c, in[0]->dtype);
}
void multiply_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  householder_multiply(stream, out[0], in[0], in[1], in[2], attrs.flag(0), attrs.flag(1));
}
constinit const Op kMultiply = {
    .name = "ormqr",
    .attrs = kMultiplyAttrs,
    .infer = multiply_infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      return attrs.flag(0) ? "...mn,...k,...mp->...mp;mnk" : "...mn,...k,...pm->...pm;mnk";
    }},
    .kernels = {multiply_kernel},
    .samples =
        [] {
          const auto attrs = [](bool left, bool t) { return Attrs().add(left).add(t); };
          return Samples{{{unit({3, 3}), unit({3}), normal({3, 2})}, attrs(true, false)},
                         {{unit({2, 5, 3}), unit({2, 3}), normal({2, 4, 5})}, attrs(false, true)},
                         {{unit({3, 2}), unit({2}), normal({3, 0})}, attrs(true, false)}};
        },
};

std::tuple<Tensor, Tensor> factor(const Tensor& a, int64_t mode) {
  Tensor out[2];
  call_op(kQr, {&a}, Attrs().add(mode), out);
  return {out[0], out[1]};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& A, std::string_view mode) {
  OA_REQUIRE(mode == "reduced" || mode == "complete" || mode == "r",
             "linalg.qr: expected mode 'reduced', 'complete' or 'r', was '", mode, "'");
  return factor(A, mode == "reduced" ? kReduced : mode == "complete" ? kComplete : kOnlyR);
}
std::tuple<Tensor, Tensor> qr(const Tensor& self, bool some) {
  return factor(self, some ? kReduced : kComplete);
}
std::tuple<Tensor, Tensor> geqrf(const Tensor& self) {
  Tensor out[2];
  call_op(kGeqrf, {&self}, {}, out);
  return {out[0], out[1]};
}
Tensor linalg_householder_product(const Tensor& input, const Tensor& tau) {
  return call_op(kProduct, {&input, &tau});
}
Tensor orgqr(const Tensor& self, const Tensor& input2) {
  return linalg_householder_product(self, input2);
}
Tensor ormqr(const Tensor& self, const Tensor& input2, const Tensor& input3, bool left,
             bool transpose) {
  return call_op(kMultiply, {&self, &input2, &input3}, Attrs().add(left).add(transpose));
}

OA_OP(qr, &kQr, &kGeqrf, &kProduct, &kMultiply)

}  // namespace oneagent
