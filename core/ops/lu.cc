#include "core/ops/lu.h"

#include "core/kernels/lu.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/matmul.h"
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

Shape with_vector(const Shape& batch, int64_t size) {
  Shape out = batch;
  out.push_back(size);
  return out;
}

void factor_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_matrix("linalg.lu_factor", *in[0]);
  const Shape &a = in[0]->sizes, batch = batch_sizes(a);
  out.add(a, in[0]->dtype);
  out.add(with_vector(batch, std::min(a[a.size() - 2], a.back())), DType::kInt32);
  out.add(batch, DType::kInt32);
}
void factor_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  lu_factor(stream, out[0], out[1], out[2], in[0]);
}
double factor_flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& a = in[0]->sizes;
  return static_cast<double>(a.numel() * std::min(a.back(), a[a.size() - 2]));
}
void factor_vjp(VjpCall& call) {
  call.set(0, matrix::lu_factor_gradient(call.grad(), call.output(0), call.output(1)));
}

constinit const Op kFactor = {
    .name = "linalg_lu_factor_ex",
    .infer = factor_infer,
    .rule = {.factors = "...mn->...mn,...k,...", .closed = "mnk"},
    .saves = saves_output(0) | saves_output(1),
    .flops = factor_flops,
    .vjp = factor_vjp,
    .kernels = {factor_kernel},
    .samples =
        [] {
          return Samples{{{well_conditioned({3, 3})}},    {{well_conditioned({2, 4, 4})}},
                         {{well_conditioned({2, 3, 5})}}, {{well_conditioned({5, 3})}},
                         {{well_conditioned({2, 0, 3})}}, {{well_conditioned({0, 2, 2})}}};
        },
};

constexpr AttrSpec kPermutationAttrs[] = {{"rows", AttrKind::kInt}, {"inverse", AttrKind::kBool}};
Attrs permutation_attrs(int64_t rows, bool inverse) { return Attrs().add(rows).add(inverse); }

constinit const Op kPermutation = {
    .name = "lu_permutation",
    .attrs = kPermutationAttrs,
    .infer =
        [](Metas in, const Attrs& attrs, Inferred& out) {
          OA_REQUIRE(in[0]->dtype == DType::kInt32 && !in[0]->sizes.empty(),
                     "lu_permutation: expected int32 pivots with a dimension, was ",
                     name_of(in[0]->dtype), " ", in[0]->sizes);
          Shape sizes = in[0]->sizes;
          sizes[sizes.size() - 1] = attrs.integer(0);
          out.add(sizes, DType::kInt64);
        },
    .rule = {.factors = "...k->...m", .closed = "km"},
    .kernels = {[](Stream&, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
      pivots_to_permutation(out[0], in[0], attrs.flag(1));
    }},
    .samples =
        [] {
          return Samples{{{ints({3}, 1, 4, kInt32)}, permutation_attrs(3, false)},
                         {{ints({2, 3}, 1, 6, kInt32)}, permutation_attrs(5, true)}};
        },
};

// P^T x, or P x with `inverse`.
Tensor permuted(const Tensor& x, const Tensor& pivots, bool inverse) {
  const Tensor order = call_op(kPermutation, {&pivots}, permutation_attrs(x.size(-2), inverse));
  return gather(x, -2, expand(unsqueeze(order, -1), x.sizes()));
}

Tensor rows_of(const Tensor& x, int64_t start, int64_t end) {
  return narrow(x, -2, start, end - start);
}
Tensor columns_of(const Tensor& x, int64_t start, int64_t end) {
  return narrow(x, -1, start, end - start);
}

constexpr AttrSpec kUnpackAttrs[] = {{"unpack_data", AttrKind::kBool},
                                     {"unpack_pivots", AttrKind::kBool}};
void unpack_infer(Metas in, const Attrs& attrs, Inferred& out) {
  matrix::require_matrix("lu_unpack", *in[0]);
  const Shape &lu = in[0]->sizes, batch = batch_sizes(lu);
  const int64_t m = lu[lu.size() - 2], n = lu.back(), k = std::min(m, n);
  OA_REQUIRE(in[1]->dtype == DType::kInt32,
             "lu_unpack: LU_pivots must be int32, as linalg.lu_factor gives them, was ",
             name_of(in[1]->dtype));
  OA_REQUIRE(in[1]->sizes == with_vector(batch, k), "lu_unpack: expected pivots of shape ",
             with_vector(batch, k), ", was ", in[1]->sizes);
  const DType dtype = in[0]->dtype;
  out.add(attrs.flag(1) ? matrix::with_matrix(batch, m, m) : Shape{0}, dtype);
  out.add(attrs.flag(0) ? matrix::with_matrix(batch, m, k) : Shape{0}, dtype);
  out.add(attrs.flag(0) ? matrix::with_matrix(batch, k, n) : Shape{0}, dtype);
}
void unpack_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor none;
  const bool data = attrs.flag(0);
  lu_unpack(stream, attrs.flag(1) ? out[0] : none, data ? out[1] : none, data ? out[2] : none,
            in[0], in[1]);
}
Tensor padded(const Tensor& x, int64_t dim, int64_t size) {
  if (x.size(dim) == size) return x;
  Shape sizes = x.sizes();
  sizes[sizes.size() - static_cast<size_t>(-dim)] = size - x.size(dim);
  return cat({x, zeros(sizes, x.dtype())}, dim);
}
void unpack_vjp(VjpCall& call) {
  const Shape& lu = call.input_sizes(0);
  const int64_t m = lu[lu.size() - 2], n = lu.back();
  Tensor sum;
  if (call.attrs().flag(0) && call.grad(1).defined()) sum = padded(lower(call.grad(1), -1), -1, n);
  if (call.attrs().flag(0) && call.grad(2).defined()) {
    const Tensor part = padded(upper(call.grad(2)), -2, m);
    sum = sum.defined() ? add(sum, part) : part;
  }
  if (sum.defined()) call.set(0, sum);
}

