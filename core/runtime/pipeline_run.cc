#include "core/runtime/pipeline_run.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/base/clock.h"
#include "core/graph/accumulate.h"
#include "core/graph/context.h"
#include "core/graph/recorder.h"
#include "core/kernels/copy.h"
#include "core/plan/pipeline_check.h"
#include "core/plan/plan.h"
#include "core/runtime/trace.h"
#include "core/tensor/tensor.h"

namespace oneagent {
namespace {

size_t index(int32_t id) { return static_cast<size_t>(id); }

}  // namespace

PipelineRun::PipelineRun(StagedProgram staged, PipelineSchedule schedule, comm::Communicator& group,
                         const PlanOptions& options, Generator generator)
    : staged_(std::move(staged)),
      schedule_(std::move(schedule)),
      group_(group),
      programs_(staged_),
      generator_(std::move(generator)),
      draws_(generator_.clone()) {
  OA_REQUIRE(group.size() == schedule_.shape.ranks, "pipeline: a schedule for ",
             schedule_.shape.ranks, " ranks, the group has ", group.size());
  check(schedule_);
  const auto& actions = schedule_.actions[index(group.rank())];
  const bool halves = std::any_of(actions.begin(), actions.end(), [](const auto& action) {
    return action.kind == ActionKind::kWeightGrad;
  });
  for (int stage = group.rank(); stage < schedule_.stages(); stage += schedule_.shape.ranks) {
    Stage out;
    out.program = programs_.stage(stage, halves);
    out.forward = compiled(std::move(out.program.forward), options);
    out.backward = compiled(std::move(out.program.backward), options);
    out.input_grad = compiled(std::move(out.program.input_grad), options);
    out.weight_grad = compiled(std::move(out.program.weight_grad), options);
    stages_.push_back(std::move(out));
  }
  for (const ProgramNode& node : staged_.program.nodes)
    for (const ValueId value : node.out) {
      if (node.op->alias_of >= 0 || staged_.program.buffer_of(value).kind != BufferKind::kBound)
        continue;
      const std::pair<BufferId, int> change(staged_.program.buffer(value), node.stage);
      if (std::find(changed_.begin(), changed_.end(), change) == changed_.end())
        changed_.push_back(change);
    }
}

PipelineRun::Part PipelineRun::compiled(StageSegment segment, const PlanOptions& options) {
  Part part;
  if (!segment.program.nodes.empty() || !segment.results.empty())
    part.instance = std::make_unique<PlanInstance>(
        std::make_shared<const Plan>(compile(std::move(segment.program), options)), draws_);
  part.segment = std::move(segment);
  return part;
}

std::vector<PlanInstance*> PipelineRun::instances() const {
  std::vector<PlanInstance*> out;
  for (const Stage& stage : stages_)
    for (const Part* part :
         {&stage.forward, &stage.backward, &stage.input_grad, &stage.weight_grad})
      if (part->instance != nullptr) out.push_back(part->instance.get());
  return out;
}

std::vector<const Plan*> PipelineRun::plans() const {
  std::vector<const Plan*> out;
  for (const PlanInstance* instance : instances()) out.push_back(&instance->plan());
  return out;
}

void PipelineRun::set_trace(Trace* trace, const std::string& prefix) {
  trace_ = trace;
  lane_ = trace == nullptr ? nullptr : &trace->lane(prefix + "pipeline");
  for (PlanInstance* instance : instances()) instance->set_trace(trace, prefix + "compute");
}

std::vector<std::vector<double>> PipelineRun::time_steps(const std::function<void()>& run,
                                                         int runs) {
  const std::vector<PlanInstance*> all = instances();
  std::vector<std::vector<double>> least(all.size());
  for (size_t i = 0; i < all.size(); ++i) all[i]->set_least_seconds(&least[i]);
  for (int i = 0; i < runs; ++i) run();
  for (PlanInstance* instance : all) instance->set_least_seconds(nullptr);
  return least;
}

PipelineRun::Stage& PipelineRun::stage_of(const PipelineAction& action) {
  return stages_[index(schedule_.chunk_of(action.stage))];
}

PipelineRun::Slot& PipelineRun::slot_of(const PipelineAction& action) {
  return slots_[index(schedule_.chunk_of(action.stage) * schedule_.shape.micro_batches +
                      action.micro_batch)];
}

void PipelineRun::run(const std::vector<std::vector<Tensor>>& inputs, const Reduce& reduce,
                      std::vector<std::vector<Tensor>>& results) {
  const auto count = index(schedule_.shape.micro_batches);
  OA_REQUIRE(inputs.size() == count, "pipeline: scheduled for ", count,
             " micro-batches, called with ", inputs.size());
  use_ = {};
  slots_.clear();
  slots_.resize(stages_.size() * count);
  gradients_.assign(staged_.gradients.size(), Tensor());
  outputs_.assign(count, std::vector<Tensor>(staged_.program.outputs.size()));
  first_draw_ = generator_.state();
  for (const PipelineAction& action : schedule_.actions[index(group_.rank())]) {
    const int64_t begin = lane_ == nullptr ? 0 : steady_ns();
    act(action, inputs, reduce);
    if (lane_ != nullptr)
      lane_->add(trace_->name(str(name_of(action.kind), " of stage ", action.stage)),
                 action.micro_batch, begin, steady_ns());
  }
  if (staged_.program.draws > 0) generator_.reserve(count * staged_.program.draws);
  share_results(results);
  share_memory();
  slots_.clear();
  gradients_.clear();
  outputs_.clear();
}

void PipelineRun::act(const PipelineAction& action, const std::vector<std::vector<Tensor>>& inputs,
                      const Reduce& reduce) {
  if (action.kind == ActionKind::kStep) return;  // the optimizers', by who called run()
  Stage& stage = stage_of(action);
  const StageProgram& program = stage.program;
  const auto micro_batch = index(std::max(action.micro_batch, 0));
  switch (action.kind) {
    case ActionKind::kForward:
      for (const BufferId buffer : program.lent)
        slot_of(action).held[buffer] = Tensor(make_ref<TensorImpl>(
            programs_.flat(buffer), staged_.program.buffers[index(buffer)].bound));
      run_part(stage.forward, action, inputs[micro_batch]);
      let_go(action, StageEvent::kForward);
      slot_of(action).kept = true;
      note_use();
      break;
    case ActionKind::kBackward:
      run_part(stage.backward, action, inputs[micro_batch]);
      let_go(action, StageEvent::kInputGrad);
      add_gradients(action);
      if (program.sent_back.empty()) let_go(action, StageEvent::kWeightGrad);
      break;
    case ActionKind::kInputGrad:
      run_part(stage.input_grad, action, inputs[micro_batch]);
      let_go(action, StageEvent::kInputGrad);
      break;
    case ActionKind::kWeightGrad:
      run_part(stage.weight_grad, action, inputs[micro_batch]);
      add_gradients(action);
      let_go(action, StageEvent::kWeightGrad);
      break;
    case ActionKind::kSendForward:
      send(action, program.sent_on);
      let_go(action, StageEvent::kSentOn);
      break;
    case ActionKind::kSendBackward:
      send(action, program.sent_back);
      let_go(action,
             stage.backward.instance != nullptr ? StageEvent::kWeightGrad : StageEvent::kSentBack);
      break;
    case ActionKind::kRecvForward:
      receive(action, program.taken_on);
      break;
    case ActionKind::kRecvBackward:
      receive(action, program.taken_back);
      break;
    default:
      Gradients complete;
      for (const auto& [leaf, buffer] : program.gradients)
        complete.emplace_back(leaf, std::exchange(gradients_[leaf], Tensor()));
      reduce(complete);
  }
}

// Every micro-batch draws the numbers that it would draw on one device.
void PipelineRun::run_part(Part& part, const PipelineAction& action,
                           const std::vector<Tensor>& inputs) {
  if (part.instance == nullptr) return;
  Held& held = slot_of(action).held;
  part.inputs.clear();
  for (const StageSegment::Source& source : part.segment.sources)
    part.inputs.push_back(source.input >= 0 ? inputs[index(source.input)] : held.at(source.buffer));
  if (const uint64_t draws = staged_.program.draws; draws > 0) {
    RngState state = first_draw_;
    state.position += draws * static_cast<uint64_t>(action.micro_batch);
    draws_.set_state(state);
  }
  part.instance->run(part.inputs, part.results);
  part.inputs.clear();
  for (size_t i = 0; i < part.results.size(); ++i) held[part.segment.results[i]] = part.results[i];
  take_outputs(action, part);
  part.results.clear();
}

void PipelineRun::take_outputs(const PipelineAction& action, const Part& part) {
  for (const auto& [output, buffer] : stage_of(action).program.outputs) {
    const auto& made = part.segment.results;
    const auto at = std::find(made.begin(), made.end(), buffer);
    if (at == made.end()) continue;
    outputs_[index(action.micro_batch)][output] = as_value(
        part.results[static_cast<size_t>(at - made.begin())], staged_.program.outputs[output]);
  }
}

Tensor PipelineRun::as_value(const Tensor& flat, ValueId value) const {
  TensorMeta meta = staged_.program.meta(value);
  meta.offset += flat.impl().meta.offset;
  return Tensor(make_ref<TensorImpl>(meta, flat.impl().storage));
}

// In the order of micro-batches, as a loop over them does.
void PipelineRun::add_gradients(const PipelineAction& action) {
  const NoGradGuard no_grad;
  const Held& held = slot_of(action).held;
  for (const auto& [leaf, buffer] : stage_of(action).program.gradients) {
    const Tensor gradient = as_value(held.at(buffer), staged_.gradients[leaf]);
    const auto& outputs = stage_of(action).program.outputs;
    const bool handed_out = std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
      return output.second == buffer;
    });
    if (gradients_[leaf].defined())
      call_in_place(kAccumulate, {&gradients_[leaf], &gradient});
    else
      gradients_[leaf] = handed_out ? contiguous_copy(context().stream, gradient) : gradient;
  }
}

