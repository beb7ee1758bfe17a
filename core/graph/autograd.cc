#include "core/graph/autograd.h"

#include <algorithm>
#include <atomic>

#include "core/graph/accumulate.h"
#include "core/graph/loss_scale.h"
#include "core/graph/node.h"
#include "core/graph/recorded_gradient.h"
#include "core/graph/recorder.h"
#include "core/graph/stage.h"
#include "core/graph/tape.h"
#include "core/graph/view.h"
#include "core/kernels/copy.h"
#include "core/tensor/global_parts.h"
#include "core/tensor/sparse_parts.h"

namespace oneagent::autograd {
namespace {

std::atomic<uint64_t> next_mark{1};

Tensor unpack(const TapeNode& node, const SavedTensor& saved, const char* what) {
  OA_REQUIRE(
      !node.released, node.op.name,
      ": Trying to backward through the graph a second time; its saved values were freed. Specify "
      "retain_graph=true when calling backward or grad the first time.");
  OA_CHECK(saved.impl, node.op.name, ": its vjp asks for an ", what, " that it does not save");
  OA_REQUIRE(saved.impl->version() == saved.version, node.op.name, ": a saved ", what, " of shape ",
             saved.impl->meta.sizes,
             ", one of the variables needed for gradient computation, has been modified by an "
             "inplace operation: it is at version ",
             saved.impl->version(), "; expected version ", saved.version, " instead");
  return Tensor(saved.impl);
}

class NodeCall final : public VjpCall {
 public:
  explicit NodeCall(TapeNode& node) : node_(node), results_(node.edges.size()) {}

  const Attrs& attrs() const override { return node_.attrs; }
  size_t input_count() const override { return node_.edges.size(); }
  size_t output_count() const override { return node_.output_count; }
  const RefCounted* payload() const override { return node_.payload.get(); }
  std::string title() const override { return name_of_node(node_); }
  const Tensor& grad(size_t result) const override { return node_.grads[result]; }
  Tensor input(size_t i) const override {
    if (!node_.inputs[i].impl && !node_.released && !node_.edges[i].needed() &&
        node_.edges[i].sizes.empty())
      return {};
    return unpack(node_, node_.inputs[i], "input");
  }
  Tensor output(size_t i) const override {
    Tensor saved = unpack(node_, node_.outputs[i], "result");
    if (!context().grad_mode || !has_gradient(saved.dtype())) return saved;
    Tensor attached =
        saved.detach();  // a fresh handle, so that the saved one does not keep its own node alive
    attached.impl().grad_fn = Ref<GradNode>(&node_);
    attached.impl().output_index = static_cast<uint32_t>(i);
    return attached;
  }
  const Shape& input_sizes(size_t i) const override { return node_.edges[i].sizes; }
  DType input_dtype(size_t i) const override { return node_.edges[i].dtype; }
  bool needs(size_t i) const override { return node_.edges[i].needed(); }
  void set(size_t i, Tensor gradient) override {
    if (!needs(i)) return;
    OA_CHECK(gradient.sizes() == node_.edges[i].sizes, node_.op.name, ": gradient of input ", i,
             " has shape ", gradient.sizes(), ", the input has ", node_.edges[i].sizes);
    results_[i] = std::move(gradient);
  }

  std::span<Tensor> results() { return {results_.data(), results_.size()}; }

