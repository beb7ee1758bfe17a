#include "core/ops/softmax.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/softmax.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// The ops work on the last dimension; the functions below move it there.
void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("softmax", in);
  require_floating("softmax", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}

cpu::SoftmaxArgs args_of(const Tensor& x) {
  cpu::SoftmaxArgs args;
  args.in = x.data_ptr();
  args.n = x.dim() == 0 ? 1 : x.sizes().back();
  args.rows = args.n == 0 ? 0 : x.numel() / args.n;
  return args;
}

template <bool Log>
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  cpu::SoftmaxArgs args = args_of(x);
  args.out = out[0].data_ptr();
  args.log = Log;
  cpu::softmax(x.dtype(), args);
}

template <bool Log>
void backward_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor gradient = as_contiguous(stream, in[0]);
  const Tensor y = as_contiguous(stream, in[1]);
  cpu::SoftmaxArgs args = args_of(y);
  args.gradient = gradient.data_ptr();
  args.out = out[0].data_ptr();
  args.log = Log;
  cpu::softmax_backward(y.dtype(), args);
}

Samples samples() { return {{{normal({3, 5})}}, {{normal({2, 3, 17})}}, {{normal({4, 1})}}}; }

Tensor softmax_backward(const Tensor& gradient, const Tensor& y);
Tensor log_softmax_backward(const Tensor& gradient, const Tensor& y);

void softmax_vjp(VjpCall& call) { call.set(0, softmax_backward(call.grad(), call.output())); }
void log_softmax_vjp(VjpCall& call) {
  call.set(0, log_softmax_backward(call.grad(), call.output()));
}

// out = y (g - sum(g y)): linear in g; in y: u g - u sum(g y) - g sum(u y).
void softmax_backward_vjp(VjpCall& call) {
  const Tensor g = call.input(0), y = call.input(1), u = call.grad();
  if (call.needs(0)) call.set(0, softmax_backward(u, y));
  if (!call.needs(1)) return;
  const Tensor first = mul(u, sub(g, sum(mul(g, y), {-1}, true)));
  call.set(1, sub(first, mul(g, sum(mul(u, y), {-1}, true))));
}
// out = g - exp(y) sum(g)
void log_softmax_backward_vjp(VjpCall& call) {
  const Tensor g = call.input(0), y = call.input(1), u = call.grad();
  const Tensor p = exp(y);
  if (call.needs(0)) call.set(0, sub(u, sum(mul(u, p), {-1}, true)));
  if (call.needs(1)) call.set(1, neg(mul(mul(u, p), sum(g, {-1}, true))));
}

constexpr uint32_t kBoth = saves_input(0) | saves_input(1);

constinit const Op kSoftmax = {.name = "softmax",
                               .infer = infer,
                               .rule = {.factors = "...x->...x", .closed = "x"},
                               .saves = saves_output(),
                               .vjp = softmax_vjp,
                               .kernels = {kernel<false>},
                               .samples = samples};
constinit const Op kLogSoftmax = {.name = "log_softmax",
                                  .infer = infer,
                                  .rule = {.factors = "...x->...x", .closed = "x"},
                                  .saves = saves_output(),
                                  .vjp = log_softmax_vjp,
                                  .kernels = {kernel<true>},
                                  .samples = samples};
constinit const Op kSoftmaxBackward = {
    .name = "softmax_backward",
    .infer = infer,
    .rule = {.factors = "...x,...x->...x", .closed = "x", .linear = 1},
    .saves = kBoth,
    .vjp = softmax_backward_vjp,
    .kernels = {backward_kernel<false>},
    .samples = [] {
      return Samples{{{normal({3, 5}), positive({3, 5})}}};
    }};
constinit const Op kLogSoftmaxBackward = {
    .name = "log_softmax_backward",
    .infer = infer,
    .rule = {.factors = "...x,...x->...x", .closed = "x", .linear = 1},
    .saves = kBoth,
    .vjp = log_softmax_backward_vjp,
    .kernels = {backward_kernel<true>},
    .samples = [] {
      return Samples{{{normal({3, 5}), unit({3, 5})}}};
    }};

void logsumexp_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("logsumexp", *in[0]);
  const size_t rank = in[0]->sizes.size();
  out.add(Shape(std::span(in[0]->sizes.data(), rank == 0 ? 0 : rank - 1)), in[0]->dtype);
}
std::string logsumexp_rule(Metas in, const Attrs&) {
  return in[0]->sizes.empty() ? "->" : "...x->...;x";
}
void logsumexp_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  cpu::SoftmaxArgs args = args_of(x);
  args.out = out[0].data_ptr();
  cpu::logsumexp(x.dtype(), args);
}
void logsumexp_vjp(VjpCall& call) {
  if (call.input_sizes(0).empty()) return call.set(0, call.grad());
  const Tensor p = exp(sub(call.input(0), unsqueeze(call.output(), -1)));
  call.set(0, mul(unsqueeze(call.grad(), -1), p));
}

constinit const Op kLogSumExp = {
    .name = "logsumexp",
    .infer = logsumexp_infer,
    .rule = {.generate = logsumexp_rule},
    .saves = saves_input(0) | saves_output(),
    .vjp = logsumexp_vjp,
    .kernels = {logsumexp_kernel},
    .samples = samples,
};

Tensor softmax_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kSoftmaxBackward, {&gradient, &y});
}
Tensor log_softmax_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kLogSoftmaxBackward, {&gradient, &y});
}

Tensor along(const Op& op, const Tensor& x, int64_t dim) {
  const Tensor operand = as_floating(x);
  const int64_t at = wrap_dim(dim, x.dim(), op.name);
  if (x.dim() == 0 || at == x.dim() - 1) return call_op(op, {&operand});
  const Tensor moved = transpose(operand, at, -1);
  return transpose(call_op(op, {&moved}), at, -1);
}

}  // namespace

Tensor softmax(const Tensor& x, int64_t dim) { return along(kSoftmax, x, dim); }
Tensor log_softmax(const Tensor& x, int64_t dim) { return along(kLogSoftmax, x, dim); }

// The dimensions of the list go last and become one.
Tensor logsumexp(const Tensor& self, const Shape& dim, bool keepdim) {
  const Tensor x = as_floating(self);
  const Shape dims = normal_dims("logsumexp", x, dim);
  if (x.dim() == 0) return call_op(kLogSumExp, {&x});
  const auto rank = static_cast<size_t>(x.dim());
  const bool last = static_cast<size_t>(dims[0]) + dims.size() == rank;
  Shape order, kept;
  for (size_t i = 0; i < rank; ++i)
    if (std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) == dims.end()) {
      order.push_back(static_cast<int64_t>(i));
      kept.push_back(x.sizes()[i]);
    }
  Shape merged = kept;
  merged.push_back(static_cast<int64_t>(count_of(x.sizes(), dims)));
  for (const int64_t i : dims) order.push_back(i);
  const Tensor moved = last ? x : permute(x, order);
  const Tensor rows = dims.size() == 1 ? moved : reshape(moved, merged);
  const Tensor out = call_op(kLogSumExp, {&rows});
  if (!keepdim) return out;
  Shape sizes = x.sizes();
  for (const int64_t i : dims) sizes[static_cast<size_t>(i)] = 1;
  return view(out, sizes);
}

OA_OP(softmax, &kSoftmax, &kLogSoftmax, &kSoftmaxBackward, &kLogSoftmaxBackward, &kLogSumExp)

}  // namespace oneagent
