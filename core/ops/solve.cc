#include "core/ops/solve.h"

#include "core/kernels/lu.h"
#include "core/ops/binary.h"
#include "core/ops/lu.h"
#include "core/ops/matmul.h"
#include "core/ops/op_matrix.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::transposed;

constexpr const char* kSolveName = "linalg.solve";
constexpr AttrSpec kLeftAttrs[] = {{"left", AttrKind::kBool}};

void solve_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype(kSolveName, in);
  matrix::require_square(kSolveName, *in[0]);
  matrix::require_matrix(kSolveName, *in[1]);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes, batch = batch_sizes(a);
  OA_REQUIRE(b[b.size() - (attrs.flag(0) ? 2 : 1)] == a.back() &&
                 broadcast_sizes(kSolveName, batch, batch_sizes(b)) == batch_sizes(b),
             kSolveName, ": incompatible shapes of A and B for the equation ",
             attrs.flag(0) ? "AX = B" : "XA = B", ": ", a, " and ", b);
  out.add(b, in[0]->dtype);
  out.add(a, in[0]->dtype);
  Shape pivots = batch;
  pivots.push_back(a.back());
  out.add(pivots, DType::kInt32);
  out.add(batch, DType::kInt32);
}
void solve_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  lu_factor(stream, out[1], out[2], out[3], in[0]);
  lu_solve(stream, out[0], out[1], out[2], in[1], {.left = attrs.flag(0)});
}
double solve_flops(Metas in, const Attrs&, const Inferred&) {
  const auto n = static_cast<double>(in[0]->sizes.back());
  return static_cast<double>(in[0]->sizes.numel()) * n * 2 / 3 +
         static_cast<double>(in[1]->sizes.numel()) * n * 2;
}
void solve_vjp(VjpCall& call) {
  const bool left = call.attrs().flag(0);
  const Tensor lu = call.output(1), pivots = call.output(2);
  Tensor of_a;
  if (call.grad(0).defined()) {
    const Tensor gradient = linalg_lu_solve(lu, pivots, call.grad(0), left, true);
    if (call.needs(1)) call.set(1, gradient);
    if (call.needs(0)) {
      const Tensor x = transposed(call.output(0));
      of_a = neg(sum_to(left ? matmul(gradient, x) : matmul(x, gradient), call.input_sizes(0)));
    }
  }
  if (!call.needs(0)) return;
  if (call.grad(1).defined()) {
    const Tensor of_factors = matrix::lu_factor_gradient(call.grad(1), lu, pivots);
    of_a = of_a.defined() ? add(of_a, of_factors) : of_factors;
  }
  if (of_a.defined()) call.set(0, of_a);
}

constinit const Op kSolve = {
    .name = "linalg_solve_ex",
    .attrs = kLeftAttrs,
    .infer = solve_infer,
    .rule = {.generate = [](Metas in, const Attrs& attrs) -> std::string {
      const Shape &a = in[0]->sizes, &b = in[1]->sizes;
      const bool batches =
          a.size() == b.size() && a.slice(0, a.size() - 2) == b.slice(0, b.size() - 2);
      return std::string(attrs.flag(0) ? "...mn,...nk->...mk" : "...mn,...km->...kn") +
             ",...mn,...n,...;mnk" + (batches ? "" : "...");
    }},
    .saves = saves_output(0) | saves_output(1) | saves_output(2),
    .flops = solve_flops,
    .vjp = solve_vjp,
    .kernels = {solve_kernel},
    .samples =
        [] {
          const auto left = [](bool value) { return Attrs().add(value); };
          return Samples{{{well_conditioned({3, 3}), normal({3, 2})}, left(true)},
                         {{well_conditioned({2, 4, 4}), normal({2, 4, 1})}, left(true)},
                         {{well_conditioned({3, 3}), normal({2, 2, 3})}, left(false)},
                         {{well_conditioned({2, 0, 0}), normal({2, 0, 3})}, left(true)},
                         {{well_conditioned({0, 2, 2}), normal({0, 2, 3})}, left(true)}};
        },
};

