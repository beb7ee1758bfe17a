#include "core/ops/softmax.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/softmax.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("softmax", in);
  require_floating("softmax", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}

cpu::SoftmaxArgs args_of(const Tensor& x, int64_t dim) {
  cpu::SoftmaxArgs args;
  args.in = x.data_ptr();
  args.n = args.rows = 1;
  for (int64_t i = 0; i < x.dim(); ++i)
    (i < dim ? args.rows : i == dim ? args.n : args.inner) *= x.size(i);
  return args;
}

// Rows are dealt out in multiples of 16, which the kernels take at a time.
template <class Run>
void each_rows(Stream& stream, const cpu::SoftmaxArgs& args, DType dtype, const Run& run) {
  constexpr int64_t kGrain = 32768, kTogether = 16;
  const int64_t row = args.n * args.inner;
  if (row == 0 || args.rows == 0) return;
  const int64_t grain = std::max<int64_t>(kGrain / row / kTogether, 1) * kTogether;
  stream.parallel_for(args.rows, grain, [&](int64_t begin, int64_t end) {
    const int64_t skip = begin * row * static_cast<int64_t>(size_of(dtype));
    cpu::SoftmaxArgs part = args;
    part.in = static_cast<const char*>(args.in) + skip;
    if (args.gradient != nullptr) part.gradient = static_cast<const char*>(args.gradient) + skip;
    part.out = static_cast<char*>(args.out) + skip;
    part.rows = end - begin;
    run(dtype, part);
  });
}

template <bool Log>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  cpu::SoftmaxArgs args = args_of(x, attrs.integer(0));
  args.out = out[0].data_ptr();
  args.log = Log;
  each_rows(stream, args, x.dtype(), cpu::softmax);
}

template <bool Log>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor gradient = as_contiguous(stream, in[0]);
  const Tensor y = as_contiguous(stream, in[1]);
  cpu::SoftmaxArgs args = args_of(y, attrs.integer(0));
  args.gradient = gradient.data_ptr();
  args.out = out[0].data_ptr();
  args.log = Log;
  each_rows(stream, args, y.dtype(), cpu::softmax_backward);
}

template <bool Backward>
std::string rule(Metas in, const Attrs& attrs) {
  std::string letters;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) letters += static_cast<char>('a' + i);
  const std::string closed =
      letters.empty() ? "" : letters.substr(static_cast<size_t>(attrs.integer(0)), 1);
  return letters + (Backward ? "," + letters : "") + "->" + letters + ";" + closed;
}

Attrs dim_attrs(int64_t dim) { return Attrs().add(dim); }

Samples samples() {
  return {{{normal({3, 5})}, dim_attrs(1)},    {{normal({2, 3, 17})}, dim_attrs(2)},
          {{normal({4, 1})}, dim_attrs(1)},    {{normal({3, 35})}, dim_attrs(1)},
          {{normal({2, 4, 3})}, dim_attrs(1)}, {{normal({3, 70})}, dim_attrs(0)},
          {{normal({})}, dim_attrs(0)},        {{normal({0, 3})}, dim_attrs(1)}};
}

Tensor backward(const Tensor& gradient, const Tensor& y, int64_t dim);
Tensor log_backward(const Tensor& gradient, const Tensor& y, int64_t dim);

int64_t dim_of(const VjpCall& call) { return call.attrs().integer(0); }

void softmax_vjp(VjpCall& call) { call.set(0, backward(call.grad(), call.output(), dim_of(call))); }
void log_softmax_vjp(VjpCall& call) {
  call.set(0, log_backward(call.grad(), call.output(), dim_of(call)));
}

Tensor sum_along(const Tensor& x, int64_t dim) {
  return x.dim() == 0 ? x : sum(x, Shape{dim}, true);
}

// out = y (g - sum(g y)): linear in g; in y: u g - u sum(g y) - g sum(u y).
void softmax_backward_vjp(VjpCall& call) {
  const Tensor g = call.input(0), y = call.input(1), u = call.grad();
  const int64_t dim = dim_of(call);
  if (call.needs(0)) call.set(0, backward(u, y, dim));
  if (!call.needs(1)) return;
  const Tensor first = mul(u, sub(g, sum_along(mul(g, y), dim)));
  call.set(1, sub(first, mul(g, sum_along(mul(u, y), dim))));
}
// out = g - exp(y) sum(g)
void log_softmax_backward_vjp(VjpCall& call) {
  const Tensor g = call.input(0), y = call.input(1), u = call.grad();
  const int64_t dim = dim_of(call);
  const Tensor p = exp(y);
  if (call.needs(0)) call.set(0, sub(u, sum_along(mul(u, p), dim)));
  if (call.needs(1)) call.set(1, neg(mul(mul(u, p), sum_along(g, dim))));
}

