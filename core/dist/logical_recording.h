// A function recorded as the program of one device, for parallel_recording.cc and
// pipeline_recording.cc.
#pragma once

#include <functional>

#include "core/dist/parallel_recording.h"
#include "core/tensor/global_parts.h"

namespace oneagent::distributed {

using BuildFunction = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

struct Logical {
  Program program;
  std::vector<ValueId> leaves, gradients;  // kNoValue for those that take no part
};

// Global leaves stand for whole memory here. `composites`: ops in the forms of
// core/dist/composite.h, which can be split. The gradients of the leaves stay as they are.
Logical record_logical(const BuildFunction& build, const std::vector<Tensor>& inputs,
                       const std::vector<Tensor>& leaves, const Generator& generator,
                       bool composites);

AutoOptions auto_options(const Logical& logical, const std::vector<Tensor>& inputs,
                         const std::vector<Tensor>& leaves, const ParallelOptions& options);

// How a tensor of a pipeline is placed on the mesh of its stage.
Sharding stage_sharding(const GlobalParts& parts);

}  // namespace oneagent::distributed
