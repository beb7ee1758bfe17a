#include "core/nn/activation.h"

#include "core/ops/ops.h"

namespace oneagent::nn {

Tensor ReLUImpl::forward(const Tensor& x) const { return relu(x); }
Tensor TanhImpl::forward(const Tensor& x) const { return tanh(x); }
Tensor SigmoidImpl::forward(const Tensor& x) const { return sigmoid(x); }
Tensor GELUImpl::forward(const Tensor& x) const { return gelu(x); }
Tensor FlattenImpl::forward(const Tensor& x) const { return x.flatten(1); }

}  // namespace oneagent::nn
