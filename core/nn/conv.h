// 2-d convolution of [N, in, H, W]; initialised like PyTorch's (kaiming_uniform with a = sqrt 5)
// from the given or the thread's default generator.
#pragma once

#include "core/nn/module.h"
#include "core/ops/conv.h"

namespace oneagent::nn {

class Conv2d final : public Module {
 public:
  Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride = 1,
         Pair padding = 0, bool with_bias = true);
  Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride, Pair padding,
         bool with_bias, Generator& generator);
  Tensor forward(const Tensor& x) const { return conv2d(x, weight, bias, stride_, padding_); }
  void reset_parameters(Generator& generator);
  void pretty_print(std::ostream& out) const override;

  Tensor weight;  // [out, in, kernel_h, kernel_w]
  Tensor bias;    // [out], or undefined

 private:
  Pair stride_, padding_;
};

}  // namespace oneagent::nn
