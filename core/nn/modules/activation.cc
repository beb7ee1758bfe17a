#include "core/nn/modules/activation.h"

#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

Tensor ELUImpl::forward(Tensor input) const { return elu(input, options.alpha()); }
void ELUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "ELU")
      .with("alpha", options.alpha())
      .with_if(options.inplace(), "inplace", options.inplace());
}

Tensor SoftmaxImpl::forward(const Tensor& input) const { return softmax(input, options.dim()); }
void SoftmaxImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Softmax").with("dim", options.dim());
}

Tensor LogSoftmaxImpl::forward(const Tensor& input) const {
  return log_softmax(input, options.dim());
}
void LogSoftmaxImpl::pretty_print(std::ostream& out) const {
  Printed(out, "LogSoftmax").with("dim", options.dim());
}

Tensor ReLUImpl::forward(Tensor input) const { return relu(input); }
void ReLUImpl::pretty_print(std::ostream& out) const {
  Printed(out, "ReLU").with_if(options.inplace(), "inplace", options.inplace());
}

Tensor GELUImpl::forward(const Tensor& input) const { return gelu(input); }
void GELUImpl::pretty_print(std::ostream& out) const { Printed(out, "GELU"); }

Tensor SigmoidImpl::forward(const Tensor& input) const { return sigmoid(input); }
void SigmoidImpl::pretty_print(std::ostream& out) const { Printed(out, "Sigmoid"); }

Tensor TanhImpl::forward(const Tensor& input) const { return tanh(input); }
void TanhImpl::pretty_print(std::ostream& out) const { Printed(out, "Tanh"); }

}  // namespace oneagent::nn