constinit const Op kUnpack = {
    .name = "lu_unpack",
    .attrs = kUnpackAttrs,
    .infer = unpack_infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      return std::string("...mn,...k->") + (attrs.flag(1) ? "...mp" : "p") +
             (attrs.flag(0) ? ",...mk,...kn" : ",q,r") + ";mnkpqr";
    }},
    .vjp = unpack_vjp,
    .kernels = {unpack_kernel},
    .samples =
        [] {
          const auto attrs = [](bool data, bool pivots) { return Attrs().add(data).add(pivots); };
          return Samples{{{normal({3, 3}), ints({3}, 1, 4, kInt32)}, attrs(true, true)},
                         {{normal({2, 3, 5}), ints({2, 3}, 1, 4, kInt32)}, attrs(true, true)},
                         {{normal({2, 4, 3}), ints({2, 3}, 1, 5, kInt32)}, attrs(true, false)},
                         {{normal({4, 3}), ints({3}, 1, 5, kInt32)}, attrs(false, true)},
                         {{normal({0, 3}), ints({0}, 1, 2, kInt32)}, attrs(true, true)}};
        },
};

constexpr AttrSpec kSolveAttrs[] = {{"left", AttrKind::kBool}, {"adjoint", AttrKind::kBool}};
Attrs solve_attrs(bool left, bool adjoint) { return Attrs().add(left).add(adjoint); }

void solve_infer(Metas in, const Attrs& attrs, Inferred& out) {
  constexpr const char* kName = "linalg.lu_solve";
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, kName, ": LU and B have types ", name_of(in[0]->dtype),
             " and ", name_of(in[2]->dtype));
  OA_REQUIRE(in[1]->dtype == DType::kInt32, kName, ": pivots should be int32, was ",
             name_of(in[1]->dtype));
  matrix::require_square(kName, *in[0]);
  matrix::require_matrix(kName, *in[2]);
  const Shape &lu = in[0]->sizes, &b = in[2]->sizes, batch = batch_sizes(b);
  OA_REQUIRE(in[1]->sizes == with_vector(batch_sizes(lu), lu.back()), kName,
             ": expected pivots of shape ", with_vector(batch_sizes(lu), lu.back()), ", was ",
             in[1]->sizes);
  OA_REQUIRE(b[b.size() - (attrs.flag(0) ? 2 : 1)] == lu.back() &&
                 broadcast_sizes(kName, batch_sizes(lu), batch) == batch,
             kName, ": incompatible shapes of LU and B: ", lu, " and ", b);
  out.add(b, in[2]->dtype);
}
void solve_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  lu_solve(stream, out[0], in[0], in[1], in[2],
           {.left = attrs.flag(0), .transposed = attrs.flag(1)});
}
double solve_flops(Metas in, const Attrs&, const Inferred& out) {
  return 2 * static_cast<double>(out[0].sizes.numel() * in[0]->sizes.back());
}
// With M = P^T dA: the gradient of L is low(M U^T), that of U is up(L^T M).
void solve_vjp(VjpCall& call) {
  const bool left = call.attrs().flag(0), adjoint = call.attrs().flag(1);
  const Tensor lu = call.input(0), pivots = call.input(1);
  const Tensor gradient = linalg_lu_solve(lu, pivots, call.grad(), left, !adjoint);
  if (call.needs(2)) call.set(2, gradient);
  if (!call.needs(0)) return;
  const Tensor x = call.output();
  const Tensor of_operand =
      left != adjoint ? matmul(left ? gradient : transposed(gradient), left ? transposed(x) : x)
                      : matmul(left ? x : transposed(x), left ? transposed(gradient) : gradient);
  const Tensor of_a = neg(sum_to(of_operand, lu.sizes()));
  const Tensor m = permuted(of_a, pivots, false);
  const int64_t n = lu.size(-1);
  const Tensor l = add(lower(lu, -1), matrix::identity(n, n, lu.dtype()));
  call.set(0, add(lower(matmul(m, transposed(upper(lu))), -1), upper(matmul(transposed(l), m))));
}