void PipelineRun::send(const PipelineAction& action, const std::vector<BufferId>& buffers) {
  const int peer = peer_of(schedule_, action);
  const bool on = action.kind == ActionKind::kSendForward;
  const Held& held = slot_of(action).held;
  for (const BufferId buffer : buffers) {
    const Tensor& tensor = held.at(buffer);
    if (tensor.numel() > 0)
      group_.send(tensor.data_ptr(), tensor.nbytes(), peer, 2 * action.stage + on);
  }
}

void PipelineRun::receive(const PipelineAction& action, const std::vector<BufferId>& buffers) {
  const int peer = peer_of(schedule_, action);
  const bool on = action.kind == ActionKind::kRecvForward;
  const int sender = action.stage + (on ? -1 : 1);
  Held& held = slot_of(action).held;
  for (const BufferId buffer : buffers) {
    const TensorMeta meta = programs_.flat(buffer);
    const Tensor tensor = empty_on(context().stream, meta.sizes, meta.dtype);
    if (tensor.numel() > 0)
      group_.receive(tensor.data_ptr(), tensor.nbytes(), peer, 2 * sender + on);
    held[buffer] = tensor;
  }
}

void PipelineRun::let_go(const PipelineAction& action, StageEvent event) {
  Slot& slot = slot_of(action);
  const auto& last = stage_of(action).program.last;
  std::erase_if(slot.held, [&](const auto& entry) {
    const auto at = last.find(entry.first);
    return at == last.end() || at->second <= event;
  });
  if (event >= StageEvent::kInputGrad && slot.held.empty()) slot.kept = false;
}