 private:
  TapeNode& node_;
  absl::InlinedVector<Tensor, 3> results_;
};

void accumulate(Tensor& into, Tensor gradient) {
  if (!into.defined())
    into = std::move(gradient);
  else
    into = call_op(kAccumulate, {&into, &gradient});
}

bool owned_alone(const Tensor& gradient) {
  return gradient.impl().use_count() == 1 && gradient.impl().storage->use_count() == 1 &&
         gradient.is_contiguous();
}

// A contiguous view of all of a base that nobody else holds becomes a tensor of its own.
void leave_base(Tensor& gradient) {
  TensorImpl& impl = gradient.impl();
  if (!impl.view_base || impl.use_count() != 1 || impl.view_base->use_count() != 1) return;
  if (impl.storage->use_count() != 2 || !impl.contiguous || impl.meta.offset != 0) return;
  if (static_cast<size_t>(impl.numel) * size_of(impl.meta.dtype) != impl.storage->bytes()) return;
  gradient = Tensor(make_ref<TensorImpl>(impl.meta, impl.storage));
}

// The values of a sparse gradient may be another's memory; the coordinates are never written to.
Tensor with_own_values(const Tensor& gradient) {
  const SparseParts& parts = sparse_parts(gradient);
  if (owned_alone(parts.values)) return gradient;
  return make_sparse(parts.indices, contiguous_copy(context().stream, parts.values),
                     gradient.sizes(), parts.coalesced);
}

Tensor after_hooks(const GradHooks& hooks, const Tensor& gradient) {
  Tensor changed = hooks.apply(gradient);
  if (changed.dtype() != gradient.dtype())
    throw std::runtime_error(str("hook has changed the type of value (was ", gradient.toString(),
                                 " got ", changed.toString(), ")"));
  return changed;
}

void accumulate_leaf(TensorImpl& leaf, Tensor gradient, bool create_graph) {
  if (leaf.parts || is_global(gradient)) [[unlikely]]
    gradient = global_hooks().placed_like(gradient, leaf);
  if (gradient.impl().storage && gradient.impl().storage->symbolic()) [[unlikely]]
    note_recorded_gradient(leaf);
  if (leaf.grad && is_global(gradient) && local_part(gradient).is_sparse()) [[unlikely]] {
    Tensor sum = local_part(Tensor(leaf.grad));
    accumulate(sum, local_part(gradient));
    leaf.grad = global_like(gradient, sum).ref();
    return;
  }
  if (leaf.grad && !gradient.is_sparse() && !leaf.grad->sparse) {
    const Tensor before(leaf.grad);
    OA_REQUIRE(before.sizes() == gradient.sizes(), "backward: the gradient of a tensor has shape ",
               gradient.sizes(), ", but its .grad was given shape ", before.sizes());
    if (before.dtype() != gradient.dtype()) gradient = gradient.to(before.scalar_type());
  }
  if (leaf.grad && !create_graph && !leaf.grad->sparse) {
    const Tensor before(leaf.grad);
    call_in_place(kAccumulate, {&before, &gradient});
    return;
  }
  if (leaf.grad) {
    Tensor sum(leaf.grad);
    accumulate(sum, std::move(gradient));
    leaf.grad = sum.ref();
    return;
  }
  if (!create_graph) leave_base(gradient);
  if (gradient.is_sparse()) [[unlikely]]
    gradient = with_own_values(gradient);
  else if (!create_graph && !owned_alone(gradient))
    gradient = copy_of(gradient);
  leaf.grad = gradient.ref();
}

// One value whose gradient is asked for instead of accumulated.
struct Capture {
  TapeNode* node = nullptr;
  TensorImpl* leaf = nullptr;
  uint32_t index = 0;
  Tensor gradient;
};

class Pass {
 public:
  Pass(bool retain_graph, bool create_graph, std::vector<Capture>* captures)
      : retain_graph_(retain_graph || create_graph),
        create_graph_(create_graph),
        captures_(captures),
        mark_(next_mark.fetch_add(1)),
        lowest_(lowest_of(captures)) {}

  void seed(const Tensor& output, Tensor gradient, size_t at);  // `at`: for errors
  void scale_by(LossScale* scale) { scale_ = scale; }
  void run();

 private:
  static uint64_t lowest_of(const std::vector<Capture>* captures);
  void visit(TapeNode* root);
  void mark_wanted();
  void run_node(TapeNode& node);
  void deliver(const oneagent::Edge& edge, Tensor gradient);
  void check_for_nan(const TapeNode& node, std::span<Tensor> results) const;
  void finish_leaf(const Ref<TensorImpl>& leaf, Tensor gradient);
  Capture* capture_of(const TapeNode* node, const TensorImpl* leaf, uint32_t index);

