#include "core/nn/conv.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/nn/init.h"
#include "core/ops/creation.h"

namespace oneagent::nn {

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride,
               Pair padding, bool with_bias)
    : Conv2d(in_channels, out_channels, kernel_size, stride, padding, with_bias,
             default_generator()) {}

Conv2d::Conv2d(int64_t in_channels, int64_t out_channels, Pair kernel_size, Pair stride,
               Pair padding, bool with_bias, Generator& generator)
    : Module("Conv2d"), stride_(stride), padding_(padding) {
  weight = register_parameter("weight",
                              empty({out_channels, in_channels, kernel_size.h, kernel_size.w}));
  if (with_bias) bias = register_parameter("bias", empty({out_channels}));
  reset_parameters(generator);
}

void Conv2d::reset_parameters(Generator& generator) {
  init::kaiming_uniform_(weight, std::sqrt(5.0), generator);
  if (!bias.defined()) return;
  const double limit = 1.0 / std::sqrt(init::fans_of(weight).in);
  init::uniform_(bias, -limit, limit, generator);
}

void Conv2d::pretty_print(std::ostream& out) const {
  out << "Conv2d(" << weight.size(1) << ", " << weight.size(0) << ", kernel_size=["
      << weight.size(2) << ", " << weight.size(3) << "], stride=[" << stride_.h << ", " << stride_.w
      << "], padding=[" << padding_.h << ", " << padding_.w << "])";
}

}  // namespace oneagent::nn
