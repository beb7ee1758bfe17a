#include "core/runtime/plan_instance.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/base/clock.h"
#include "core/graph/run.h"
#include "core/kernels/copy.h"
#include "core/runtime/trace.h"

namespace oneagent {

struct PlanInstance::Entry {
  const FusedLoop* fused = nullptr;  // a run of elementwise calls; the rest is unset then
  const Op* op = nullptr;
  Kernel kernel = nullptr;
  Attrs attrs;
  size_t first_operand = 0, operand_count = 0;
  size_t first_result = 0, result_count = 0;
  size_t seed = 0;  // of a random op: its seed_attr()
  uint64_t draw = 0;
  bool plain = true;      // the kernel takes the operands as they are
  bool overlaps = false;  // works in place, and another operand overlaps in[0] in another layout
};

namespace {

bool touches_half(const Program& program, const ProgramNode& node) {
  const auto half = [&](ValueId value) {
    return value != kNoValue && is_half(program.meta(value).dtype);
  };
  return std::any_of(node.in.begin(), node.in.end(), half) ||
         std::any_of(node.out.begin(), node.out.end(), half);
}

bool overlaps(const Program& program, const ProgramNode& node) {
  return std::any_of(node.in.begin() + 1, node.in.end(), [&](ValueId value) {
    return value != kNoValue && program.buffer(value) == program.buffer(node.in[0]) &&
           !same_place(program.meta(value), program.meta(node.in[0]));
  });
}

// Does a result of an earlier run still describe the memory of `now`, with nothing added by whoever
// held it?
bool is_untouched(const TensorImpl& earlier, const TensorImpl& now) {
  return earlier.storage == now.storage && same_place(earlier.meta, now.meta) &&
         !earlier.requires_grad && !earlier.grad_fn && !earlier.grad && !earlier.view_base &&
         !earlier.hooks && !earlier.is_view && !earlier.sparse && !earlier.inference;
}

bool contains(const std::vector<size_t>& numbers, size_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

void run_call(const Call& call, Stream& stream) {
  if (!call.in_place) return run_kernel(call, stream);
  RunRecorder run;
  run.record(call, 0);
}

}  // namespace

PlanInstance::PlanInstance(std::shared_ptr<const Plan> plan, Generator generator)
    : plan_(std::move(plan)), generator_(std::move(generator)) {
  bind_memory();
  bind_calls();
}

PlanInstance::~PlanInstance() = default;

void PlanInstance::bind_memory() {
  const Program& program = plan_->program;
  arena_ = make_ref<Storage>(plan_->arena_bytes, context().stream);
  auto* base = static_cast<char*>(arena_->data());
  values_of_.resize(program.buffers.size());
  std::vector<Ref<Storage>> storages(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[i];
    if (buffer.kind == BufferKind::kBound)
      storages[i] = buffer.bound;
    else if (plan_->offsets[i] != kNotInArena)
      storages[i] =
          make_ref<Storage>(base + plan_->offsets[i], buffer.bytes, [arena = arena_](void*) {});
    else if (buffer.kind == BufferKind::kTemporary && buffer.bytes == 0 && !plan_->is_result[i])
      storages[i] = make_ref<Storage>(base, 0, [arena = arena_](void*) {});  // needs no place
    else
      storages[i] = make_ref<Storage>(Storage::Symbolic{}, buffer.bytes);  // given before a run
    if (plan_->is_result[i]) results_.push_back(static_cast<BufferId>(i));
  }
  std::vector<std::vector<size_t>> outputs_in(program.buffers.size());
  for (size_t i = 0; i < program.outputs.size(); ++i)
    outputs_in[static_cast<size_t>(program.buffer(program.outputs[i]))].push_back(i);
  for (const BufferId buffer : results_)
    handed_of_.push_back(std::move(outputs_in[static_cast<size_t>(buffer)]));
  for (size_t v = 0; v < program.values.size(); ++v) {
    const ProgramValue& value = program.values[v];
    tensors_.emplace_back(
        make_ref<TensorImpl>(value.meta, storages[static_cast<size_t>(value.buffer)]));
    values_of_[static_cast<size_t>(value.buffer)].push_back(static_cast<ValueId>(v));
  }
}

PlanInstance::Entry PlanInstance::entry_of(const ProgramNode& node) {
  const Program& program = plan_->program;
  Entry entry;
  entry.op = node.op;
  entry.kernel = node.op->kernels[static_cast<int>(context().stream.device().type())];
  OA_REQUIRE(entry.kernel != nullptr, node.op->name, ": no kernel for device ",
             context().stream.device());
  entry.attrs = node.attrs;
  entry.first_operand = operands_.size();
  entry.operand_count = node.in.size();
  entry.first_result = outs_.size();
  entry.result_count = node.out.size();
  entry.overlaps = node.in_place && overlaps(program, node);
  entry.plain = !entry.overlaps && (node.op->half || !touches_half(program, node));
  static const Tensor none;
  for (const ValueId value : node.in)
    operands_.push_back(value == kNoValue ? &none : &tensors_[static_cast<size_t>(value)]);
  for (const ValueId value : node.out) {
    outs_.push_back(tensors_[static_cast<size_t>(value)]);
    const ProgramBuffer& buffer = program.buffer_of(value);
    if (buffer.kind == BufferKind::kBound) written_.push_back(buffer.bound);
    if (buffer.kind == BufferKind::kInput && node.op->alias_of < 0)
      for (size_t i = 0; i < program.inputs.size(); ++i)
        if (program.buffer(program.inputs[i]) == program.buffer(value) &&
            !contains(changed_inputs_, i))
          changed_inputs_.push_back(i);
  }
  if (node.op->random) {
    entry.seed = seed_attr(*node.op);
    entry.draw = node.draw;
  }
  return entry;
}

void PlanInstance::bind_calls() {
  for (const PlanStep& step : plan_->steps) {
    if (!step.fused()) {
      entries_.push_back(entry_of(plan_->program.nodes[step.nodes[0]]));
      if (entries_.back().op->random) random_.push_back(entries_.size() - 1);
      continue;
    }
    Entry entry;
    fused_.push_back(fuse(step));
    entry.fused = fused_.back().get();
    entries_.push_back(std::move(entry));
  }
}

std::unique_ptr<FusedLoop> PlanInstance::fuse(const PlanStep& step) {
  std::vector<const Storage*> scratch(kFusedScratch);
  auto loop = std::make_unique<FusedLoop>(step.elements);
  for (const size_t index : step.nodes) {
    const ProgramNode& node = plan_->program.nodes[index];
    // A block may serve several buffers, one after the other.
    for (const auto& [buffer, block] : step.scratch)
      if (plan_->program.buffer(node.out[0]) == buffer)
        scratch[block] = tensors_[static_cast<size_t>(node.out[0])].impl().storage.get();
    const Entry entry = entry_of(node);
    const LoopProbe probe;
    entry.kernel(context().stream, entry.attrs,
                 Inputs(&operands_[entry.first_operand], entry.operand_count),
                 {&outs_[entry.first_result], entry.result_count});
    loop->add(node.op->name, probe, scratch);
  }
  return loop;
}

void PlanInstance::move(BufferId buffer, const Ref<Storage>& storage, int64_t offset) {
  const std::vector<ValueId>& values = values_of_[static_cast<size_t>(buffer)];
  const TensorImpl& first = tensors_[static_cast<size_t>(values[0])].impl();
  if (first.storage == storage &&
      first.meta.offset == plan_->program.meta(values[0]).offset + offset)
    return;
  for (const ValueId value : values) {
    TensorImpl& impl = tensors_[static_cast<size_t>(value)].impl();
    impl.storage = storage;
    impl.meta.offset = plan_->program.meta(value).offset + offset;
  }
}

void PlanInstance::give_inputs(std::span<const Tensor> inputs) {
  const Program& program = plan_->program;
  OA_REQUIRE(inputs.size() == program.inputs.size(), "graph: recorded with ", program.inputs.size(),
             " inputs, called with ", inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorMeta& meta = program.meta(program.inputs[i]);
    OA_REQUIRE(
        inputs[i].defined() && inputs[i].sizes() == meta.sizes && inputs[i].dtype() == meta.dtype,
        "graph: input ", i, " was recorded as ", meta.sizes, " ", name_of(meta.dtype));
    const TensorImpl& impl = inputs[i].impl();
    if (impl.contiguous) {
      move(program.buffer(program.inputs[i]), impl.storage, impl.meta.offset);
      continue;
    }
    const Tensor copy = contiguous_copy(context().stream, inputs[i]);
    move(program.buffer(program.inputs[i]), copy.impl().storage, copy.impl().meta.offset);
    if (contains(changed_inputs_, i)) copies_.emplace_back(i, copy);
  }
}

// What was changed in place is changed for the caller, as eagerly.
void PlanInstance::finish_writes(std::span<const Tensor> inputs) {
  for (const Ref<Storage>& storage : written_) storage->bump_version();
  for (const size_t input : changed_inputs_) inputs[input].impl().storage->bump_version();
  for (const auto& [input, copy] : copies_) copy_into(context().stream, inputs[input], copy);
  copies_.clear();
}

// Memory of the last run serves again where only this instance holds it.
void PlanInstance::give_results() {
  for (Tensor& handed : handed_)
    if (handed.use_count() > 1) handed.reset();
  for (size_t r = 0; r < results_.size(); ++r) {
    const BufferId buffer = results_[r];
    const std::vector<ValueId>& values = values_of_[static_cast<size_t>(buffer)];
    const Ref<Storage>& storage = tensors_[static_cast<size_t>(values[0])].impl().storage;
    size_t held = values.size();
    for (const size_t output : handed_of_[r])
      if (output < handed_.size() && handed_[output].defined() &&
          handed_[output].impl().storage == storage)
        ++held;
    if (!storage->symbolic() && storage->use_count() == held) {
      storage->bump_version();
      continue;
    }
    const size_t bytes = plan_->program.buffers[static_cast<size_t>(buffer)].bytes;
    move(buffer, make_ref<Storage>(bytes, context().stream), 0);
  }
}

void PlanInstance::hand_out(std::vector<Tensor>& results) {
  const std::vector<ValueId>& outputs = plan_->program.outputs;
  handed_.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorImpl& impl = tensors_[static_cast<size_t>(outputs[i])].impl();
    Tensor& handed = handed_[i];
    if (!handed.defined() || !is_untouched(handed.impl(), impl))
      handed = Tensor(make_ref<TensorImpl>(impl.meta, impl.storage));
    results.push_back(handed);
  }
}

void PlanInstance::draw() {
  const RngState now = generator_.state();
  const uint64_t first = generator_.reserve(plan_->program.draws);
  for (const size_t i : random_) {
    Entry& entry = entries_[i];
    entry.attrs.set(entry.seed, std::bit_cast<int64_t>(now.seed));
    entry.attrs.set(entry.seed + 1, std::bit_cast<int64_t>(now.stream));
    entry.attrs.set(entry.seed + 2, std::bit_cast<int64_t>(first + entry.draw));
  }
}

void PlanInstance::prepare(std::span<const Tensor> inputs) {
  copies_.clear();  // of a run that failed
  give_inputs(inputs);
  give_results();
  if (plan_->program.draws > 0) draw();
}

inline void PlanInstance::run_entry(const Entry& entry, Stream& stream) {
  if (entry.fused != nullptr) return entry.fused->run(stream);
  const Inputs in(&operands_[entry.first_operand], entry.operand_count);
  const std::span<Tensor> out(&outs_[entry.first_result], entry.result_count);
  if (entry.plain) [[likely]]
    entry.kernel(stream, entry.attrs, in, out);
  else
    run_call({*entry.op, in, entry.attrs, out, entry.overlaps}, stream);
}

void PlanInstance::run(std::span<const Tensor> inputs, std::vector<Tensor>& results) {
  results.clear();
  prepare(inputs);
  Stream& stream = context().stream;
  if (lane_ == nullptr && least_ == nullptr) [[likely]] {
    for (const Entry& entry : entries_) run_entry(entry, stream);
  } else {
    run_noted(stream);
  }
  finish_writes(inputs);
  hand_out(results);
}

void PlanInstance::run_noted(Stream& stream) {
  if (least_ != nullptr) least_->resize(entries_.size(), std::numeric_limits<double>::infinity());
  for (size_t i = 0; i < entries_.size(); ++i) {
    const int64_t begin = steady_ns();
    run_entry(entries_[i], stream);
    const int64_t end = steady_ns();
    if (lane_ != nullptr) lane_->add(step_names_[i], runs_, begin, end);
    if (least_ != nullptr)
      (*least_)[i] = std::min((*least_)[i], static_cast<double>(end - begin) * 1e-9);
  }
  ++runs_;
}

void PlanInstance::set_trace(Trace* trace, const std::string& lane) {
  lane_ = trace == nullptr ? nullptr : &trace->lane(lane);
  step_names_.clear();
  if (trace == nullptr) return;
  for (const PlanStep& step : plan_->steps)
    step_names_.push_back(trace->name(plan_->program.nodes[step.nodes[0]].op->name +
                                      std::string(step.fused() ? " ..." : "")));
}

std::vector<double> PlanInstance::time_steps(std::span<const Tensor> inputs, int runs) {
  std::vector<double> least(entries_.size());
  Stream& stream = context().stream;
  for (int run = 0; run < runs; ++run) {
    prepare(inputs);
    for (size_t i = 0; i < entries_.size(); ++i) {
      const int64_t begin = steady_ns();
      run_entry(entries_[i], stream);
      const double taken = seconds_since(begin);
      if (run == 0 || taken < least[i]) least[i] = taken;
    }
  }
  finish_writes(inputs);
  return least;
}

}  // namespace oneagent