  LossScale* scale_ = nullptr;
  bool retain_graph_;
  bool create_graph_;
  std::vector<Capture>* captures_;
  uint64_t mark_;
  uint64_t lowest_;  // nodes recorded before this one lead to no capture
  std::vector<TapeNode*> nodes_;
  std::vector<TapeNode*> stack_;
  std::vector<Ref<TapeNode>> roots_;
  std::vector<std::pair<Ref<TensorImpl>, Tensor>> hooked_;
};

Capture* Pass::capture_of(const TapeNode* node, const TensorImpl* leaf, uint32_t index) {
  if (captures_ == nullptr) return nullptr;
  for (Capture& capture : *captures_)
    if (node != nullptr ? capture.node == node && capture.index == index : capture.leaf == leaf)
      return &capture;
  return nullptr;
}

// An edge leads to a node that was recorded earlier. The cut also lets a vjp call grad() on what it
// has just recorded: the nodes of the pass in progress, all older, are left alone.
uint64_t Pass::lowest_of(const std::vector<Capture>* captures) {
  if (captures == nullptr || captures->empty()) return 0;
  uint64_t lowest = ~uint64_t{0};
  for (const Capture& capture : *captures)
    lowest = std::min(lowest, capture.node != nullptr ? capture.node->sequence : 0);
  return lowest;
}

void Pass::visit(TapeNode* root) {
  stack_.push_back(root);
  while (!stack_.empty()) {
    TapeNode* node = stack_.back();
    stack_.pop_back();
    if (node->mark == mark_) continue;
    node->mark = mark_;
    node->wanted = true;
    node->grads.clear();
    node->grads.resize(node->output_count);
    nodes_.push_back(node);
    for (const oneagent::Edge& edge : node->edges)
      if (edge.node && edge.node->mark != mark_ && edge.node->sequence >= lowest_)
        stack_.push_back(edge.node.get());
  }
}

void Pass::seed(const Tensor& output, Tensor gradient, size_t at) {
  OA_REQUIRE(output.defined() && output.requires_grad(), "backward: element ", at,
             " of tensors does not require grad and does not have a grad_fn");
  if (!gradient.defined()) {
    OA_REQUIRE(
        output.numel() == 1,
        "backward: grad can be implicitly created only for scalar outputs, this one has shape ",
        output.sizes());
    OA_REQUIRE(!output.is_complex(),
               "backward: grad can be implicitly created only for real scalar "
               "outputs but got ",
               output.scalar_type());
    gradient = scale_ != nullptr ? scale_->seed(output.sizes())
                                 : empty_on(context().stream, output.sizes(), output.dtype());
    if (scale_ == nullptr) fill(context().stream, gradient, 1.0);
  }
  OA_REQUIRE(gradient.sizes() == output.sizes(),
             "backward: Mismatch in shape: the gradient has shape ", gradient.sizes(),
             " and the output has a shape of ", output.sizes());
  OA_REQUIRE(gradient.is_complex() == output.is_complex(),
             "backward: For complex Tensors, both the output and its gradient are required to have "
             "the same type; the gradient is ",
             gradient.scalar_type(), ", the output ", output.scalar_type());
  if (gradient.dtype() != output.dtype()) gradient = gradient.to(output.scalar_type());
  const TensorImpl& impl = output.impl();
  if (!impl.grad_fn) {
    deliver(oneagent::Edge{.node = {}, .leaf = output.ref()}, gradient);
    return;
  }
  auto* node = static_cast<TapeNode*>(impl.grad_fn.get());
  if (node->sequence < lowest_) return;
  roots_.emplace_back(node);
  visit(node);
  accumulate(node->grads[impl.output_index], gradient);
}

// With captures only the nodes on a path to one of them run.
void Pass::mark_wanted() {
  if (captures_ == nullptr) return;
  for (size_t i = nodes_.size(); i-- > 0;) {
    TapeNode& node = *nodes_[i];
    node.wanted = false;
    for (const oneagent::Edge& edge : node.edges) {
      if (edge.node &&
          (edge.node->wanted || capture_of(edge.node.get(), nullptr, edge.index) != nullptr))
        node.wanted = true;
      if (edge.leaf && capture_of(nullptr, edge.leaf.get(), 0) != nullptr) node.wanted = true;
    }
  }
}

void Pass::deliver(const oneagent::Edge& edge, Tensor gradient) {
  if (edge.node) {
    if (edge.node->mark == mark_) accumulate(edge.node->grads[edge.index], std::move(gradient));
    return;
  }
  if (scale_ != nullptr && !gradient.is_sparse()) gradient = scale_->unscale(gradient);
  if (edge.leaf->hooks) {  // hooks see the sum of what arrives, at the end
    Tensor* sum = nullptr;
    for (auto& [leaf, total] : hooked_)
      if (leaf == edge.leaf) sum = &total;
    if (sum == nullptr) sum = &hooked_.emplace_back(edge.leaf, Tensor()).second;
    return accumulate(*sum, std::move(gradient));
  }
  finish_leaf(edge.leaf, std::move(gradient));
}

void Pass::finish_leaf(const Ref<TensorImpl>& leaf, Tensor gradient) {
  if (captures_ == nullptr) return accumulate_leaf(*leaf, std::move(gradient), create_graph_);
  if (Capture* capture = capture_of(nullptr, leaf.get(), 0))
    accumulate(capture->gradient, std::move(gradient));
}

void Pass::check_for_nan(const TapeNode& node, std::span<Tensor> results) const {
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i].defined() || !results[i].is_floating_point()) continue;
    if (results[i].impl().storage->symbolic()) continue;  // no values yet
    Stream& stream = context().stream;
    const Tensor result = results[i].is_sparse() ? sparse_parts(results[i]).values : results[i];
    const Tensor wide = empty_on(stream, result.sizes(), DType::kFloat64);
    copy_into(stream, wide, result);
    for (const double value : wide.values<double>())
      if (value != value)
        throw std::runtime_error(str("Function '", name_of_node(node),
                                     "' returned nan values in its ", i, "th output."));
  }
}