void inverse_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("linalg.inv", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(batch_sizes(in[0]->sizes), DType::kInt32);
}
void inverse_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  invert(stream, out[0], out[1], in[0]);
}
double inverse_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel()) * 2 * static_cast<double>(in[0]->sizes.back());
}
void inverse_vjp(VjpCall& call) {
  const Tensor x = transposed(call.output());
  call.set(0, neg(matmul(x, matmul(call.grad(), x))));
}

constinit const Op kInverse = {
    .name = "linalg_inv_ex",
    .infer = inverse_infer,
    .rule = {.factors = "...mn->...mn,...", .closed = "mn"},
    .saves = saves_output(),
    .flops = inverse_flops,
    .vjp = inverse_vjp,
    .kernels = {inverse_kernel},
    .samples =
        [] {
          return Samples{{{well_conditioned({3, 3})}},
                         {{well_conditioned({2, 4, 4})}},
                         {{well_conditioned({1, 1})}},
                         {{well_conditioned({2, 0, 0})}},
                         {{well_conditioned({0, 2, 2})}}};
        },
};

struct Solution {
  Tensor x, lu, pivots, info;
};

// One vector a matrix: B [n], or of A's shape without its last dimension.
bool is_vector(const Tensor& a, const Tensor& b) {
  if (b.dim() == 1) return true;
  const Shape& sizes = a.sizes();
  return b.dim() + 1 == a.dim() && b.sizes() == Shape(std::span(sizes.data(), sizes.size() - 1));
}

Solution solve(const char* api, const Tensor& a, const Tensor& b, bool left, bool check) {
  matrix::require_square(api, a.impl().meta);
  if (!b.is_complex()) require_floating(api, b.impl().meta);
  OA_REQUIRE(b.dim() > 0, api, ": B needs at least one dimension");
  const bool vector = is_vector(a, b);
  OA_REQUIRE(!vector || left, api,
             ": vector broadcasting of the left hand side is not supported for left=False; in this "
             "case linalg.solve is equivalent to B / A.squeeze(-1)");
  const Tensor columns = vector ? unsqueeze(b, -1) : b;
  const Shape batch = broadcast_sizes(api, batch_sizes(a.sizes()), batch_sizes(columns.sizes()));
  const Tensor right =
      expand(columns, matrix::with_matrix(batch, columns.size(-2), columns.size(-1)));
  Tensor out[4];
  call_op(kSolve, {&a, &right}, Attrs().add(left), out);
  if (check) matrix::check_info(api, out[3]);
  return {vector ? squeeze(out[0], -1) : out[0], out[1], out[2], out[3]};
}

std::tuple<Tensor, Tensor> invert(const char* api, const Tensor& a, bool check) {
  Tensor out[2];
  call_op(kInverse, {&a}, {}, out);
  if (check) matrix::check_info(api, out[1]);
  return {out[0], out[1]};
}

}  // namespace

Tensor linalg_solve(const Tensor& A, const Tensor& B, bool left) {
  return solve("linalg.solve", A, B, left, true).x;
}
std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& A, const Tensor& B, bool left,
                                           bool check_errors) {
  const Solution out = solve("linalg.solve_ex", A, B, left, check_errors);
  return {out.x, out.info};
}
std::tuple<Tensor, Tensor, Tensor, Tensor> _linalg_solve_ex(const Tensor& A, const Tensor& B,
                                                            bool left, bool check_errors) {
  const Solution out = solve("linalg.solve_ex", A, B, left, check_errors);
  return {out.x, out.lu, out.pivots, out.info};
}

Tensor linalg_inv(const Tensor& A) { return std::get<0>(invert("linalg.inv", A, true)); }
Tensor inverse(const Tensor& self) { return linalg_inv(self); }
std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& A, bool check_errors) {
  return invert("linalg.inv_ex", A, check_errors);
}

OA_OP(solve, &kSolve, &kInverse)

}  // namespace oneagent