constinit const Op kSolve = {
    .name = "linalg_lu_solve",
    .attrs = kSolveAttrs,
    .infer = solve_infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      return attrs.flag(0) ? "...mn,...m,...nk->...mk;mn" : "...mn,...m,...kn->...km;mn";
    }},
    .saves = saves_input(0) | saves_input(1) | saves_output(),
    .flops = solve_flops,
    .vjp = solve_vjp,
    .kernels = {solve_kernel},
    .samples =
        [] {
          return Samples{{{dominant({3, 3}), ints({3}, 1, 4, kInt32), normal({3, 2})},
                          solve_attrs(true, false)},
                         {{dominant({2, 4, 4}), ints({2, 4}, 1, 5, kInt32), normal({2, 4, 1})},
                          solve_attrs(true, true)},
                         {{dominant({3, 3}), ints({3}, 1, 4, kInt32), normal({2, 3})},
                          solve_attrs(false, false)},
                         {{dominant({3, 3}), ints({3}, 1, 4, kInt32), normal({2, 2, 3})},
                          solve_attrs(false, true)},
                         {{dominant({0, 0}), ints({0}, 1, 2, kInt32), normal({0, 2})},
                          solve_attrs(true, false)}};
        },
};

}  // namespace

namespace matrix {

Tensor lu_factor_gradient(const Tensor& gradient, const Tensor& lu, const Tensor& pivots) {
  const int64_t m = lu.size(-2), n = lu.size(-1), k = std::min(m, n);
  const Tensor square = rows_of(columns_of(lu, 0, k), 0, k);
  const Tensor l = add(lower(square, -1), identity(k, k, lu.dtype()));
  const Tensor u = upper(square);
  const Tensor square_gradient = rows_of(columns_of(gradient, 0, k), 0, k);
  Tensor of_l = matmul(transposed(l), lower(square_gradient, -1));
  Tensor of_u = matmul(upper(square_gradient), transposed(u));
  if (m < n) {  // A = [A1 A2], A2 = P L U2
    const Tensor part = matmul(columns_of(gradient, k, n), transposed(columns_of(lu, k, n)));
    of_l = add(of_l, neg(part));
  } else if (m > n) {  // the rows of P^T A are A1, A2 = L2 U
    const Tensor part = matmul(transposed(rows_of(lu, k, m)), rows_of(gradient, k, m));
    of_u = add(of_u, neg(part));
  }
  Tensor inner = add(lower(of_l, -1), upper(of_u));
  if (m > n) {
    inner = linalg_solve_triangular(transposed(l), inner, true, true, true);
    inner = cat({inner, rows_of(gradient, k, m)}, -2);
    inner = linalg_solve_triangular(transposed(u), inner, false, false);
  } else {
    inner = linalg_solve_triangular(transposed(u), inner, false, false);
    if (m < n) inner = cat({inner, columns_of(gradient, k, n)}, -1);
    inner = linalg_solve_triangular(transposed(l), inner, true, true, true);
  }
  return permuted(inner, pivots, true);
}

}  // namespace matrix

namespace {

std::tuple<Tensor, Tensor, Tensor> factor(const char* api, const Tensor& a, bool pivot,
                                          bool check) {
  OA_REQUIRE(pivot, api, ": LU without pivoting is not served on the CPU");
  Tensor out[3];
  call_op(kFactor, {&a}, {}, out);
  if (check) matrix::check_info(api, out[2]);
  return {out[0], out[1], out[2]};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& A, bool pivot) {
  const auto [lu, pivots, info] = factor("linalg.lu_factor", A, pivot, true);
  return {lu, pivots};
}
std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& A, bool pivot,
                                                       bool check_errors) {
  return factor("linalg.lu_factor_ex", A, pivot, check_errors);
}
std::tuple<Tensor, Tensor, Tensor> _lu_with_info(const Tensor& self, bool pivot,
                                                 bool check_errors) {
  return factor("lu_factor", self, pivot, check_errors);
}
std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& A, bool pivot) {
  const auto [lu, pivots, info] = factor("linalg.lu", A, pivot, false);
  return lu_unpack(lu, pivots);
}
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& LU_data, const Tensor& LU_pivots,
                                             bool unpack_data, bool unpack_pivots) {
  Tensor out[3];
  call_op(kUnpack, {&LU_data, &LU_pivots}, Attrs().add(unpack_data).add(unpack_pivots), out);
  return {out[0], out[1], out[2]};
}

Tensor linalg_lu_solve(const Tensor& LU, const Tensor& pivots, const Tensor& B, bool left,
                       bool adjoint) {
  matrix::require_square("linalg.lu_solve", LU.impl().meta);
  matrix::require_matrix("linalg.lu_solve", B.impl().meta);
  const Shape batch =
      broadcast_sizes("linalg.lu_solve", batch_sizes(LU.sizes()), batch_sizes(B.sizes()));
  const Tensor b = expand(B, matrix::with_matrix(batch, B.size(-2), B.size(-1)));
  return call_op(kSolve, {&LU, &pivots, &b}, solve_attrs(left, adjoint));
}
Tensor lu_solve(const Tensor& self, const Tensor& LU_data, const Tensor& LU_pivots) {
  return linalg_lu_solve(LU_data, LU_pivots, self);
}

OA_OP(lu, &kFactor, &kPermutation, &kUnpack, &kSolve)

}  // namespace oneagent
