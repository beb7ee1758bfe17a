#include "core/ops/activation.h"

#include "core/kernels/cpu/activation.h"
#include "core/kernels/loop.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using cpu::NonLinear;

constexpr AttrSpec kElu[] = {{"negative", AttrKind::kNumber},
                             {"positive", AttrKind::kNumber},
                             {"input_scale", AttrKind::kNumber}};
constexpr AttrSpec kSoftplus[] = {{"beta", AttrKind::kNumber}, {"threshold", AttrKind::kNumber}};
constexpr AttrSpec kSlope[] = {{"negative_slope", AttrKind::kNumber}};
constexpr AttrSpec kLimits[] = {{"min_val", AttrKind::kNumber}, {"max_val", AttrKind::kNumber}};
constexpr AttrSpec kWidth[] = {{"lambd", AttrKind::kNumber}};
constexpr AttrSpec kThreshold[] = {{"threshold", AttrKind::kNumber}, {"value", AttrKind::kNumber}};

Attrs numbers(std::initializer_list<double> values) {
  Attrs attrs;
  for (const double value : values) attrs.add(value);
  return attrs;
}

cpu::Params params_of(const Attrs& attrs) {
  cpu::Params params;
  for (size_t i = 0; i < attrs.size(); ++i) params.number[i] = attrs.number(i);
  return params;
}

void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("activation", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}
void backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("activation", *in[0]);
  require_same_dtype("activation", in);
  out.add(broadcast_sizes("activation", in[0]->sizes, in[1]->sizes), in[0]->dtype);
}

template <NonLinear F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor* operands[] = {&out[0], &in[0]};
  run_loop(stream, "activation", cpu::activation(F, in[0].dtype()), operands, params_of(attrs));
}
template <NonLinear F>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor* operands[] = {&out[0], &in[0], &in[1]};
  run_loop(stream, "activation", cpu::activation_backward(F, in[0].dtype()), operands,
           params_of(attrs));
}

// What is particular about a function. `second` is its second derivative, null where that is 0.
struct About {
  const char* name;
  const char* backward;
  Tensor (*second)(const Tensor& x, const Attrs& attrs);
  std::span<const AttrSpec> schema = {};
  double numbers[3] = {};  // of the samples
};
template <NonLinear F>
struct Of;

template <NonLinear F>
Attrs sample_attrs(double factor) {
  Attrs attrs;
  for (size_t i = 0; i < Of<F>::about.schema.size(); ++i)
    attrs.add(Of<F>::about.numbers[i] * factor);
  return attrs;
}
// distinct(): values from -1 in steps of 1/4, away from the kinks by the fraction that is added.
template <NonLinear F>
Samples samples() {
  return {{{normal({3, 4})}, sample_attrs<F>(1)},
          {{distinct({2, 1, 29})}, sample_attrs<F>(1)},
          {{normal({})}, sample_attrs<F>(1.5)},
          {{normal({0, 3})}, sample_attrs<F>(1)}};
}
template <NonLinear F>
Samples backward_samples() {
  return {{{normal({3, 5}), normal({3, 5})}, sample_attrs<F>(1)},
          {{normal({19}), distinct({19})}, sample_attrs<F>(1)},
          {{normal({}), unit({})}, sample_attrs<F>(1.5)}};
}

template <NonLinear F>
Tensor backward(const Tensor& gradient, const Tensor& x, const Attrs& attrs);

template <NonLinear F>
void vjp(VjpCall& call) {
  call.set(0, backward<F>(call.grad(), call.input(0), call.attrs()));
}
template <NonLinear F>
void backward_vjp(VjpCall& call) {
  const Tensor x = call.input(1);
  if (call.needs(0))
    call.set(0, sum_to(backward<F>(call.grad(), x, call.attrs()), call.input_sizes(0)));
  if constexpr (Of<F>::about.second != nullptr) {
    if (!call.needs(1)) return;
    const Tensor both = mul(call.grad(), call.input(0));
    call.set(1, sum_to(mul(both, Of<F>::about.second(x, call.attrs())), call.input_sizes(1)));
  }
}

