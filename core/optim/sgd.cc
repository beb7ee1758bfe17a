#include "core/optim/sgd.h"

#include "core/kernels/cpu/optimizer.h"

namespace oneagent::optim {

SGD::SGD(std::vector<Tensor> parameters, SGDOptions options)
    : SGD({ParamGroup{"default", std::move(parameters)}}, options) {}

SGD::SGD(std::vector<ParamGroup> groups, SGDOptions options)
    : Optimizer(std::move(groups), options.lr,
                options.momentum != 0 ? std::vector<std::string>{"momentum_buffer"}
                                      : std::vector<std::string>{}),
      options_(options) {
  OA_REQUIRE(!options.nesterov || (options.momentum > 0 && options.dampening == 0),
             "sgd: nesterov needs momentum and no dampening");
}

void SGD::step() {
  for (size_t g = 0; g < param_groups().size(); ++g) {
    const ParamGroup& group = param_groups()[g];
    for (size_t p = 0; p < group.parameters.size(); ++p) {
      const Tensor& parameter = group.parameters[p];
      const Tensor gradient = gradient_of(parameter);
      if (!gradient.defined()) continue;
      cpu::SgdArgs args;
      args.first_step = next_step(g, p) == 1;
      args.parameter = parameter.data_ptr();
      args.gradient = gradient.data_ptr();
      args.momentum_buffer = options_.momentum != 0 ? slots(g, p).tensors[0].data_ptr() : nullptr;
      args.n = parameter.numel();
      args.lr = group.lr;
      args.momentum = options_.momentum;
      args.dampening = options_.dampening;
      args.weight_decay = options_.weight_decay;
      args.nesterov = options_.nesterov;
      cpu::sgd(parameter.dtype(), args);
      parameter.impl().storage->bump_version();
    }
  }
}

}  // namespace oneagent::optim
