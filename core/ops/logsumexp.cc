#include "core/ops/logsumexp.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/softmax.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("logsumexp", *in[0]);
  out.add(reduced_sizes(in[0]->sizes, attrs.list(0), attrs.flag(1)), in[0]->dtype);
}
std::string rule(Metas in, const Attrs& attrs) {
  std::string closed;
  for (const int64_t dim : attrs.list(0)) closed += static_cast<char>('a' + dim);
  return reduce_rule(in[0]->sizes, attrs.list(0), attrs.flag(1)) + ";" + closed;
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  Tensor holder;
  const cpu::ReduceArgs shape =
      reduce_args(stream, as_contiguous(stream, in[0]), attrs.list(0), holder);
  const auto size = static_cast<int64_t>(in[0].element_size());
  const int64_t row = std::max<int64_t>(shape.count * shape.inner, 1);
  const int64_t grain = std::max<int64_t>(8192 / row, 1);
  stream.parallel_for(shape.outer, grain, [&](int64_t begin, int64_t end) {
    cpu::SoftmaxArgs args;
    args.in = static_cast<const char*>(shape.in) + begin * row * size;
    args.out = static_cast<char*>(out[0].data_ptr()) + begin * shape.inner * size;
    args.rows = end - begin;
    args.n = shape.count;
    args.inner = shape.inner;
    cpu::logsumexp(in[0].dtype(), args);
  });
}
// The gradient is the softmax.
void vjp(VjpCall& call) {
  const Tensor x = call.input(0);
  const Shape dims = call.attrs().list(0);
  const Tensor share = exp(sub(x, spread(call.output(), x.sizes(), dims)));
  call.set(0, mul(spread(call.grad(), x.sizes(), dims), share));
}

constinit const Op kLogSumExp = {
    .name = "logsumexp",
    .attrs = kDimsAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .saves = saves_input(0) | saves_output(),
    .flops = reduce_flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 5})}, dims_attrs({1}, false)},
                         {{normal({2, 3, 17})}, dims_attrs({2}, true)},
                         {{normal({4, 1})}, dims_attrs({1}, false)},
                         {{normal({3, 1, 4})}, dims_attrs({0, 1}, false)},
                         {{normal({2, 3, 9})}, dims_attrs({1}, false)},
                         {{normal({})}, dims_attrs({}, false)}};
        },
};

}  // namespace

Tensor logsumexp(const Tensor& self, const Shape& dim, bool keepdim) {
  const Tensor x = as_floating(self);
  return call_op(kLogSumExp, {&x}, dims_attrs(normal_dims("logsumexp", x, dim), keepdim));
}
Tensor special_logsumexp(const Tensor& self, const Shape& dim, bool keepdim) {
  return logsumexp(self, dim, keepdim);
}

OA_OP(logsumexp, &kLogSumExp)

}  // namespace oneagent