template <NonLinear F>
constinit const Op kForward = {.name = Of<F>::about.name,
                               .attrs = Of<F>::about.schema,
                               .infer = infer,
                               .rule = {.factors = "...->..."},
                               .saves = saves_input(0),
                               .in_place = true,
                               .keeps_layout = true,
                               .vjp = vjp<F>,
                               .kernels = {kernel<F>},
                               .samples = samples<F>};
template <NonLinear F>
constinit const Op kBackward = {.name = Of<F>::about.backward,
                                .attrs = Of<F>::about.schema,
                                .infer = backward_infer,
                                .rule = {.factors = "...,...->...", .linear = 1},
                                .saves = saves_input(0) | saves_input(1),
                                .in_place = true,
                                .keeps_layout = true,
                                .vjp = backward_vjp<F>,
                                .kernels = {backward_kernel<F>},
                                .samples = backward_samples<F>};

template <NonLinear F>
Tensor backward(const Tensor& gradient, const Tensor& x, const Attrs& attrs) {
  return call_op(kBackward<F>, {&gradient, &x}, attrs);
}

// Second derivatives.

Tensor one_minus(const Tensor& x) { return sub(1.0, x); }

Tensor elu_second(const Tensor& x, const Attrs& attrs) {
  const double factor = attrs.number(0) * attrs.number(2) * attrs.number(2);
  const Tensor below = mul(exp(clamp(mul(x, attrs.number(2)), std::nullopt, 0.0)), factor);
  return where(gt(x, 0.0), 0.0, below);
}
// s (1 - s) (2 + x (1 - 2 s))
Tensor silu_second(const Tensor& x, const Attrs&) {
  const Tensor s = sigmoid(x);
  return mul(mul(s, one_minus(s)), add(mul(x, one_minus(mul(s, 2.0))), 2.0));
}
// With t = tanh(softplus(x)): (1 - t^2) s (2 + x (1 - s - 2 s t))
Tensor mish_second(const Tensor& x, const Attrs&) {
  const Tensor s = sigmoid(x), t = tanh(softplus(x));
  const Tensor inner = sub(one_minus(s), mul(mul(s, t), 2.0));
  return mul(mul(one_minus(square(t)), s), add(mul(x, inner), 2.0));
}
// pdf(x) (2 - x^2)
Tensor gelu_second(const Tensor& x, const Attrs&) {
  const Tensor density = mul(exp(mul(square(x), -0.5)), 0.39894228040143267794);
  return mul(density, sub(2.0, square(x)));
}
// With t = tanh(v), v = k (x + a x^3): (1 - t^2) (v' + x / 2 (v'' - 2 t v'^2))
Tensor gelu_tanh_second(const Tensor& x, const Attrs&) {
  constexpr double kRoot = 0.79788456080286535588, kCubic = 0.044715;
  const Tensor xx = square(x);
  const Tensor t = tanh(mul(mul(x, add(mul(xx, kCubic), 1.0)), kRoot));
  const Tensor v1 = mul(add(mul(xx, 3 * kCubic), 1.0), kRoot), v2 = mul(x, 6 * kRoot * kCubic);
  const Tensor inner = sub(v2, mul(mul(t, square(v1)), 2.0));
  return mul(one_minus(square(t)), add(v1, mul(mul(x, inner), 0.5)));
}
Tensor softplus_second(const Tensor& x, const Attrs& attrs) {
  const Tensor z = mul(x, attrs.number(0)), s = sigmoid(z);
  return where(gt(z, attrs.number(1)), 0.0, mul(mul(s, one_minus(s)), attrs.number(0)));
}
Tensor log_sigmoid_second(const Tensor& x, const Attrs&) {
  const Tensor s = sigmoid(x);
  return mul(s, sub(s, 1.0));
}
Tensor softsign_second(const Tensor& x, const Attrs&) {
  return mul(mul(sign(x), pow(add(abs(x), 1.0), -3.0)), -2.0);
}
Tensor tanhshrink_second(const Tensor& x, const Attrs&) {
  const Tensor t = tanh(x);
  return mul(mul(t, one_minus(square(t))), 2.0);
}
Tensor hardswish_second(const Tensor& x, const Attrs&) {
  return where(le(abs(x), 3.0), full_like(x, 1.0 / 3.0), 0.0);
}

