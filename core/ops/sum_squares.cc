#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_sum_squares.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

Shape all_dims(const Shape& sizes) {
  Shape dims;
  for (size_t i = 0; i < sizes.size(); ++i) dims.push_back(static_cast<int64_t>(i));
  return dims;
}
void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("sum_squares", *in[0]);
  out.add({}, in[0]->dtype);
}
std::string rule(Metas in, const Attrs&) {
  return reduce_rule(in[0]->sizes, all_dims(in[0]->sizes), false);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_reduce(stream, "sum_squares", cpu::Reduce::kSumSquares, out[0], in[0],
             all_dims(in[0].sizes()));
}
void vjp(VjpCall& call) { call.set(0, mul(mul(call.input(0), 2.0), call.grad())); }

constinit const Op kSumSquares = {
    .name = "sum_squares",
    .infer = infer,
    .rule = {.generate = rule},
    .saves = saves_input(0),
    .flops = reduce_flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4})}}, {{normal({2, 3, 70})}}, {{normal({})}}, {{normal({0, 3})}}};
        },
};

}  // namespace

Tensor sum_squares(const Tensor& x) { return call_op(kSumSquares, {&x}); }

OA_OP(sum_squares, &kSumSquares)

}  // namespace oneagent
