#include "core/graph/tape.h"

#include <atomic>

#include "core/graph/node.h"
#include "core/graph/other_kind.h"
#include "core/graph/recorder.h"
#include "core/graph/stage.h"
#include "core/graph/view.h"

namespace oneagent {
namespace {

std::atomic<uint64_t> next_sequence{1};

bool wants_gradient(const Call& call) {
  if (call.op.vjp == nullptr || !context().grad_mode) return false;
  bool wanted = false;
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!call.in.has(i)) continue;
    TensorImpl& impl = call.in[i].impl();
    if (impl.view_base) refresh_view(impl);  // before the call's own node: later ones run first
    wanted = wanted || impl.requires_grad || impl.grad_fn ||
             (impl.view_base && impl.made_in != TensorImpl::Mode::kRecording &&
              call.in[i].requires_grad());
  }
  return wanted;
}

bool has_other_operand(const Call& call) {
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in.has(i) && is_other(call.op, call.in[i].impl())) return true;
  return false;
}

SavedTensor save(const Ref<TensorImpl>& impl) {
  OA_REQUIRE(
      !impl->inference,
      "Inference tensors cannot be saved for backward. To work around you can make a clone to "
      "get a normal tensor and use it in autograd.");
  return {impl, impl->version()};
}

// A view is saved without its base, whose history may come to hold the node. A leaf stays itself:
// gradients of gradients arrive there.
SavedTensor save_input(const Ref<TensorImpl>& impl) {
  if (!impl->view_base || (impl->requires_grad && !impl->grad_fn)) return save(impl);
  auto alone = make_ref<TensorImpl>(impl->meta, impl->storage);
  alone->parts = impl->parts;
  alone->grad_fn = impl->grad_fn;
  alone->output_index = impl->output_index;
  alone->versions = impl->versions;
  return save(alone);
}

// A result is saved without its grad_fn, which would keep the node alive through itself.
SavedTensor save_output(const Tensor& output) {
  auto alone = make_ref<TensorImpl>(output.impl().meta, output.impl().storage);
  alone->parts = output.impl().parts;
  alone->versions = output.impl().versions;
  return save(alone);
}

// An in-place call destroys its own saved operand, so that one is copied first.
SavedTensor save_before_overwrite(const Tensor& self) {
  Tensor copy = copy_of(self);
  copy.impl().grad_fn = self.impl().grad_fn;
  copy.impl().output_index = self.impl().output_index;
  return save(copy.ref());
}

Ref<TapeNode> make_node(const Call& call) {
  auto node = make_ref<TapeNode>(call.op, call.attrs);
  node->edges.resize(call.in.size());
  node->inputs.resize(call.in.size());
  for (size_t i = 0; i < call.in.size(); ++i) {
    node->edges[i] = edge_to(call.in[i]);
    const bool saves = i < 16 ? (call.op.saves & saves_input(static_cast<int>(i))) != 0
                              : (call.op.saves & kSavesAllInputs) == kSavesAllInputs;
    if (!saves || !call.in.has(i)) continue;
    const bool overwritten =
        call.in_place && call.in[i].impl().storage == call.in[0].impl().storage;
    node->inputs[i] =
        overwritten ? save_before_overwrite(call.in[i]) : save_input(call.in[i].ref());
  }
  return node;
}

void check_in_place(const Call& call) {
  const Tensor& self = call.in[0];
  OA_REQUIRE(!(self.impl().requires_grad && self.is_leaf()), call.op.name,
             ": a leaf Variable that requires grad is being used in an in-place operation; use "
             "NoGradGuard or a copy");
  const auto* node = static_cast<const TapeNode*>(self.impl().grad_fn.get());
  OA_REQUIRE(!self.impl().view_base || node == nullptr || node->output_count < 2, call.op.name,
             ": Output ", self.impl().output_index, " of ",
             node == nullptr ? std::string() : autograd::name_of_node(*node),
             " is a view and is being modified inplace. This view is the output of a function that "
             "returns multiple views. Such functions do not allow the output views to be modified "
             "inplace. You should replace the inplace operation by an out-of-place one.");
  if (self.impl().view_base && self.impl().made_in != TensorImpl::Mode::kRecording)
    throw_error(str(call.op.name, ": A view was created in ", mode_name(self.impl()),
                    " and is being modified inplace; change its base, or make the view in the mode "
                    "in which it is changed"));
  const TensorImpl* base = self.impl().view_base.get();
  OA_REQUIRE(base == nullptr || base->grad_fn || (!base->requires_grad && !self.requires_grad()),
             call.op.name,
             ": a view of a leaf Variable that requires grad is being used in an in-place "
             "operation; use NoGradGuard or a copy");
}

void attach(const Ref<TapeNode>& node, const Call& call) {
  node->output_count = call.out.size();
  node->outputs.resize(call.out.size());
  for (size_t i = 0; i < call.out.size(); ++i) {
    if ((call.op.saves & saves_output(static_cast<int>(i))) != 0)
      node->outputs[i] = save_output(call.out[i]);
    TensorImpl& impl = call.out[i].impl();
    if (!has_gradient(impl.meta.dtype)) continue;
    impl.grad_fn = Ref<GradNode>(node.get());
    impl.output_index = static_cast<uint32_t>(i);
  }
}

}  // namespace

Edge edge_to(const Tensor& input) {
  Edge edge;
  if (!input.defined()) return edge;
  TensorImpl& impl = input.impl();
  if (impl.view_base) refresh_view(impl);
  edge.sizes = impl.meta.sizes;
  edge.dtype = impl.meta.dtype;
  edge.index = impl.output_index;
  if (impl.grad_fn)
    edge.node = Ref<TapeNode>(static_cast<TapeNode*>(impl.grad_fn.get()));
  else if (impl.requires_grad)
    edge.leaf = input.ref();
  return edge;
}

TapeNode::TapeNode(const Op& node_op, const Attrs& node_attrs)
    : op(node_op),
      attrs(node_attrs),
      sequence(next_sequence.fetch_add(1, std::memory_order_relaxed)),
      position(recording_place().recorded) {}

// Long chains (a recurrent network over thousands of steps) are freed in a loop, not by recursion.
TapeNode::~TapeNode() {
  thread_local std::vector<Ref<TapeNode>> pending;
  thread_local std::vector<Ref<TensorImpl>> pending_tensors;
  thread_local bool draining = false;
  for (Edge& edge : edges)
    if (edge.node) pending.push_back(std::move(edge.node));
  for (SavedTensor& saved : inputs)
    if (saved.impl && saved.impl->grad_fn) pending_tensors.push_back(std::move(saved.impl));
  if (draining) return;
  draining = true;
  while (!pending.empty() || !pending_tensors.empty()) {
    if (!pending.empty()) {
      const Ref<TapeNode> last = std::move(pending.back());
      pending.pop_back();
    } else {
      const Ref<TensorImpl> last = std::move(pending_tensors.back());
      pending_tensors.pop_back();
    }
  }
  draining = false;
}

void TapeRecorder::record(const Call& call, size_t level) {
  if (!wants_gradient(call)) return dispatch(call, level - 1);
  if (has_other_operand(call)) [[unlikely]]
    return run_other_kind(call);
  if (call.in_place) check_in_place(call);
  const Ref<TapeNode> node = make_node(call);
  dispatch(call, level - 1);
  attach(node, call);
  if (call.in_place) changed_in_place(call.in[0]);
}

}  // namespace oneagent
