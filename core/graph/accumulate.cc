#include "core/graph/accumulate.h"

#include "core/kernels/elementwise.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  OA_CHECK(in[0]->sizes == in[1]->sizes && in[0]->dtype == in[1]->dtype,
           "accumulate: gradients of one value differ: ", in[0]->sizes, " ", name_of(in[0]->dtype),
           " and ", in[1]->sizes, " ", name_of(in[1]->dtype));
  out.add(in[0]->sizes, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_binary(stream, cpu::Binary::kAdd, out[0], in[0], in[1]);
}

void vjp(VjpCall& call) {
  call.set(0, call.grad());
  call.set(1, call.grad());
}

}  // namespace

constinit const Op kAccumulate = {
    .name = "accumulate",
    .infer = infer,
    .rule = {.factors = "...,...->...", .linear = kTogether | 3},
    .in_place = true,
    .vjp = vjp,
    .kernels = {kernel},
};

}  // namespace oneagent
