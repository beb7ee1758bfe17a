// One arena and the calls of a Plan, ready to run: kernels, attributes and tensors are bound once,
// so that a run is a loop over kernel calls. One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/runtime/fused_loop.h"

namespace oneagent {

class Trace;
class TraceLane;

class PlanInstance {
 public:
  explicit PlanInstance(std::shared_ptr<const Plan> plan,
                        Generator generator = default_generator());
  ~PlanInstance();
  PlanInstance(const PlanInstance&) = delete;
  PlanInstance& operator=(const PlanInstance&) = delete;

  // Runs once. Inputs have the sizes and types that were recorded. Random draws continue from the
  // generator. What stood in `results` is let go first: where nobody else holds the results of an
  // earlier run, their memory is used again, and the run allocates nothing. Error: an input that
  // does not fit.
  void run(std::span<const Tensor> inputs, std::vector<Tensor>& results);

  // The least seconds that each step took in `runs` runs, in the order of the plan's steps. Changes
  // bound memory as runs do.
  std::vector<double> time_steps(std::span<const Tensor> inputs, int runs);

  // Puts the least seconds that each step takes in later runs into a list, by step, that has to
  // live until then; null: no more.
  void set_least_seconds(std::vector<double>* least) { least_ = least; }

  // Notes every step of later runs on this lane of a trace; null: no more.
  void set_trace(Trace* trace, const std::string& lane);

  const Plan& plan() const { return *plan_; }

 private:
  struct Entry;
  void run_entry(const Entry& entry, Stream& stream);
  void run_noted(Stream& stream);
  void prepare(std::span<const Tensor> inputs);
  void bind_memory();
  void bind_calls();
  Entry entry_of(const ProgramNode& node);
  std::unique_ptr<FusedLoop> fuse(const PlanStep& step);
  void give_inputs(std::span<const Tensor> inputs);
  void finish_writes(std::span<const Tensor> inputs);
  void give_results();
  void hand_out(std::vector<Tensor>& results);
  void draw();
  void move(BufferId buffer, const Ref<Storage>& storage, int64_t offset);

  std::shared_ptr<const Plan> plan_;
  Generator generator_;
  Ref<Storage> arena_;
  std::vector<Tensor> tensors_;                  // by value
  std::vector<std::vector<ValueId>> values_of_;  // by buffer
  std::vector<BufferId> results_;                // buffers with memory of their own for each run
  std::vector<std::vector<size_t>> handed_of_;   // by result buffer: the outputs that lie in it
  std::vector<Tensor> handed_;                   // the results of the last run
  std::vector<const Tensor*> operands_;          // of all entries, one behind the other
  std::vector<Tensor> outs_;
  std::vector<Entry> entries_;  // by step
  std::vector<std::unique_ptr<FusedLoop>> fused_;
  std::vector<size_t> random_;         // entries that draw
  std::vector<Ref<Storage>> written_;  // bound memory that a run changes
  std::vector<size_t> changed_inputs_;
  std::vector<std::pair<size_t, Tensor>> copies_;  // of strided ones among them, in this run
  TraceLane* lane_ = nullptr;
  std::vector<double>* least_ = nullptr;
  std::vector<const std::string*> step_names_;  // of a trace
  int64_t runs_ = 0;                            // noted in it
};

}  // namespace oneagent
