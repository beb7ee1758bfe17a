#include "core/ops/ldl.h"

#include "core/kernels/ldl.h"
#include "core/ops/op_matrix.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;

Shape pivot_sizes(const Shape& a) { return Shape(std::span(a.data(), a.size() - 1)); }

void factor_infer(Metas in, const Attrs&, Inferred& out) {
  matrix::require_square("linalg.ldl_factor", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(pivot_sizes(in[0]->sizes), DType::kInt32);
  out.add(batch_sizes(in[0]->sizes), DType::kInt32);
}
void factor_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  ldl_factor(stream, out[0], out[1], out[2], in[0]);
}
double factor_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel() * in[0]->sizes.back()) / 3;
}
constinit const Op kFactor = {
    .name = "linalg_ldl_factor_ex",
    .infer = factor_infer,
    .rule = {.factors = "...mn->...mn,...n,...", .closed = "mn"},
    .flops = factor_flops,
    .kernels = {factor_kernel},
    .samples =
        [] {
          return Samples{
              {{positive_definite({3, 3})}}, {{normal({2, 5, 5})}}, {{normal({2, 0, 0})}}};
        },
};

void solve_infer(Metas in, const Attrs&, Inferred& out) {
  constexpr const char* kName = "linalg.ldl_solve";
  matrix::require_square(kName, *in[0]);
  matrix::require_matrix(kName, *in[2]);
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, kName, ": LD and B have types ", name_of(in[0]->dtype),
             " and ", name_of(in[2]->dtype));
  OA_REQUIRE(in[1]->dtype == DType::kInt32, kName, ": pivots should be int32, was ",
             name_of(in[1]->dtype));
  const Shape &ld = in[0]->sizes, &b = in[2]->sizes;
  OA_REQUIRE(in[1]->sizes == pivot_sizes(ld) && b[b.size() - 2] == ld.back() &&
                 broadcast_sizes(kName, batch_sizes(ld), batch_sizes(b)) == batch_sizes(b),
             kName, ": incompatible shapes of LD, pivots and B: ", ld, ", ", in[1]->sizes, " and ",
             b);
  out.add(b, in[2]->dtype);
}
void solve_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  ldl_solve(stream, out[0], in[0], in[1], in[2]);
}
double solve_flops(Metas in, const Attrs&, const Inferred& out) {
  return 2 * static_cast<double>(out[0].sizes.numel() * in[0]->sizes.back());
}
constinit const Op kSolve = {
    .name = "linalg_ldl_solve",
    .infer = solve_infer,
    .rule = {.factors = "...mn,...m,...nk->...mk", .closed = "mn"},
    .flops = solve_flops,
    .kernels = {solve_kernel},
    .samples =
        [] {
          return Samples{{{dominant({3, 3}), ints({3}, 1, 4, kInt32), normal({3, 2})}},
                         {{dominant({4, 4}), ints({4}, 1, 5, kInt32), normal({2, 4, 1})}},
                         {{dominant({0, 0}), ints({0}, 1, 2, kInt32), normal({0, 2})}}};
        },
};

std::tuple<Tensor, Tensor, Tensor> factor(const char* api, const Tensor& a, bool check) {
  Tensor out[3];
  call_op(kFactor, {&a}, {}, out);
  if (check) {
    const int32_t* info = out[2].data_ptr<int32_t>();
    for (int64_t i = 0; i < out[2].numel(); ++i)
      OA_REQUIRE(info[i] == 0, api, ": the diagonal element ", info[i], " of D is zero");
  }
  return {out[0], out[1], out[2]};
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& self, bool) {
  const auto [ld, pivots, info] = factor("linalg.ldl_factor", self, true);
  return {ld, pivots};
}
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& self, bool,
                                                        bool check_errors) {
  return factor("linalg.ldl_factor_ex", self, check_errors);
}
Tensor linalg_ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool) {
  matrix::require_square("linalg.ldl_solve", LD.impl().meta);
  matrix::require_matrix("linalg.ldl_solve", B.impl().meta);
  const Shape batch =
      broadcast_sizes("linalg.ldl_solve", batch_sizes(LD.sizes()), batch_sizes(B.sizes()));
  const Tensor b = expand(B, matrix::with_matrix(batch, B.size(-2), B.size(-1)));
  return call_op(kSolve, {&LD, &pivots, &b});
}

OA_OP(ldl, &kFactor, &kSolve)

}  // namespace oneagent
