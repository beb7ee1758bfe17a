// Parameters of modules as they are without a mesh.
#pragma once

#include <utility>
#include <vector>

#include "core/graph/context.h"
#include "core/nn/module.h"
#include "core/tensor/global_parts.h"

namespace oneagent {

// As long as it stands, global parameters are whole on every rank, so that what is computed with
// them has the bits of one device, whether a mesh has placed them yet or not. For reading alone:
// changes are lost. All ranks make one at the same point.
class WholeParameters {
 public:
  explicit WholeParameters(const std::vector<nn::Module*>& modules) {
    const NoGradGuard no_grad;
    for (const nn::Module* module : modules)
      for (const Tensor& parameter : module->parameters()) {
        if (!is_global(parameter)) continue;
        placed_.emplace_back(parameter, parameter.detach());
        parameter.set_data(whole_values(parameter));
      }
  }
  ~WholeParameters() {
    for (const auto& [parameter, before] : placed_) parameter.set_data(before);
  }
  WholeParameters(const WholeParameters&) = delete;
  WholeParameters& operator=(const WholeParameters&) = delete;

 private:
  std::vector<std::pair<Tensor, Tensor>> placed_;
};

}  // namespace oneagent