void PipelineRun::note_use() {
  PipelineUse now;
  for (const Slot& slot : slots_) {
    if (!slot.kept) continue;
    ++now.micro_batches;
    for (const auto& [buffer, tensor] : slot.held) now.bytes += tensor.nbytes();
  }
  use_.micro_batches = std::max(use_.micro_batches, now.micro_batches);
  use_.bytes = std::max(use_.bytes, now.bytes);
}

// In one message of each rank that has made some.
void PipelineRun::share_results(std::vector<std::vector<Tensor>>& results) {
  results = std::move(outputs_);
  for (int root = 0; root < group_.size(); ++root) {
    std::vector<Tensor*> shared;
    size_t bytes = 0;
    for (size_t output = 0; output < staged_.program.outputs.size(); ++output) {
      if (schedule_.rank_of(programs_.stage_of_output(output)) != root) continue;
      const TensorMeta& meta = staged_.program.meta(staged_.program.outputs[output]);
      for (std::vector<Tensor>& of_part : results) {
        Tensor& result = of_part[output];
        result = group_.rank() == root ? contiguous_copy(context().stream, result)
                                       : empty_on(context().stream, meta.sizes, meta.dtype);
        shared.push_back(&result);
        bytes += result.nbytes();
      }
    }
    if (bytes == 0) continue;
    std::vector<uint8_t> message(bytes);
    const auto each = [&](const auto& copy) {
      uint8_t* at = message.data();
      for (Tensor* result : shared) {
        if (result->nbytes() > 0) copy(at, result->data_ptr(), result->nbytes());
        at += result->nbytes();
      }
    };
    if (group_.rank() == root)
      each([](void* at, void* data, size_t size) { std::memcpy(at, data, size); });
    group_.broadcast(message.data(), bytes, DType::kUInt8, root);
    if (group_.rank() != root)
      each([](void* at, void* data, size_t size) { std::memcpy(data, at, size); });
  }
}

void PipelineRun::share_memory() {
  for (const auto& [buffer, stage] : changed_) {
    const Ref<Storage>& memory = staged_.program.buffers[index(buffer)].bound;
    if (memory->symbolic()) continue;
    group_.broadcast(memory->data(), memory->bytes(), DType::kUInt8, schedule_.rank_of(stage));
    memory->bump_version();
  }
}

}  // namespace oneagent