#define OA_ABOUT(F, ...)                          \
  template <>                                     \
  struct Of<NonLinear::F> {                       \
    static constexpr About about = {__VA_ARGS__}; \
  };
OA_ABOUT(kElu, "elu_scaled", "elu_scaled_backward", elu_second, kElu, {0.7, 1.2, 1.5})
OA_ABOUT(kSilu, "silu", "silu_backward", silu_second)
OA_ABOUT(kMish, "mish", "mish_backward", mish_second)
OA_ABOUT(kGelu, "gelu_erf", "gelu_erf_backward", gelu_second)
OA_ABOUT(kGeluTanh, "gelu_tanh", "gelu_tanh_backward", gelu_tanh_second)
OA_ABOUT(kSoftplus, "softplus_beta", "softplus_beta_backward", softplus_second, kSoftplus, {1.5, 4})
OA_ABOUT(kLogSigmoid, "log_sigmoid", "log_sigmoid_backward", log_sigmoid_second)
OA_ABOUT(kSoftsign, "softsign", "softsign_backward", softsign_second)
OA_ABOUT(kTanhshrink, "tanhshrink", "tanhshrink_backward", tanhshrink_second)
OA_ABOUT(kLeakyRelu, "leaky_relu", "leaky_relu_backward", nullptr, kSlope, {0.2})
OA_ABOUT(kHardsigmoid, "hardsigmoid", "hardsigmoid_backward", nullptr)
OA_ABOUT(kHardswish, "hardswish", "hardswish_backward", hardswish_second)
OA_ABOUT(kHardtanh, "hardtanh", "hardtanh_backward", nullptr, kLimits, {-0.75, 0.5})
OA_ABOUT(kHardshrink, "hardshrink", "hardshrink_backward", nullptr, kWidth, {0.5})
OA_ABOUT(kSoftshrink, "softshrink", "softshrink_backward", nullptr, kWidth, {0.5})
OA_ABOUT(kThreshold, "threshold", "threshold_backward", nullptr, kThreshold, {0.25, -1})
#undef OA_ABOUT

template <NonLinear F>
Tensor forward(const Tensor& x, std::initializer_list<double> values = {}) {
  return call_op(kForward<F>, {&x}, numbers(values));
}
template <NonLinear F>
Tensor& overwrite(const Tensor& x, std::initializer_list<double> values = {}) {
  return const_cast<Tensor&>(call_in_place(kForward<F>, {&x}, numbers(values)));
}
template <NonLinear F>
Tensor gradient(const Tensor& g, const Tensor& x, std::initializer_list<double> values = {}) {
  return call_op(kBackward<F>, {&g, &x}, numbers(values));
}

bool is_tanh(std::string_view approximate) {
  OA_REQUIRE(approximate == "none" || approximate == "tanh",
             "gelu: approximate argument must be either none or tanh., was \"", approximate, "\"");
  return approximate == "tanh";
}
void require_limits(const Tensor& self, Scalar min_val, Scalar max_val) {
  require_factor(min_val, self.scalar_type()), require_factor(max_val, self.scalar_type());
  OA_REQUIRE(self.dtype() != DType::kBool, "hardtanh: has no meaning for bool");
  OA_REQUIRE(self.dtype() != DType::kUInt8 || (min_val.number() >= 0 && max_val.number() >= 0),
             "hardtanh: cannot do hardtanh on an unsigned type with negative limits, were ",
             min_val, " and ", max_val);
}
// A number of an activation, which the type of its operand has to hold.
double of(const Tensor& self, Scalar value) {
  require_factor(value, self.scalar_type());
  return value.number();
}
double width_of(const char* op, const Tensor& self, Scalar lambd) {
  OA_REQUIRE(lambd.number() >= 0, op, ": lambd must not be negative, was ", lambd);
  return of(self, lambd);
}
double inverse_of_alpha(Scalar alpha) {
  OA_REQUIRE(alpha.number() != 0, "celu: alpha must not be 0");
  return 1.0 / alpha.number();
}
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

}  // namespace

