// Activations, elementwise, on floating tensors. Those with a trailing underscore overwrite their
// operand. Gradients of kinks are one-sided as in PyTorch (relu'(0) = 0).
#pragma once

#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

// scale (x > 0 ? x : alpha (exp(input_scale x) - 1)); celu: alpha (exp(x / alpha) - 1) below 0;
// selu: alpha and scale of Klambauer et al. 2017.
Tensor elu(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1);
Tensor& elu_(const Tensor& self, Scalar alpha = 1, Scalar scale = 1, Scalar input_scale = 1);
Tensor celu(const Tensor& self, Scalar alpha = 1.0);
Tensor& celu_(const Tensor& self, Scalar alpha = 1.0);
Tensor selu(const Tensor& self);
Tensor& selu_(const Tensor& self);

Tensor silu(const Tensor& self);  // x sigmoid(x)
Tensor& silu_(const Tensor& self);
Tensor mish(const Tensor& self);  // x tanh(softplus(x))
Tensor& mish_(const Tensor& self);
Tensor gelu(const Tensor& self, std::string_view approximate = "none");  // or "tanh"
Tensor& gelu_(const Tensor& self, std::string_view approximate = "none");
Tensor softplus(const Tensor& self, Scalar beta = 1, Scalar threshold = 20);
Tensor log_sigmoid(const Tensor& self);
Tensor logsigmoid(const Tensor& self);
// With exp(-|x|), which a backward pass may use.
std::tuple<Tensor, Tensor> log_sigmoid_forward(const Tensor& self);
Tensor softsign(const Tensor& self);    // x / (1 + |x|)
Tensor tanhshrink(const Tensor& self);  // x - tanh(x)

Tensor leaky_relu(const Tensor& self, Scalar negative_slope = 0.01);
Tensor& leaky_relu_(const Tensor& self, Scalar negative_slope = 0.01);
Tensor hardsigmoid(const Tensor& self);  // min(max(x + 3, 0), 6) / 6
Tensor& hardsigmoid_(const Tensor& self);
Tensor hardswish(const Tensor& self);  // x hardsigmoid(x)
Tensor& hardswish_(const Tensor& self);
Tensor hardtanh(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1);  // integers, too
Tensor& hardtanh_(const Tensor& self, Scalar min_val = -1, Scalar max_val = 1);
Tensor relu6(const Tensor& self);
Tensor& relu6_(const Tensor& self);
Tensor hardshrink(const Tensor& self, Scalar lambd = 0.5);             // 0 where |x| <= lambd
Tensor softshrink(const Tensor& self, Scalar lambd = 0.5);             // towards 0 by lambd
Tensor threshold(const Tensor& self, Scalar threshold, Scalar value);  // value where x <= threshold
Tensor& threshold_(const Tensor& self, Scalar threshold, Scalar value);

// The gradient with respect to self, from that of the result.
Tensor elu_backward(const Tensor& grad_output, Scalar alpha, Scalar scale, Scalar input_scale,
                    bool is_result, const Tensor& self_or_result);
Tensor silu_backward(const Tensor& grad_output, const Tensor& self);
Tensor mish_backward(const Tensor& grad_output, const Tensor& self);
Tensor gelu_backward(const Tensor& grad_output, const Tensor& self, std::string_view approximate);
Tensor softplus_backward(const Tensor& grad_output, const Tensor& self, Scalar beta,
                         Scalar threshold);
Tensor log_sigmoid_backward(const Tensor& grad_output, const Tensor& self, const Tensor& buffer);
Tensor leaky_relu_backward(const Tensor& grad_output, const Tensor& self, Scalar negative_slope,
                           bool self_is_result);
Tensor hardsigmoid_backward(const Tensor& grad_output, const Tensor& self);
Tensor hardswish_backward(const Tensor& grad_output, const Tensor& self);
Tensor hardtanh_backward(const Tensor& grad_output, const Tensor& self, Scalar min_val,
                         Scalar max_val);
Tensor hardshrink_backward(const Tensor& grad_out, const Tensor& self, Scalar lambd);
Tensor softshrink_backward(const Tensor& grad_output, const Tensor& self, Scalar lambd);
Tensor threshold_backward(const Tensor& grad_output, const Tensor& self, Scalar threshold);

}  // namespace oneagent
