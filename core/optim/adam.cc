#include "core/optim/adam.h"

#include <cmath>

#include "core/kernels/cpu/optimizer.h"

namespace oneagent::optim {

Adam::Adam(std::vector<Tensor> parameters, AdamOptions options)
    : Adam({ParamGroup{"default", std::move(parameters)}}, options) {}

Adam::Adam(std::vector<ParamGroup> groups, AdamOptions options)
    : Optimizer(std::move(groups), options.lr, {"exp_avg", "exp_avg_sq"}), options_(options) {
  OA_REQUIRE(options.eps >= 0 && options.beta1 >= 0 && options.beta1 < 1 && options.beta2 >= 0 &&
                 options.beta2 < 1,
             "adam: betas must be in [0, 1) and eps not negative, were ", options.beta1, ", ",
             options.beta2, " and ", options.eps);
}

void Adam::step() {
  for (size_t g = 0; g < param_groups().size(); ++g) {
    const ParamGroup& group = param_groups()[g];
    for (size_t p = 0; p < group.parameters.size(); ++p) {
      const Tensor& parameter = group.parameters[p];
      const Tensor gradient = gradient_of(parameter);
      if (!gradient.defined()) continue;
      const auto t = static_cast<double>(next_step(g, p));
      cpu::AdamArgs args;
      args.parameter = parameter.data_ptr();
      args.gradient = gradient.data_ptr();
      args.first = slots(g, p).tensors[0].data_ptr();
      args.second = slots(g, p).tensors[1].data_ptr();
      args.n = parameter.numel();
      args.step_size = group.lr / (1 - std::pow(options_.beta1, t));
      args.beta1 = options_.beta1;
      args.beta2 = options_.beta2;
      args.root_correction = std::sqrt(1 - std::pow(options_.beta2, t));
      args.epsilon = options_.eps;
      args.weight_decay = options_.decoupled ? 0 : options_.weight_decay;
      args.shrink = options_.decoupled ? 1 - group.lr * options_.weight_decay : 1;
      cpu::adam(parameter.dtype(), args);
      parameter.impl().storage->bump_version();
    }
  }
}

}  // namespace oneagent::optim
