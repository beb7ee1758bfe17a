// One module for parts of a batch on several devices. Every device here works on the memory of the
// module, so replicas share its parameters and buffers, and gradients meet in them by themselves.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/nn/module_holder.h"
#include "core/ops/ops.h"

namespace oneagent::nn::parallel {

template <class ModuleType>
std::vector<std::shared_ptr<ModuleType>> replicate(const std::shared_ptr<ModuleType>& module,
                                                   const std::vector<Device>& devices) {
  return std::vector<std::shared_ptr<ModuleType>>(devices.size(), module);
}
template <class ModuleType>
std::vector<ModuleHolder<ModuleType>> replicate(const ModuleHolder<ModuleType>& module,
                                                const std::vector<Device>& devices) {
  return std::vector<ModuleHolder<ModuleType>>(devices.size(), module);
}

// modules[i]->forward(inputs[i]), on devices[i] where devices are given.
template <class ModuleType>
std::vector<Tensor> parallel_apply(std::vector<ModuleType>& modules,
                                   const std::vector<Tensor>& inputs,
                                   const std::optional<std::vector<Device>>& devices = {}) {
  OA_REQUIRE(modules.size() == inputs.size(), "Must have as many inputs as modules");
  OA_REQUIRE(!devices || modules.size() == devices->size(), "Must have as many devices as modules");
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < modules.size(); ++i)
    outputs.push_back(
        modules[i]->forward(inputs[i]).to(devices ? (*devices)[i] : inputs[i].device()));
  return outputs;
}

// The batch cut along `dim`, a part for each device; the results joined on output_device, the first
// device unless given.
template <class ModuleType>
Tensor data_parallel(ModuleType module, Tensor input,
                     std::optional<std::vector<Device>> devices = {},
                     std::optional<Device> output_device = {}, int64_t dim = 0) {
  OA_REQUIRE(devices && !devices->empty(), "Expected at least one CUDA device to be available");
  const Device to = output_device.value_or(devices->front());
  if (devices->size() == 1) {
    module->to(devices->front());
    return module->forward(input.to(devices->front())).to(to);
  }
  const std::vector<Tensor> parts = input.chunk(static_cast<int64_t>(devices->size()), dim);
  devices->resize(parts.size(), devices->front());
  auto replicas = replicate(module, *devices);
  return cat(parallel_apply(replicas, parts, devices), dim).to(to);
}

}  // namespace oneagent::nn::parallel
