#include "core/nn/conv.h"

#include <cmath>

#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

Conv2dImpl::Conv2dImpl(const Conv2dOptions& options_in) : options(options_in) {
  weight = register_parameter("weight", empty({options.out_channels_, options.in_channels_, options.kernel_size_, options.kernel_size_}));
  bias = register_parameter("bias", options.bias_ ? empty({options.out_channels_}) : Tensor());
  reset_parameters();
}

void Conv2dImpl::reset_parameters() {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const double bound = 1.0 / std::sqrt(static_cast<double>(options.in_channels_ * options.kernel_size_ * options.kernel_size_));
  init::uniform_(bias, -bound, bound);
}

Tensor Conv2dImpl::forward(const Tensor& x) const { return conv2d(x, weight, bias, options.stride_, options.padding_); }

void Conv2dImpl::pretty_print(std::ostream& out) const {
  out << "oneagent::nn::Conv2d(" << options.in_channels_ << ", " << options.out_channels_ << ", kernel_size=" << options.kernel_size_
      << ", stride=" << options.stride_ << ", padding=" << options.padding_ << ", bias=" << (options.bias_ ? "true" : "false") << ")";
}

}  // namespace oneagent::nn
