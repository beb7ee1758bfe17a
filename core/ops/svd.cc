#include "core/ops/svd.h"

#include "core/kernels/svd.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_matrix.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::transposed;
using matrix::with_matrix;

constexpr const char* kName = "linalg.svd";
constexpr AttrSpec kAttrs[] = {{"full_matrices", AttrKind::kBool}};

Shape with_vector(const Shape& batch, int64_t size) {
  Shape out = batch;
  out.push_back(size);
  return out;
}
int64_t smaller_size(const Shape& a) { return std::min(a[a.size() - 2], a.back()); }

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  matrix::require_matrix(kName, *in[0]);
  const Shape &a = in[0]->sizes, batch = batch_sizes(a);
  const int64_t m = a[a.size() - 2], n = a.back(), k = std::min(m, n);
  const bool full = attrs.flag(0);
  out.add(with_matrix(batch, m, full ? m : k), in[0]->dtype);
  out.add(with_vector(batch, k), in[0]->dtype);
  out.add(with_matrix(batch, full ? n : k, n), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor info = empty_on(stream, batch_sizes(in[0].sizes()), DType::kInt32);
  singular_values(stream, out[0], out[1], out[2], info, in[0]);
  matrix::check_info(kName, info);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  return 14.0 * static_cast<double>(in[0]->sizes.numel() * smaller_size(in[0]->sizes));
}

Tensor scaled_columns(const Tensor& x, const Tensor& s) { return mul(x, unsqueeze(s, -2)); }
Tensor scaled_rows(const Tensor& x, const Tensor& s) { return mul(x, unsqueeze(s, -1)); }
// x - q (q^T x): what lies outside the columns of q.
Tensor outside(const Tensor& q, const Tensor& x) {
  return sub(x, matmul(q, matmul(transposed(q), x)));
}

// u [..., m, k], v [..., n, k]; gradients may be undefined.
Tensor gradient_of(const Tensor& u, const Tensor& s, const Tensor& v, const Tensor& of_u,
                   const Tensor& of_s, const Tensor& of_v) {
  const Tensor squares = square(s);
  const Tensor one = matrix::on_diagonal(s.size(-1));
  const Tensor gaps = where(one, 1.0, sub(unsqueeze(squares, -2), unsqueeze(squares, -1)));  // E
  const auto skew = [&](const Tensor& q, const Tensor& gradient) {
    const Tensor inner = matmul(transposed(q), gradient);
    return div(sub(inner, transposed(inner)), gaps);
  };
  Tensor inner, extra;
  const auto add_to = [](Tensor& sum, const Tensor& part) {
    sum = sum.defined() ? add(sum, part) : part;
  };
  if (of_u.defined()) add_to(inner, scaled_columns(skew(u, of_u), s));
  if (of_v.defined()) add_to(inner, scaled_rows(skew(v, of_v), s));
  if (of_s.defined()) add_to(inner, matrix::with_diagonal(of_s));
  if (of_u.defined() && u.size(-2) > s.size(-1))
    add_to(extra, matmul(scaled_columns(outside(u, of_u), reciprocal(s)), transposed(v)));
  if (of_v.defined() && v.size(-2) > s.size(-1))
    add_to(extra, matmul(u, transposed(scaled_columns(outside(v, of_v), reciprocal(s)))));
  const Tensor sum = matmul(u, matmul(inner, transposed(v)));
  return extra.defined() ? add(sum, extra) : sum;
}

void vjp(VjpCall& call) {
  const Tensor s = call.output(1);
  const int64_t k = s.size(-1);
  const auto columns = [&](const Tensor& x) {
    return !x.defined() || x.size(-1) == k ? x : narrow(x, -1, 0, k);
  };
  const auto rows = [&](const Tensor& x) {
    return !x.defined() ? x : transposed(x.size(-2) == k ? x : narrow(x, -2, 0, k));
  };
  if (!call.grad(0).defined() && !call.grad(1).defined() && !call.grad(2).defined()) return;
  call.set(0, gradient_of(columns(call.output(0)), s, rows(call.output(2)), columns(call.grad(0)),
                          call.grad(1), rows(call.grad(2))));
}

