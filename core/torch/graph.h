// nn::Graph: one piece of code, eager or static. The function that computes (and, in training,
// calls backward()) is written once. A Graph runs it once with symbolic tensors, records the ops
// that it calls, and from then on runs the compiled Plan: same kernels, same order of sums, same
// random numbers, so that results equal the eager ones bit for bit, without the cost of recording
// and allocating.
//
//   nn::Graph step([&](const variable_list& in) {
//     Tensor loss = mse_loss(net->forward(in[0]), in[1]);
//     loss.backward();
//     return variable_list{loss};
//   });
//   step.add_optimizer(adam);
//   Tensor loss = step({x, y})[0];   // forward, backward, adam.step()
//
// After a call the grad() of an optimizer's parameters hold the gradients of that call alone; they
// are overwritten, not added to. What the function does besides calling ops happens once, when it
// is recorded. Shapes and types are fixed when recorded; other ones are recorded as further plans.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/stage.h"
#include "core/optim/optimizer.h"
#include "core/plan/plan_options.h"
#include "core/torch/grad_scaler.h"

namespace oneagent {
namespace distributed {
struct ParallelOptions;
}
struct Plan;
struct Program;
class LossScale;
class PlanInstance;
struct PipelineUse;
class Trace;
}  // namespace oneagent

namespace oneagent::nn {

using oneagent::StageScope;  // names the stages of a pipeline

// What the function does cannot be recorded; its message says what and where.
class RecordingError final : public Error {
 public:
  using Error::Error;
};

struct GraphOptions {
  PlanOptions plan;
  // Mixed precision: kBFloat16 or kHalf for products and what follows them elementwise, with sums,
  // parameters, gradients and results in float32 (the list is in core/graph/passes/amp.cc). With
  // kHalf backward() starts from the factor of a GradScaler, and optimizers leave out steps whose
  // gradients are not finite.
  DType amp = DType::kFloat32;
  // Micro-batches of a call: every input with a dimension is split into as many equal parts along
  // its first; the gradients of the parts are added, the optimizers step once. The function divides
  // its loss where a mean is meant.
  int64_t micro_batches = 1;
  size_t max_plans = 8;  // of different input shapes; the one used longest ago makes room
  // Shardings are chosen for a mesh (core/dist/parallel_recording.h), parameters become global
  // tensors, and every rank, in a World of its own, runs its part. Inputs and results are whole
  // tensors, the same on all ranks. With `pipeline` ranks above one the function is cut into
  // stages, through which the micro-batches pass (docs/pipeline.md).
  std::shared_ptr<const distributed::ParallelOptions> parallel;
};

class Graph {
 public:
  using Build = std::function<std::vector<Tensor>(const std::vector<Tensor>& inputs)>;

  explicit Graph(Build build, GraphOptions options = {});
  Graph(Graph&&) = default;
  virtual ~Graph();

  // Its parameters' gradients are computed by the function; every call ends with its step().
  // Several optimizers step in the order in which they were added. Error: it was added before.
  Graph& add_optimizer(optim::Optimizer& optimizer);

  // Parameters and buffers without an optimizer. The gradients that the function computes are added
  // to those that stand in grad(), as backward() does. What neither an optimizer nor this list
  // names keeps the gradient that it has. Error: one that is undefined or no leaf.
  Graph& add_parameters(std::vector<Tensor> parameters);

  // Other tensors that the function reads or writes and that stay where they are, such as running
  // statistics: save_plan() knows them by their place in the list.
  Graph& add_buffers(std::vector<Tensor> buffers);

  Graph& set_generator(Generator generator);  // of the function's random ops; else the default one

  // RecordingError: the function asks for values of tensors while it is recorded, uses sparse ones
  // or a generator of its own. Error: inputs that are undefined, or that cannot be split equally.
  // With micro-batches results are joined along their first dimension; numbers become [parts].
  std::vector<Tensor> operator()(const std::vector<Tensor>& inputs);
  // The same into `results`, whose tensors are let go first. Without micro-batches, and where
  // nobody else holds the results of an earlier call, a call allocates nothing.
  void operator()(const std::vector<Tensor>& inputs, std::vector<Tensor>& results);
  // A call whose micro-batches are given, all with the same shapes: parts[k] are the inputs of
  // micro-batch k. Error: not as many as GraphOptions::micro_batches.
  std::vector<Tensor> run_parts(const std::vector<std::vector<Tensor>>& parts);

