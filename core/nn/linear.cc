#include "core/nn/linear.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

Linear::Linear(int64_t in_features, int64_t out_features, bool with_bias)
    : Linear(in_features, out_features, with_bias, default_generator()) {}

Linear::Linear(int64_t in_features, int64_t out_features, bool with_bias, Generator& generator)
    : Module("Linear") {
  weight = register_parameter("weight", empty({out_features, in_features}));
  if (with_bias) bias = register_parameter("bias", empty({out_features}));
  reset_parameters(generator);
}

void Linear::reset_parameters(Generator& generator) {
  init::kaiming_uniform_(weight, std::sqrt(5.0), generator);
  if (!bias.defined()) return;
  const double limit = 1.0 / std::sqrt(static_cast<double>(std::max<int64_t>(weight.size(1), 1)));
  init::uniform_(bias, -limit, limit, generator);
}

void Linear::pretty_print(std::ostream& out) const {
  out << "Linear(in_features=" << weight.size(1) << ", out_features=" << weight.size(0)
      << ", bias=" << (bias.defined() ? "true" : "false") << ")";
}

}  // namespace oneagent::nn
