#include "core/ops/triangular.h"

#include "core/kernels/triangular.h"
#include "core/ops/copy.h"
#include "core/ops/matmul.h"
#include "core/ops/op_matrix.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"upper", AttrKind::kBool}, {"left", AttrKind::kBool}, {"unitriangular", AttrKind::kBool}};

Attrs attrs_of(bool upper, bool left, bool unit) { return Attrs().add(upper).add(left).add(unit); }

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  constexpr const char* kName = "linalg.solve_triangular";
  require_same_dtype(kName, in);
  matrix::require_square(kName, *in[0]);
  matrix::require_matrix(kName, *in[1]);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.back() == b[b.size() - (attrs.flag(1) ? 2 : 1)] &&
                 matrix::batch_sizes(a) == matrix::batch_sizes(b),
             kName, ": incompatible shapes of A and B for the equation ",
             attrs.flag(1) ? "AX = B" : "XA = B", ": ", a, " and ", b);
  out.add(b, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  triangular_solve(stream, out[0], in[0], in[1],
                   {.left = attrs.flag(1), .upper = attrs.flag(0), .unit = attrs.flag(2)});
}
double flops(Metas in, const Attrs&, const Inferred& out) {
  return static_cast<double>(out[0].sizes.numel() * in[0]->sizes.back());
}
void vjp(VjpCall& call) {
  const bool upper = call.attrs().flag(0), left = call.attrs().flag(1), unit = call.attrs().flag(2);
  const Tensor gradient =
      linalg_solve_triangular(matrix::transposed(call.input(0)), call.grad(), !upper, left, unit);
  if (call.needs(1)) call.set(1, gradient);
  if (!call.needs(0)) return;
  const Tensor x = matrix::transposed(call.output());
  const Tensor product = neg(left ? matmul(gradient, x) : matmul(x, gradient));
  call.set(0, upper ? matrix::upper(product, unit) : matrix::lower(product, unit ? -1 : 0));
}

constinit const Op kSolveTriangular = {
    .name = "linalg_solve_triangular",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = 2,
             .generate = [](Metas, const Attrs& attrs) -> std::string {
               return attrs.flag(1) ? "...mn,...mk->...nk;mn" : "...mn,...kn->...km;mn";
             }},
    .saves = saves_input(0) | saves_output(),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{dominant({3, 3}), normal({3, 2})}, attrs_of(true, true, false)},
                         {{dominant({2, 3, 3}), normal({2, 3, 2})}, attrs_of(false, true, false)},
                         {{dominant({4, 4}), normal({2, 4})}, attrs_of(true, false, true)},
                         {{dominant({4, 4}), normal({4, 1})}, attrs_of(false, true, true)},
                         {{dominant({0, 3, 3}), normal({0, 3, 2})}, attrs_of(true, true, false)},
                         {{dominant({0, 0}), normal({0, 2})}, attrs_of(true, true, false)}};
        },
};

}  // namespace

Tensor linalg_solve_triangular(const Tensor& self, const Tensor& B, bool upper, bool left,
                               bool unitriangular) {
  matrix::require_square("linalg.solve_triangular", self.impl().meta);
  matrix::require_matrix("linalg.solve_triangular", B.impl().meta);
  const auto [a, b] = matrix::broadcast_batches("linalg.solve_triangular", self, B);
  return call_op(kSolveTriangular, {&a, &b}, attrs_of(upper, left, unitriangular));
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& self, const Tensor& A, bool upper,
                                            bool transpose, bool unitriangular) {
  matrix::require_square("triangular_solve", A.impl().meta);
  matrix::require_matrix("triangular_solve", self.impl().meta);
  const auto [b, a] = matrix::broadcast_batches("triangular_solve", self, A);
  const Tensor operand = transpose ? matrix::transposed(a) : a;
  return {linalg_solve_triangular(operand, b, upper != transpose, true, unitriangular), clone(a)};
}

OA_OP(triangular, &kSolveTriangular)

}  // namespace oneagent