constexpr uint32_t kBoth = saves_input(0) | saves_input(1);

constinit const Op kSoftmax = {.name = "softmax",
                               .attrs = kAttrs,
                               .infer = infer,
                               .rule = {.generate = rule<false>},
                               .saves = saves_output(),
                               .vjp = softmax_vjp,
                               .kernels = {kernel<false>},
                               .samples = samples};
constinit const Op kLogSoftmax = {.name = "log_softmax",
                                  .attrs = kAttrs,
                                  .infer = infer,
                                  .rule = {.generate = rule<false>},
                                  .saves = saves_output(),
                                  .vjp = log_softmax_vjp,
                                  .kernels = {kernel<true>},
                                  .samples = samples};
template <SampleInput Result(const Shape&)>
Samples backward_samples() {
  return {{{normal({3, 5}), Result({3, 5})}, dim_attrs(1)},
          {{normal({2, 40}), Result({2, 40})}, dim_attrs(1)},
          {{normal({2, 4, 3}), Result({2, 4, 3})}, dim_attrs(1)},
          {{normal({}), Result({})}, dim_attrs(0)}};
}
constinit const Op kSoftmaxBackward = {.name = "softmax_backward",
                                       .attrs = kAttrs,
                                       .infer = infer,
                                       .rule = {.linear = 1, .generate = rule<true>},
                                       .saves = kBoth,
                                       .vjp = softmax_backward_vjp,
                                       .kernels = {backward_kernel<false>},
                                       .samples = backward_samples<positive>};
constinit const Op kLogSoftmaxBackward = {.name = "log_softmax_backward",
                                          .attrs = kAttrs,
                                          .infer = infer,
                                          .rule = {.linear = 1, .generate = rule<true>},
                                          .saves = kBoth,
                                          .vjp = log_softmax_backward_vjp,
                                          .kernels = {backward_kernel<true>},
                                          .samples = backward_samples<unit>};

Tensor backward(const Tensor& gradient, const Tensor& y, int64_t dim) {
  return call_op(kSoftmaxBackward, {&gradient, &y}, dim_attrs(dim));
}
Tensor log_backward(const Tensor& gradient, const Tensor& y, int64_t dim) {
  return call_op(kLogSoftmaxBackward, {&gradient, &y}, dim_attrs(dim));
}

int64_t wrapped(const Op& op, const Tensor& x, int64_t dim) {
  return x.dim() == 0 ? wrap_dim(dim, 1, op.name) : wrap_dim(dim, x.dim(), op.name);
}
Tensor along(const Op& op, const Tensor& x, int64_t dim, std::optional<DType> dtype) {
  OA_REQUIRE(dtype || !x.defined() || is_floating(x.scalar_type()), op.name,
             ": needs a floating type, in the tensor or as dtype; the tensor has ",
             x.scalar_type());
  const Tensor operand = dtype ? to(x, *dtype) : x;
  return call_op(op, {&operand}, dim_attrs(wrapped(op, x, dim)));
}

}  // namespace

Tensor softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  return along(kSoftmax, self, dim, dtype);
}
Tensor log_softmax(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  return along(kLogSoftmax, self, dim, dtype);
}
Tensor softmin(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  return softmax(neg(self), dim, dtype);
}
Tensor _softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  if (half_to_float) return softmax(self, dim, DType::kFloat32);
  return softmax(self, dim);
}
Tensor _log_softmax(const Tensor& self, int64_t dim, bool half_to_float) {
  if (half_to_float) return log_softmax(self, dim, DType::kFloat32);
  return log_softmax(self, dim);
}
Tensor _softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                              DType input_dtype) {
  return to(backward(grad_output, output, wrapped(kSoftmaxBackward, output, dim)), input_dtype);
}
Tensor _log_softmax_backward_data(const Tensor& grad_output, const Tensor& output, int64_t dim,
                                  DType input_dtype) {
  return to(log_backward(grad_output, output, wrapped(kLogSoftmaxBackward, output, dim)),
            input_dtype);
}

OA_OP(softmax, &kSoftmax, &kLogSoftmax, &kSoftmaxBackward, &kLogSoftmaxBackward)

}  // namespace oneagent
