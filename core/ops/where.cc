#include "core/ops/where.h"

#include "core/kernels/elementwise.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(in[0]->dtype == DType::kBool, "where: the condition must be bool, was ",
             name_of(in[0]->dtype));
  require_same_dtype("where", in.subspan(1));
  out.add(
      broadcast_sizes("where", in[0]->sizes, broadcast_sizes("where", in[1]->sizes, in[2]->sizes)),
      in[1]->dtype);
}

void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_select(stream, out[0], in[0], in[1], in[2]);
}

void vjp(VjpCall& call) {
  const Tensor condition = call.input(0);
  const Tensor zero = scalar_tensor(0, call.grad().dtype());
  if (call.needs(1)) call.set(1, sum_to(where(condition, call.grad(), zero), call.input_sizes(1)));
  if (call.needs(2)) call.set(2, sum_to(where(condition, zero, call.grad()), call.input_sizes(2)));
}

constinit const Op kWhere = {
    .name = "where",
    .infer = infer,
    .rule = {.factors = "...,...,...->...", .linear = 6},
    .saves = saves_input(0),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{mask({3, 4}), normal({3, 4}), normal({3, 4})}},
                         {{mask({2, 1}), normal({3}), normal({})}},
                         {{mask({}), normal({2}), normal({2})}}};
        },
};

}  // namespace

Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return call_op(kWhere, {&condition, &a, &b});
  const DType dtype = result_type(a, b);
  const Tensor left = to(a, dtype), right = to(b, dtype);
  return call_op(kWhere, {&condition, &left, &right});
}

Tensor where(const Tensor& condition, const Tensor& a, Scalar b) {
  return where(condition, a, scalar_tensor(b, result_type(a, b)));
}
Tensor where(const Tensor& condition, Scalar a, const Tensor& b) {
  return where(condition, scalar_tensor(a, result_type(b, a)), b);
}

OA_OP(where, &kWhere)

}  // namespace oneagent
