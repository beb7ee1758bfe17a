#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Binary;
constexpr uint32_t kBoth = Record::kBoth;

Samples activation_samples() {
  return {{{normal({3, 5}), unit({3, 5})}}, {{normal({}), unit({})}}};
}

// d/dgradient is the same op; d/dy of g (1 - y^2) is -2 g y.
void tanh_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, tanh_backward(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mul(mul(call.grad(), mul(call.input(0), call.input(1))), -2.0));
}
void sigmoid_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, sigmoid_backward(call.grad(), call.input(1)));
  if (call.needs(1))
    call.set(1, mul(mul(call.grad(), call.input(0)), add(mul(call.input(1), -2.0), 1.0)));
}
void relu_backward_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, relu_backward(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mul(call.grad(), 0.0));
}
// gelu'' = pdf(x) (2 - x^2)
void gelu_backward_vjp(VjpCall& call) {
  const Tensor x = call.input(1);
  if (call.needs(0)) call.set(0, gelu_backward(call.grad(), x));
  if (!call.needs(1)) return;
  const Tensor density = mul(exp(mul(square(x), -0.5)), 0.39894228040143267794);
  call.set(1, mul(mul(call.grad(), call.input(0)), mul(density, sub(2.0, square(x)))));
}
void softplus_backward_vjp(VjpCall& call) {
  const Tensor x = call.input(1);
  if (call.needs(0)) call.set(0, softplus_backward(call.grad(), x));
  if (!call.needs(1)) return;
  const Tensor s = sigmoid(x);
  call.set(1, mul(mul(call.grad(), call.input(0)), mul(s, sub(1.0, s))));
}

constinit const Op kTanhBackward = Record::binary<Binary::kTanhGrad>(
    "tanh_backward", tanh_backward_vjp, kBoth, activation_samples, {}, 1);
constinit const Op kSigmoidBackward = Record::binary<Binary::kSigmoidGrad>(
    "sigmoid_backward", sigmoid_backward_vjp, kBoth, activation_samples, {}, 1);
constinit const Op kReluBackward = Record::binary<Binary::kReluGrad>(
    "relu_backward", relu_backward_vjp, kBoth, activation_samples, {}, 1);
constinit const Op kGeluBackward = Record::binary<Binary::kGeluGrad>(
    "gelu_backward", gelu_backward_vjp, kBoth, activation_samples, {}, 1);
constinit const Op kSoftplusBackward = Record::binary<Binary::kSoftplusGrad>(
    "softplus_backward", softplus_backward_vjp, kBoth, activation_samples, {}, 1);

}  // namespace

Tensor tanh_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kTanhBackward, {&gradient, &y});
}
Tensor sigmoid_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kSigmoidBackward, {&gradient, &y});
}
Tensor relu_backward(const Tensor& gradient, const Tensor& y) {
  return call_op(kReluBackward, {&gradient, &y});
}
Tensor gelu_backward(const Tensor& gradient, const Tensor& x) {
  return call_op(kGeluBackward, {&gradient, &x});
}
Tensor softplus_backward(const Tensor& gradient, const Tensor& x) {
  return call_op(kSoftplusBackward, {&gradient, &x});
}

OA_OP(activation_gradient, &kTanhBackward, &kSigmoidBackward, &kReluBackward, &kGeluBackward,
      &kSoftplusBackward)

}  // namespace oneagent
