#include "core/nn/modules/activation.h"

#include "core/nn/functional/activation.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

namespace F = functional;

Tensor ELUImpl::forward(Tensor input) const { return F::elu(std::move(input), options); }
void ELUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "ELU")
      .with("alpha", options.alpha())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor SELUImpl::forward(Tensor input) const { return F::selu(std::move(input), options); }
void SELUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "SELU").with_if(options.inplace(), "inplace", options.inplace());
}

Tensor HardshrinkImpl::forward(const Tensor& input) const { return F::hardshrink(input, options); }
void HardshrinkImpl::pretty_print(std::ostream& out) const {
  Printed(out << std::boolalpha, "Hardshrink").value(options.lambda());
}

HardtanhImpl::HardtanhImpl(const HardtanhOptions& options_) : options(options_) { reset(); }
void HardtanhImpl::reset() {
  OA_REQUIRE(options.max_val() > options.min_val(), "max_val must be greater than min_val");
}
Tensor HardtanhImpl::forward(Tensor input) const { return F::hardtanh(std::move(input), options); }
void HardtanhImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Hardtanh")
      .with("min_val", options.min_val())
      .with("max_val", options.max_val())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor LeakyReLUImpl::forward(Tensor input) const {
  return F::leaky_relu(std::move(input), options);
}
void LeakyReLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "LeakyReLU")
      .with("negative_slope", options.negative_slope())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor LogSigmoidImpl::forward(const Tensor& input) const { return F::logsigmoid(input); }
void LogSigmoidImpl::pretty_print(std::ostream& out) const { Printed(out, "LogSigmoid"); }

Tensor SoftmaxImpl::forward(const Tensor& input) const { return F::softmax(input, options.dim()); }
void SoftmaxImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Softmax").with("dim", options.dim());
}

Tensor SoftminImpl::forward(const Tensor& input) const { return F::softmin(input, options.dim()); }
void SoftminImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Softmin").with("dim", options.dim());
}

Tensor LogSoftmaxImpl::forward(const Tensor& input) const {
  return F::log_softmax(input, options.dim());
}
void LogSoftmaxImpl::pretty_print(std::ostream& out) const {
  Printed(out, "LogSoftmax").with("dim", options.dim());
}

Tensor Softmax2dImpl::forward(const Tensor& input) const {
  OA_REQUIRE(input.dim() == 4 || input.dim() == 3, "Softmax2d requires a 3D or 4D tensor as input");
  return F::softmax(input, -3);
}
void Softmax2dImpl::pretty_print(std::ostream& out) const { Printed(out, "Softmax2d"); }

Tensor ReLUImpl::forward(Tensor input) const { return F::relu(std::move(input), options); }
void ReLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "ReLU").with_if(options.inplace(), "inplace", options.inplace());
}

Tensor ReLU6Impl::forward(Tensor input) const { return F::relu6(std::move(input), options); }
void ReLU6Impl::pretty_print(std::ostream& out) const {
  Printed(out, "ReLU6").with_if(options.inplace(), "inplace", options.inplace());
}

Tensor RReLUImpl::forward(Tensor input) const {
  return F::rrelu(std::move(input), F::RReLUFuncOptions()
                                        .lower(options.lower())
                                        .upper(options.upper())
                                        .training(is_training())
                                        .inplace(options.inplace()));
}
void RReLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "RReLU")
      .with("lower", options.lower())
      .with("upper", options.upper())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor CELUImpl::forward(Tensor input) const { return F::celu(std::move(input), options); }
void CELUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "CELU")
      .with("alpha", options.alpha())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor GLUImpl::forward(const Tensor& input) const { return F::glu(input, options); }
void GLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "GLU").with("dim", options.dim());
}

Tensor GELUImpl::forward(const Tensor& input) const { return F::gelu(input, options); }
void GELUImpl::pretty_print(std::ostream& out) const { Printed(out, "GELU"); }

Tensor SiLUImpl::forward(const Tensor& input) const { return F::silu(input); }
void SiLUImpl::pretty_print(std::ostream& out) const { Printed(out, "SiLU"); }

Tensor MishImpl::forward(const Tensor& input) const { return F::mish(input); }
void MishImpl::pretty_print(std::ostream& out) const { Printed(out, "Mish"); }

Tensor SigmoidImpl::forward(const Tensor& input) const { return input.sigmoid(); }
void SigmoidImpl::pretty_print(std::ostream& out) const { Printed(out, "Sigmoid"); }

Tensor SoftplusImpl::forward(const Tensor& input) const { return F::softplus(input, options); }
void SoftplusImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Softplus").with("beta", options.beta()).with("threshold", options.threshold());
}

Tensor SoftshrinkImpl::forward(const Tensor& input) const { return F::softshrink(input, options); }
void SoftshrinkImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Softshrink").value(options.lambda());
}

Tensor SoftsignImpl::forward(const Tensor& input) const { return F::softsign(input); }
void SoftsignImpl::pretty_print(std::ostream& out) const { Printed(out, "Softsign"); }

Tensor TanhImpl::forward(const Tensor& input) const { return input.tanh(); }
void TanhImpl::pretty_print(std::ostream& out) const { Printed(out, "Tanh"); }

Tensor TanhshrinkImpl::forward(const Tensor& input) const { return F::tanhshrink(input); }
void TanhshrinkImpl::pretty_print(std::ostream& out) const { Printed(out, "Tanhshrink"); }

Tensor ThresholdImpl::forward(Tensor input) const {
  return F::threshold(std::move(input), options);
}
void ThresholdImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Threshold")
      .with("threshold", options.threshold())
      .with("value", options.value())
      .with_if(options.inplace(), "inplace", options.inplace());
}

void PReLUImpl::reset() {
  weight = register_parameter("weight", full({options.num_parameters()}, options.init()));
}
Tensor PReLUImpl::forward(const Tensor& input) const { return F::prelu(input, weight); }
void PReLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "PReLU").with("num_parameters", options.num_parameters());
}

}  // namespace oneagent::nn