Tensor elu(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale) {
  return forward<NonLinear::kElu>(
      self, {of(self, alpha) * of(self, scale), scale.number(), of(self, input_scale)});
}
Tensor& elu_(const Tensor& self, Scalar alpha, Scalar scale, Scalar input_scale) {
  return overwrite<NonLinear::kElu>(
      self, {of(self, alpha) * of(self, scale), scale.number(), of(self, input_scale)});
}
Tensor celu(const Tensor& self, Scalar alpha) {
  return elu(self, alpha, 1.0, inverse_of_alpha(alpha));
}
Tensor& celu_(const Tensor& self, Scalar alpha) {
  return elu_(self, alpha, 1.0, inverse_of_alpha(alpha));
}
Tensor selu(const Tensor& self) { return elu(self, kSeluAlpha, kSeluScale); }
Tensor& selu_(const Tensor& self) { return elu_(self, kSeluAlpha, kSeluScale); }
Tensor silu(const Tensor& self) { return forward<NonLinear::kSilu>(self); }
Tensor& silu_(const Tensor& self) { return overwrite<NonLinear::kSilu>(self); }
Tensor mish(const Tensor& self) { return forward<NonLinear::kMish>(self); }
Tensor& mish_(const Tensor& self) { return overwrite<NonLinear::kMish>(self); }
Tensor gelu(const Tensor& self, std::string_view approximate) {
  if (is_tanh(approximate)) return forward<NonLinear::kGeluTanh>(self);
  return forward<NonLinear::kGelu>(self);
}
Tensor& gelu_(const Tensor& self, std::string_view approximate) {
  if (is_tanh(approximate)) return overwrite<NonLinear::kGeluTanh>(self);
  return overwrite<NonLinear::kGelu>(self);
}
Tensor softplus(const Tensor& self, Scalar beta, Scalar threshold) {
  return forward<NonLinear::kSoftplus>(self, {of(self, beta), of(self, threshold)});
}
Tensor log_sigmoid(const Tensor& self) { return forward<NonLinear::kLogSigmoid>(self); }
Tensor logsigmoid(const Tensor& self) { return log_sigmoid(self); }
std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self) {
  return {log_sigmoid(self), exp(neg(abs(self.detach())))};
}
Tensor softsign(const Tensor& self) { return forward<NonLinear::kSoftsign>(as_floating(self)); }
Tensor tanhshrink(const Tensor& self) { return forward<NonLinear::kTanhshrink>(as_floating(self)); }

Tensor leaky_relu(const Tensor& self, Scalar negative_slope) {
  return forward<NonLinear::kLeakyRelu>(self, {of(self, negative_slope)});
}
Tensor& leaky_relu_(const Tensor& self, Scalar negative_slope) {
  return overwrite<NonLinear::kLeakyRelu>(self, {of(self, negative_slope)});
}
Tensor hardsigmoid(const Tensor& self) { return forward<NonLinear::kHardsigmoid>(self); }
Tensor& hardsigmoid_(const Tensor& self) { return overwrite<NonLinear::kHardsigmoid>(self); }
Tensor hardswish(const Tensor& self) { return forward<NonLinear::kHardswish>(self); }
Tensor& hardswish_(const Tensor& self) { return overwrite<NonLinear::kHardswish>(self); }
Tensor hardtanh(const Tensor& self, Scalar min_val, Scalar max_val) {
  require_limits(self, min_val, max_val);
  if (!self.is_floating_point()) return clamp(self, min_val.integer(), max_val.integer());
  return forward<NonLinear::kHardtanh>(self, {min_val.number(), max_val.number()});
}
Tensor& hardtanh_(const Tensor& self, Scalar min_val, Scalar max_val) {
  require_limits(self, min_val, max_val);
  if (!self.is_floating_point())
    return const_cast<Tensor&>(copy_(self, hardtanh(self, min_val, max_val)));
  return overwrite<NonLinear::kHardtanh>(self, {min_val.number(), max_val.number()});
}
Tensor relu6(const Tensor& self) { return hardtanh(self, 0, 6); }
Tensor& relu6_(const Tensor& self) { return hardtanh_(self, 0, 6); }
Tensor hardshrink(const Tensor& self, Scalar lambd) {
  return forward<NonLinear::kHardshrink>(self, {of(self, lambd)});
}
Tensor softshrink(const Tensor& self, Scalar lambd) {
  return forward<NonLinear::kSoftshrink>(self, {width_of("softshrink", self, lambd)});
}
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value) {
  OA_REQUIRE(self.scalar_type() != DType::kBool, "threshold: has no meaning for bool");
  if (!self.is_floating_point()) return where(le(self, threshold), full_like(self, value), self);
  return forward<NonLinear::kThreshold>(self, {of(self, threshold), of(self, value)});
}
Tensor& threshold_(const Tensor& self, Scalar threshold, Scalar value) {
  if (!self.is_floating_point())
    return const_cast<Tensor&>(copy_(self, oneagent::threshold(self, threshold, value)));
  return overwrite<NonLinear::kThreshold>(self, {of(self, threshold), of(self, value)});
}

