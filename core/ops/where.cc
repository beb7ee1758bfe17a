#include "core/ops/where.h"

#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/nonzero.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_record.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void require_mask(const char* op, const TensorMeta& mask) {
  OA_REQUIRE(mask.dtype == DType::kBool || mask.dtype == DType::kUInt8, op,
             ": where expected condition to be a boolean tensor, but got a tensor with dtype ",
             toString(mask.dtype));
}

void infer(Metas in, const Attrs&, Inferred& out) {
  require_mask("where", *in[0]);
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
    .rule = {.factors = "...,...,...->...", .linear = kTogether | 6},
    .saves = saves_input(0),
    .keeps_layout = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{mask({3, 4}), normal({3, 4}), normal({3, 4})}},
                         {{mask({2, 1}), normal({3}), normal({})}},
                         {{mask({}), normal({2}), normal({2})}}};
        },
};

DType type_of_numbers(Scalar a, Scalar b) {
  if (a.is_complex() || b.is_complex()) return complex_type_of(get_default_dtype_value());
  if (a.is_floating() || b.is_floating()) return get_default_dtype_value();
  return a.kind() == DType::kBool && b.kind() == DType::kBool ? DType::kBool : DType::kInt64;
}

}  // namespace

Tensor where(const Tensor& condition, const Tensor& self, const Tensor& other) {
  OA_REQUIRE(condition.defined(), "where: the condition is an undefined tensor");
  if (self.scalar_type() == other.scalar_type())
    return call_op(kWhere, {&condition, &self, &other});
  const DType dtype = result_type(self, other);
  const Tensor left = to(self, dtype), right = to(other, dtype);
  return call_op(kWhere, {&condition, &left, &right});
}
Tensor where(const Tensor& condition, const Tensor& self, Scalar other) {
  const DType dtype = result_type(self, other);
  return require_fits(other, dtype), where(condition, self, scalar_tensor(other, dtype));
}
Tensor where(const Tensor& condition, Scalar self, const Tensor& other) {
  const DType dtype = result_type(other, self);
  return require_fits(self, dtype), where(condition, scalar_tensor(self, dtype), other);
}
Tensor where(const Tensor& condition, Scalar self, Scalar other) {
  const DType dtype = type_of_numbers(self, other);
  return where(condition, scalar_tensor(self, dtype), scalar_tensor(other, dtype));
}

std::vector<Tensor> where(const Tensor& condition) { return nonzero_numpy(condition); }

OA_OP(where, &kWhere)

}  // namespace oneagent