constinit const Op kSvd = {
    .name = "linalg_svd",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      return attrs.flag(0) ? "...mn->...mp,...k,...qn;mnkpq" : "...mn->...mk,...k,...kn;mnk";
    }},
    .saves = saves_output(0) | saves_output(1) | saves_output(2),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto full = [](bool value) { return Attrs().add(value); };
          return Samples{{{well_conditioned({3, 3})}, full(true)},
                         {{well_conditioned({2, 4, 3})}, full(false)},
                         {{well_conditioned({3, 5})}, full(false)},
                         {{well_conditioned({0, 3})}, full(false)},
                         {{well_conditioned({0, 3, 2})}, full(true)}};
        },
};

void values_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_matrix("linalg.svdvals", *in[0]);
  out.add(with_vector(batch_sizes(in[0]->sizes), smaller_size(in[0]->sizes)), in[0]->dtype);
}
void values_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor info = empty_on(stream, batch_sizes(in[0].sizes()), DType::kInt32);
  singular_values(stream, {}, out[0], {}, info, in[0]);
  matrix::check_info("linalg.svdvals", info);
}
void values_vjp(VjpCall& call) {
  const auto [u, s, vh] = _linalg_svd(call.input(0));
  call.set(0, matmul(scaled_columns(u, call.grad()), vh));
}
constinit const Op kSvdvals = {
    .name = "linalg_svdvals",
    .infer = values_infer,
    .rule = {.factors = "...mn->...k", .closed = "mnk"},
    .saves = saves_input(0),
    .flops = flops,
    .vjp = values_vjp,
    .kernels = {values_kernel},
    .samples =
        [] {
          return Samples{{{well_conditioned({3, 3})}},
                         {{well_conditioned({2, 4, 3})}},
                         {{well_conditioned({3, 5})}},
                         {{well_conditioned({2, 0, 3})}}};
        },
};

void require_no_driver(std::optional<std::string_view> driver) {
  OA_REQUIRE(!driver, kName, ": the keyword argument driver= is only for CUDA");
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> _linalg_svd(const Tensor& A, bool full_matrices, bool compute_uv,
                                               std::optional<std::string_view> driver) {
  require_no_driver(driver);
  if (!compute_uv) {
    const Tensor none = empty({0}, A.dtype());
    return {none, call_op(kSvdvals, {&A}), none};
  }
  Tensor out[3];
  call_op(kSvd, {&A}, Attrs().add(full_matrices), out);
  return {out[0], out[1], out[2]};
}
std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& A, bool full_matrices,
                                              std::optional<std::string_view> driver) {
  return _linalg_svd(A, full_matrices, true, driver);
}
Tensor linalg_svdvals(const Tensor& A, std::optional<std::string_view> driver) {
  require_no_driver(driver);
  // With a gradient to come, the vectors are computed once, here.
  if (GradMode::is_enabled() && A.requires_grad()) return std::get<1>(_linalg_svd(A));
  return call_op(kSvdvals, {&A});
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& self, bool some, bool compute_uv) {
  matrix::require_matrix("svd", self.impl().meta);
  if (!compute_uv) {
    const Shape batch = batch_sizes(self.sizes());
    const int64_t m = self.size(-2), n = self.size(-1);
    return {zeros(with_matrix(batch, m, m), self.dtype()), linalg_svdvals(self),
            zeros(with_matrix(batch, n, n), self.dtype())};
  }
  const auto [u, s, vh] = _linalg_svd(self, !some);
  return {u, s, transposed(vh)};
}

OA_OP(svd, &kSvd, &kSvdvals)

}  // namespace oneagent
