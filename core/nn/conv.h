// 2-d convolution, NCHW; weight [out, in, kernel, kernel].
#pragma once

#include "core/nn/module.h"

namespace oneagent::nn {

struct Conv2dOptions {
  Conv2dOptions(int64_t in, int64_t out, int64_t kernel) : in_channels_(in), out_channels_(out), kernel_size_(kernel) {}
  Conv2dOptions& stride(int64_t value) {
    stride_ = value;
    return *this;
  }
  Conv2dOptions& padding(int64_t value) {
    padding_ = value;
    return *this;
  }
  Conv2dOptions& bias(bool on) {
    bias_ = on;
    return *this;
  }
  int64_t in_channels_, out_channels_, kernel_size_, stride_ = 1, padding_ = 0;
  bool bias_ = true;
};

class Conv2dImpl final : public Module {
 public:
  explicit Conv2dImpl(const Conv2dOptions& options);
  Tensor forward(const Tensor& x) const;  // [N, in, H, W] -> [N, out, H', W']
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;

  Conv2dOptions options;
  Tensor weight, bias;
};
OA_MODULE(Conv2d);

}  // namespace oneagent::nn
