// What a Graph keeps of one recording. For graph.cc and graph_save.cc alone.
#pragma once

#include <algorithm>

#include "core/graph/context.h"
#include "core/runtime/pipeline_run.h"
#include "core/runtime/plan_instance.h"
#include "core/tensor/global_parts.h"
#include "core/torch/graph.h"

namespace oneagent::nn {

// What the inputs must be like.
struct Signature {
  Signature() = default;
  explicit Signature(const std::vector<Tensor>& inputs) : grad_mode(context().grad_mode) {
    for (const Tensor& input : inputs) {
      OA_REQUIRE(input.defined(), "graph: input ", sizes.size(), " is undefined");
      sizes.push_back(input.sizes());
      if (is_global(input)) shardings.resize(inputs.size());
      dtypes.push_back(input.dtype());
      requires_grad.push_back(input.requires_grad());
    }
    for (size_t i = 0; i < shardings.size(); ++i) shardings[i] = sharding_of(inputs[i]);
  }
  static Sharding sharding_of(const Tensor& input) {
    return is_global(input) ? global_parts(input).sharding : Sharding();
  }
  bool fits(const std::vector<Tensor>& inputs) const {
    if (inputs.size() != sizes.size() || grad_mode != context().grad_mode) return false;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (!inputs[i].defined() || !(inputs[i].sizes() == sizes[i]) ||
          inputs[i].dtype() != dtypes[i] || inputs[i].requires_grad() != requires_grad[i] ||
          !(sharding_of(inputs[i]) == (shardings.empty() ? Sharding() : shardings[i])))
        return false;
    return true;
  }

  std::vector<Shape> sizes;
  std::vector<Sharding> shardings;  // {} when none is global
  std::vector<DType> dtypes;
  std::vector<bool> requires_grad;
  bool grad_mode = true;
};

// Part k of `parts` equal ones of every input with a dimension.
std::vector<Tensor> micro_batch_of(const std::vector<Tensor>& inputs, int64_t k, int64_t parts);
// Results of parts joined along their first dimension; numbers become [parts].
std::vector<Tensor> joined(const std::vector<std::vector<Tensor>>& parts);

// The steps of a plan with their seconds, the dearest first.
std::string profile_text(const Plan& plan, const std::vector<double>& seconds);

// This rank's side of a pipeline.
struct PipelineCall {
  std::unique_ptr<PipelineRun> run;
  std::shared_ptr<const Mesh> mesh;
  std::vector<Tensor> leaves;
  std::vector<bool> adds;                    // by leaf, to what stands in it
  std::vector<bool> has_gradient;            // by leaf
  bool splits_gradients = false;             // ZeRO from stage 2 on
  std::vector<Sharding> gradient_shardings;  // by leaf
  std::vector<Ref<Storage>> memory;          // of leaves
};

struct Graph::Gradient {
  Tensor leaf;
  Tensor filled;  // by each run
  bool adds;      // to what stands in the leaf
};

struct Graph::Compiled {
  Signature signature;
  std::unique_ptr<PlanInstance> instance;  // null of a pipeline
  std::unique_ptr<PipelineCall> pipeline;
  std::vector<Gradient> gradients;
  std::vector<Tensor> without_gradient;                // leaves of optimizers
  std::vector<std::pair<Tensor, Ref<Storage>>> bound;  // parameters, buffers: their memory
  std::vector<bool> requires_grad;                     // of the leaves, first in `bound`
  std::vector<Tensor> stepped;                         // all that optimizers name, in order
  std::vector<Tensor> globals;  // results that are global, as recorded; else undefined
  bool has_globals = false;     // among inputs and results

  void note_globals() {
    const auto placed = [](const Sharding& sharding) { return sharding.size() > 0; };
    const auto defined = [](const Tensor& result) { return result.defined(); };
    has_globals = std::any_of(signature.shardings.begin(), signature.shardings.end(), placed) ||
                  std::any_of(globals.begin(), globals.end(), defined);
  }
  void add_gradient(const Tensor& leaf, const Tensor& filled, bool adds) {
    if (filled.defined())
      gradients.push_back({leaf, filled, adds});
    else if (!adds)
      without_gradient.push_back(leaf);
  }
};

}  // namespace oneagent::nn