void Pass::run_node(TapeNode& node) {
  bool any = false;
  for (uint32_t i = 0; i < node.grads.size(); ++i) {
    any = any || node.grads[i].defined();
    if (i < node.hooks.size() && node.hooks[i] && node.grads[i].defined()) {
      node.grads[i] = after_hooks(*node.hooks[i], node.grads[i]);
      if (node.hooks[i]->retains && captures_ == nullptr)
        node.hooks[i]->retained = node.grads[i].ref();
    }
    if (Capture* capture = capture_of(&node, nullptr, i);
        capture != nullptr && node.grads[i].defined())
      accumulate(capture->gradient, node.grads[i]);
  }
  if (any && node.wanted) {
    OA_REQUIRE(!node.released, node.op.name,
               ": Trying to backward through the graph a second time; its saved values were freed. "
               "Specify retain_graph=true when calling backward or grad the first time.");
    const GradientOfScope scope(node.position);
    NodeCall call(node);
    node.op.vjp(call);
    node.grads.clear();
    if (context().anomaly_mode) [[unlikely]]
      check_for_nan(node, call.results());
    for (size_t i = 0; i < node.edges.size(); ++i)
      if (Tensor& result = call.results()[i]; result.defined())
        deliver(node.edges[i], std::move(result));
  }
  node.grads.clear();
  const auto holds = [](const SavedTensor& saved) { return static_cast<bool>(saved.impl); };
  const bool saves = node.payload || std::any_of(node.inputs.begin(), node.inputs.end(), holds) ||
                     std::any_of(node.outputs.begin(), node.outputs.end(), holds);
  if (retain_graph_ || !saves) return;
  node.released = true;
  node.inputs.clear();
  node.outputs.clear();
  node.payload.reset();
}

