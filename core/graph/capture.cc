#include "core/graph/capture.h"

#include <atomic>

#include "core/graph/other_kind.h"
#include "core/graph/recompute.h"
#include "core/graph/recorded_gradient.h"
#include "core/graph/run.h"
#include "core/graph/stage.h"
#include "core/graph/view.h"
#include "core/tensor/global_parts.h"

namespace oneagent {
namespace {

std::atomic<uint64_t> next_serial{1};
thread_local Capture* capture_of_thread = nullptr;

uint64_t key_of(BufferId buffer, const TensorMeta& meta) {
  uint64_t key =
      static_cast<uint64_t>(buffer) * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(meta.offset);
  for (const int64_t size : meta.sizes) key = key * 31 + static_cast<uint64_t>(size);
  return key;
}

}  // namespace

Capture::Capture(Generator generator)
    : serial_(next_serial.fetch_add(1)), generator_(std::move(generator)) {
  place_ = &context().recorders[0];
  while (Recorder** below = (*place_)->below()) place_ = below;
  before_ = *place_;
  OA_REQUIRE(dynamic_cast<Capture*>(before_) == nullptr,
             "graph: another graph is being recorded in this thread; graphs cannot be nested");
  *place_ = this;
  capture_of_thread = this;
  first_draw_ = generator_.state();
  recording_place().recorded = 0;
}

// A recording that has failed has drawn nothing either.
Capture::~Capture() {
  if (!alive_) return;
  end();
  generator_.set_state(first_draw_);
}

void Capture::end() {
  if (!alive_) return;
  alive_ = false;
  *place_ = before_;
  capture_of_thread = nullptr;
  for (auto reached = reached_.rbegin(); reached != reached_.rend(); ++reached)
    reached->leaf->grad = reached->before;
  reached_.clear();
}

void note_recorded_gradient(TensorImpl& leaf) {
  if (capture_of_thread != nullptr)
    capture_of_thread->reached_.push_back({Ref<TensorImpl>(&leaf), leaf.grad});
}

Program Capture::finish() {
  end();
  program_.draws = generator_.state().position - first_draw_.position;
  generator_.set_state(first_draw_);  // recording has drawn nothing
  return std::move(program_);
}

Tensor Capture::symbolic(const TensorMeta& meta, BufferKind kind) {
  TensorMeta placed = meta;
  placed.strides = contiguous_strides(meta.sizes);
  placed.offset = 0;
  const size_t bytes = static_cast<size_t>(placed.sizes.numel()) * size_of(placed.dtype);
  auto storage =
      make_ref<Storage>(Storage::Symbolic{serial_ << 32 | program_.buffers.size()}, bytes);
  program_.buffers.push_back({kind, bytes, {}});
  return Tensor(make_ref<TensorImpl>(std::move(placed), std::move(storage)));
}

Tensor Capture::input(const Tensor& example) {
  OA_REQUIRE(example.defined() && !example.is_sparse(),
             "graph: inputs must be defined dense tensors");
  if (is_global(example)) return global_like(example, input(local_part(example)));
  const Tensor input = symbolic(example.impl().meta, BufferKind::kInput);
  program_.inputs.push_back(value_of(input));
  return input;
}

void Capture::output(const Tensor& result) {
  OA_REQUIRE(result.defined(), "graph: a result is undefined");
  program_.outputs.push_back(value_of(local_part(result)));
}

BufferId Capture::buffer_of(const Tensor& tensor) {
  const Ref<Storage>& storage = tensor.impl().storage;
  if (storage->symbolic() && storage->symbolic_id() != 0) {  // 0: a global tensor, taken as whole
    OA_REQUIRE(storage->symbolic_id() >> 32 == serial_,
               "graph: a tensor of another recording is used; its values are not known here");
    return static_cast<BufferId>(storage->symbolic_id() & 0xffffffff);
  }
  if (const auto found = bound_.find(storage.get()); found != bound_.end()) return found->second;
  const auto id = static_cast<BufferId>(program_.buffers.size());
  program_.buffers.push_back({BufferKind::kBound, storage->bytes(), storage});
  bound_.emplace(storage.get(), id);
  return id;
}

Tensor Capture::keep(const Tensor& symbolic) {
  if (is_global(symbolic)) return global_like(symbolic, keep(local_part(symbolic)));
  const TensorImpl& impl = symbolic.impl();
  ProgramBuffer& buffer = program_.buffers[static_cast<size_t>(buffer_of(symbolic))];
  if (buffer.kind != BufferKind::kTemporary) return keep(copy_of(symbolic));
  buffer.kind = BufferKind::kBound;
  buffer.bound = make_ref<Storage>(buffer.bytes, context().stream);
  return Tensor(make_ref<TensorImpl>(impl.meta, buffer.bound));
}

ValueId Capture::value_of(const Tensor& tensor) {
  if (!tensor.defined()) return kNoValue;
  OA_REQUIRE(!tensor.is_sparse(), "graph: sparse tensors cannot be recorded");
  const BufferId buffer = buffer_of(tensor);
  const TensorMeta& meta = tensor.impl().meta;
  std::vector<ValueId>& same = values_[key_of(buffer, meta)];
  for (const ValueId id : same)
    if (program_.buffer(id) == buffer && same_place(program_.meta(id), meta)) return id;
  const auto id = static_cast<ValueId>(program_.values.size());
  program_.values.push_back({buffer, meta});
  same.push_back(id);
  return id;
}

void Capture::record(const Call& call, size_t) {
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in.has(i) && is_other(call.op, call.in[i].impl())) return run_other_kind(call);
  absl::InlinedVector<const TensorMeta*, kMaxInputs> metas(call.in.size());
  bool strided = false;
  ProgramNode node;
  node.op = &call.op;
  node.attrs = call.attrs;
  node.in_place = call.in_place;
  node.recomputed = RecomputeScope::active();
  node.stage = recording_place().stage;
  node.forward = recording_place().forward;
  for (size_t i = 0; i < call.in.size(); ++i) {
    metas[i] = call.in.has(i) ? &call.in.meta(i) : nullptr;
    if (!call.in.has(i)) require_absent(call.op, i);
    strided |= call.in.has(i) && !call.in[i].impl().contiguous;
    node.in.push_back(value_of(call.in[i]));
  }
  Inferred inferred(call.op.name);
  call.op.infer(Metas(metas.data(), metas.size()), call.attrs, inferred);
  OA_CHECK(inferred.size() == call.out.size(), call.op.name, ": infers ", inferred.size(),
           " results, ", call.out.size(), " were asked for");
  if (call.op.random) {
    const size_t seed = seed_attr(call.op);
    const auto word = [&](size_t i) { return static_cast<uint64_t>(call.attrs.integer(seed + i)); };
    const uint64_t at = word(2);
    OA_REQUIRE(
        word(0) == first_draw_.seed && word(1) == first_draw_.stream && at >= first_draw_.position,
        call.op.name,
        ": draws from another generator than the graph's, which is the default one unless "
        "set_generator() names it");
    node.draw = at - first_draw_.position;
  }
  if (call.in_place) {
    const Tensor& self = call.in[0];
    OA_REQUIRE(call.op.in_place, call.op.name, ": cannot be done in place");
    OA_REQUIRE(inferred[0].sizes == self.sizes() && inferred[0].dtype == self.dtype(), call.op.name,
               ": the result of shape ", inferred[0].sizes, " and type ",
               name_of(inferred[0].dtype), " does not fit in place into ", self.sizes(), " ",
               name_of(self.dtype()));
    self.impl().bump_version();
    node.out.push_back(node.in[0]);
  } else if (call.op.alias_of >= 0) {
    const Tensor& base = call.in[static_cast<size_t>(call.op.alias_of)];
    for (size_t i = 0; i < inferred.size(); ++i) {
      call.out[i] = alias_of(base, inferred[i]);
      TensorImpl& view = call.out[i].impl();
      view.view_base = base.impl().view_base ? base.impl().view_base : base.ref();
      view.seen = view.view_base->changes;
      node.out.push_back(value_of(call.out[i]));
    }
  } else {
    for (size_t i = 0; i < inferred.size(); ++i) {
      TensorMeta meta;
      meta.sizes = inferred[i].sizes;
      meta.dtype = inferred[i].dtype;
      call.out[i] = symbolic(meta, BufferKind::kTemporary);
      if (strided && keeps_layout(call.op)) {
        TensorMeta laid_out = call.out[i].impl().meta;
        laid_out.strides = layout_of(Metas(metas.data(), metas.size()), meta.sizes);
        call.out[i] = Tensor(make_ref<TensorImpl>(laid_out, call.out[i].impl().storage));
      }
      node.out.push_back(value_of(call.out[i]));
    }
  }
  program_.nodes.push_back(std::move(node));
  recording_place().recorded = static_cast<int32_t>(program_.nodes.size());
}

}  // namespace oneagent
