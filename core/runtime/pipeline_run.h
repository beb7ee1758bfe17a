// One rank of a pipeline: runs its action list (core/plan/pipeline_schedule.h) with the parts of
// its stages, micro-batch after micro-batch. Neighbours are told by send and receive of a
// communicator, so ranks are threads or processes. Nobody schedules: a rank waits only in its
// receives.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/comm/communicator.h"
#include "core/plan/pipeline_schedule.h"
#include "core/plan/plan_options.h"
#include "core/plan/stage_programs.h"
#include "core/runtime/plan_instance.h"

namespace oneagent {

// What a rank held at most in the last run: measured, to be compared with simulate().
struct PipelineUse {
  int micro_batches = 0;  // pairs of stage and micro-batch with data kept for backward
  size_t bytes = 0;       // of that data
};

class PipelineRun {
 public:
  // `group`: the ranks of the pipeline, in the order of stages; has to outlive this. Errors: those
  // of check(), of StagePrograms and of compile().
  PipelineRun(StagedProgram staged, PipelineSchedule schedule, comm::Communicator& group,
              const PlanOptions& options, Generator generator);

  // inputs[k] are those of micro-batch k. Runs all of them; `reduce` is called for each of this
  // rank's stages at the schedule's REDUCE, with its leaves and their gradients, then complete.
  // Afterwards results[k] are the program's results of micro-batch k, on every rank, and memory
  // outside that a stage has changed is the same on every rank.
  using Gradients = std::vector<std::pair<size_t, Tensor>>;  // leaf, gradient
  using Reduce = std::function<void(const Gradients&)>;
  void run(const std::vector<std::vector<Tensor>>& inputs, const Reduce& reduce,
           std::vector<std::vector<Tensor>>& results);

  const PipelineSchedule& schedule() const { return schedule_; }
  const Program& program() const { return staged_.program; }  // of all stages
  const PipelineUse& use() const { return use_; }
  // A rank's parts, in the order of its stages: F, then B or I and W.
  std::vector<const Plan*> plans() const;

  // Notes the calls of later runs on lane `prefix`compute of a trace and, on `prefix`pipeline, the
  // actions of this rank with their micro-batches; null: no more.
  void set_trace(Trace* trace, const std::string& prefix);
  // Calls run() `runs` times, as all ranks have to, and gives the least seconds of each step of
  // plans()[i] in result[i].
  std::vector<std::vector<double>> time_steps(const std::function<void()>& run, int runs);

 private:
  struct Part {
    StageSegment segment;
    std::unique_ptr<PlanInstance> instance;
    std::vector<Tensor> inputs, results;
  };
  struct Stage {
    StageProgram program;
    Part forward, backward, input_grad, weight_grad;
  };
  using Held = std::map<BufferId, Tensor>;  // of one stage and micro-batch
  struct Slot {
    Held held;
    bool kept = false;  // F has run, something waits for backward
  };

  Part compiled(StageSegment segment, const PlanOptions& options);
  std::vector<PlanInstance*> instances() const;
  Stage& stage_of(const PipelineAction& action);
  Slot& slot_of(const PipelineAction& action);
  void act(const PipelineAction& action, const std::vector<std::vector<Tensor>>& inputs,
           const Reduce& reduce);
  void run_part(Part& part, const PipelineAction& action, const std::vector<Tensor>& inputs);
  void send(const PipelineAction& action, const std::vector<BufferId>& buffers);
  void receive(const PipelineAction& action, const std::vector<BufferId>& buffers);
  void let_go(const PipelineAction& action, StageEvent event);
  void take_outputs(const PipelineAction& action, const Part& part);
  void add_gradients(const PipelineAction& action);
  void note_use();
  void share_results(std::vector<std::vector<Tensor>>& results);
  void share_memory();
  Tensor as_value(const Tensor& flat, ValueId value) const;

  const StagedProgram staged_;
  const PipelineSchedule schedule_;
  comm::Communicator& group_;
  StagePrograms programs_;
  Generator generator_, draws_;
  RngState first_draw_;
  std::vector<Stage> stages_;                      // of this rank
  std::vector<Slot> slots_;                        // by stage of this rank, micro-batch
  std::vector<Tensor> gradients_;                  // by leaf, so far
  std::vector<std::vector<Tensor>> outputs_;       // by micro-batch, of this rank; else undefined
  std::vector<std::pair<BufferId, int>> changed_;  // memory outside, and who changes it
  PipelineUse use_;
  Trace* trace_ = nullptr;
  TraceLane* lane_ = nullptr;
};

}  // namespace oneagent