  GradScaler& scaler() { return scaler_; }  // of amp = kHalf
  size_t plan_count() const { return plans_.size(); }
  const Plan& plan() const;  // that of the last call; Error: before the first
  // Of that call; on a pipeline this rank's program of all stages.
  const Program& program() const;
  // How the last plan that was recorded for a mesh is sharded, and why; "" without one.
  std::string sharding() const { return layout_ + (sharding_ ? sharding_() : std::string()); }
  // What this rank of a pipeline held at most in the last call. Error: no pipeline, or no call.
  const PipelineUse& pipeline_use() const;
  // The plans of that call on this rank of a pipeline: F, then B or I and W of each of its stages,
  // for one micro-batch. Error: as pipeline_use().
  std::vector<const Plan*> pipeline_plans() const;
  // The plan of the last call with the seconds of each call, the dearest first; of a pipeline the
  // parts of this rank, in the order F, then B or I and W of its stages. On a mesh all ranks call
  // it.
  std::string profile(const std::vector<Tensor>& inputs, int runs = 100);
  // Notes the calls of later runs on lane `prefix`compute of a trace and, on a mesh, collectives
  // beside them on `prefix`communication (core/runtime/trace.h); null: no more. The trace has to
  // live until then.
  void set_trace(Trace* trace, const std::string& prefix = "");
  std::string to_json() const;  // that plan, to be drawn (core/plan/saved_plan.h)

  // That plan as a file, and back: a call with inputs as then runs it, without recording. A file is
  // of this version of the library, and of graphs with the same parameters and buffers in the same
  // order. Errors: memory that is neither one nor a constant; a file that does not fit.
  void save_plan(const std::string& path) const;
  void load_plan(const std::string& path);
  void clear();  // forgets the plans, as after train() or eval() of a module

 private:
  struct Gradient;
  struct Compiled;
  Compiled& compiled_for(const std::vector<Tensor>& inputs);
  std::unique_ptr<Compiled> record(const std::vector<Tensor>& inputs);
  Compiled& keep(std::unique_ptr<Compiled> compiled);
  void bind(Compiled& compiled, const std::vector<Tensor>& leaves) const;
  std::vector<Tensor> leaves() const;
  bool bound(const Compiled& compiled) const;
  void own_parameters();
  std::unique_ptr<Compiled> read_plan(const std::string& file, const std::string& what);
  static void run(const Compiled& compiled, const std::vector<Tensor>& inputs, bool adds,
                  std::vector<Tensor>& results);
  std::unique_ptr<LossScale> loss_scale() const;
  Program record_program(const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                         Compiled& compiled);
  Program record_for_mesh(const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                          Compiled& compiled);
  // State of optimizers that is there before leaves are placed, as from a checkpoint; it is split
  // as they are.
  std::vector<std::vector<optim::NamedState>> states_before(
      const std::vector<Tensor>& leaves) const;
  void restore_states(const std::vector<std::vector<optim::NamedState>>& states);
  std::unique_ptr<Compiled> record_pipeline(const std::vector<Tensor>& inputs);
  void run_pipeline(const Compiled& compiled, const std::vector<std::vector<Tensor>>& parts,
                    std::vector<Tensor>& results);
  void run_parts(const std::vector<std::vector<Tensor>>& parts, std::vector<Tensor>& results);
  std::string profile_pipeline(const std::vector<Tensor>& inputs, int runs);
  bool has_pipeline() const;
  void settle_layout(const std::vector<Tensor>& micro_batch);
  void step();

  Build build_;
  GraphOptions options_;
  std::vector<optim::Optimizer*> optimizers_;
  std::vector<Tensor> parameters_;  // without an optimizer
  std::vector<Tensor> buffers_;
  Generator generator_;
  GradScaler scaler_;
  std::function<std::string()> sharding_;
  std::string layout_;
  Trace* trace_ = nullptr;
  std::string trace_prefix_;
  std::vector<std::unique_ptr<Compiled>> plans_;  // last used first
};

}  // namespace oneagent::nn