void Pass::run() {
  const GradModeGuard guard(create_graph_);
  const LossScale::Running running(scale_);
  std::sort(nodes_.begin(), nodes_.end(),
            [](const TapeNode* a, const TapeNode* b) { return a->sequence > b->sequence; });
  mark_wanted();
  for (TapeNode* node : nodes_) run_node(*node);
  for (auto& [leaf, total] : hooked_)
    finish_leaf(leaf, after_hooks(static_cast<GradHooks&>(*leaf->hooks), total));
}

LossScale* scale_for(const std::vector<Tensor>& outputs, const std::vector<Tensor>& gradients) {
  LossScale* scale = LossScale::current();
  if (scale == nullptr || scale->running()) return scale;
  const auto given = [](const Tensor& gradient) { return gradient.defined(); };
  const auto full = [](const Tensor& output) {
    return output.defined() && output.dtype() == DType::kFloat32;
  };
  const bool fits = std::none_of(gradients.begin(), gradients.end(), given) &&
                    std::all_of(outputs.begin(), outputs.end(), full);
  return fits ? scale : nullptr;
}

void seed_all(Pass& pass, const std::vector<Tensor>& outputs,
              const std::vector<Tensor>& gradients) {
  OA_REQUIRE(gradients.empty() || gradients.size() == outputs.size(), "backward: ", outputs.size(),
             " outputs and ", gradients.size(), " gradients");
  for (size_t i = 0; i < outputs.size(); ++i)
    pass.seed(outputs[i], gradients.empty() ? Tensor() : gradients[i], i);
}

}  // namespace

namespace {

std::vector<Capture> captures_of(const char* what, const variable_list& inputs) {
  std::vector<Capture> captures;
  for (const Tensor& input : inputs) {
    OA_REQUIRE(input.defined() && input.requires_grad(), what,
               ": One of the differentiated Tensors does not require grad");
    TensorImpl& impl = input.impl();
    captures.push_back({static_cast<TapeNode*>(impl.grad_fn.get()),
                        impl.grad_fn ? nullptr : &impl,
                        impl.output_index,
                        {}});
  }
  return captures;
}

}  // namespace

void backward(const variable_list& outputs, const variable_list& gradients,
              std::optional<bool> retain_graph, bool create_graph, const variable_list& inputs) {
  if (inputs.empty()) {
    Pass pass(retain_graph.value_or(create_graph), create_graph, nullptr);
    pass.scale_by(scale_for(outputs, gradients));
    seed_all(pass, outputs, gradients);
    return pass.run();
  }
  const variable_list found =
      grad(outputs, inputs, gradients, retain_graph, create_graph, /*allow_unused=*/true);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (found[i].defined()) accumulate_leaf(inputs[i].impl(), found[i], create_graph);
}

variable_list grad(const variable_list& outputs, const variable_list& inputs,
                   const variable_list& gradients, std::optional<bool> retain_graph,
                   bool create_graph, bool allow_unused) {
  if (inputs.empty()) throw ValueError("grad: grad requires non-empty inputs.");
  std::vector<Capture> captures = captures_of("grad", inputs);
  Pass pass(retain_graph.value_or(create_graph), create_graph, &captures);
  seed_all(pass, outputs, gradients);
  pass.run();
  variable_list result;
  for (size_t i = 0; i < captures.size(); ++i) {
    OA_REQUIRE(captures[i].gradient.defined() || allow_unused,
               "grad: One of the differentiated Tensors (input ", i,
               ") appears to not have been used in the graph. Set allow_unused=True if this is the "
               "desired behavior.");
    result.push_back(captures[i].gradient);
  }
  return result;
}

}  // namespace oneagent::autograd