Tensor elu_backward(const Tensor& grad_output, Scalar alpha, Scalar scale, Scalar input_scale,
                    bool is_result, const Tensor& self_or_result) {
  const double negative = alpha.number() * scale.number();
  if (!is_result)
    return gradient<NonLinear::kElu>(grad_output, self_or_result,
                                     {negative, scale.number(), input_scale.number()});
  OA_REQUIRE(alpha.number() >= 0, "elu_backward: a negative alpha, ", alpha,
             ", hides from the result what the operand was");
  const Tensor slope = mul(add(self_or_result, negative), input_scale.number());
  return mul(grad_output, where(gt(self_or_result, 0.0), scale.number(), slope));
}
Tensor silu_backward(const Tensor& grad_output, const Tensor& self) {
  return gradient<NonLinear::kSilu>(grad_output, self);
}
Tensor mish_backward(const Tensor& grad_output, const Tensor& self) {
  return gradient<NonLinear::kMish>(grad_output, self);
}
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate) {
  if (is_tanh(approximate)) return gradient<NonLinear::kGeluTanh>(grad_output, self);
  return gradient<NonLinear::kGelu>(grad_output, self);
}
Tensor softplus_backward(const Tensor& grad_output, const Tensor& self, Scalar beta,
                         Scalar threshold) {
  return gradient<NonLinear::kSoftplus>(grad_output, self, {beta.number(), threshold.number()});
}
Tensor log_sigmoid_backward(const Tensor& grad_output, const Tensor& self, const Tensor&) {
  return gradient<NonLinear::kLogSigmoid>(grad_output, self);
}
Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self, Scalar negative_slope,
                           bool self_is_result) {
  OA_REQUIRE(!self_is_result || negative_slope.number() >= 0,
             "leaky_relu_backward: a negative slope, ", negative_slope,
             ", hides from the result what the operand was");
  return gradient<NonLinear::kLeakyRelu>(grad_output, self, {negative_slope.number()});
}
Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self) {
  return gradient<NonLinear::kHardsigmoid>(grad_output, self);
}
Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self) {
  return gradient<NonLinear::kHardswish>(grad_output, self);
}
Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, Scalar min_val,
                         Scalar max_val) {
  return gradient<NonLinear::kHardtanh>(grad_output, self, {min_val.number(), max_val.number()});
}
Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, Scalar lambd) {
  return gradient<NonLinear::kHardshrink>(grad_out, self, {lambd.number()});
}
Tensor softshrink_backward(const Tensor& grad_output, const Tensor& self, Scalar lambd) {
  return gradient<NonLinear::kSoftshrink>(grad_output, self, {width_of("softshrink", self, lambd)});
}
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold) {
  return gradient<NonLinear::kThreshold>(grad_output, self, {threshold.number(), 0.0});
}

#define OA_BOTH(F) &kForward<NonLinear::F>, &kBackward<NonLinear::F>
OA_OP(activation, OA_BOTH(kElu), OA_BOTH(kSilu), OA_BOTH(kMish), OA_BOTH(kGelu), OA_BOTH(kGeluTanh),
      OA_BOTH(kSoftplus), OA_BOTH(kLogSigmoid), OA_BOTH(kSoftsign), OA_BOTH(kTanhshrink),
      OA_BOTH(kLeakyRelu), OA_BOTH(kHardsigmoid), OA_BOTH(kHardswish), OA_BOTH(kHardtanh),
      OA_BOTH(kHardshrink), OA_BOTH(kSoftshrink), OA_BOTH(kThreshold))

}  // namespace oneagent
