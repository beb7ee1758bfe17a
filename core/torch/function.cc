#include "core/torch/function.h"

#include <cxxabi.h>

#include "core/graph/view.h"
#include "core/ops/ops.h"

namespace oneagent::autograd {
namespace {

bool holds(const variable_list& list, const Tensor& x) {
  for (const Tensor& entry : list)
    if (entry.is_same(x)) return true;
  return false;
}

// A gradient of the input's type, and summed to its shape where it was broadcast.
Tensor fitted(const std::string& name, size_t at, const Tensor& gradient, const TensorMeta& input) {
  if (!gradient.defined() || gradient.is_sparse()) return gradient;
  Tensor out = gradient;
  if (out.sizes() != input.sizes) {
    const Shape& sizes = out.sizes();
    bool expands = sizes.size() >= input.sizes.size();
    for (size_t i = 0; expands && i < input.sizes.size(); ++i) {
      const int64_t own = input.sizes[input.sizes.size() - 1 - i];
      expands = own == 1 || own == sizes[sizes.size() - 1 - i];
    }
    OA_REQUIRE(expands, "Function ", name, " returned an invalid gradient at index ", at, " - got ",
               sizes, " but expected shape compatible with ", input.sizes);
    out = sum_to_size(out, input.sizes);
  }
  return out.scalar_type() == input.dtype ? out : out.to(input.dtype);
}

}  // namespace

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 ? text : name;
  std::free(text);
  return "torch::autograd::CppNode<" + out + ">";
}

void AutogradContext::save_for_backward(variable_list to_save) { to_save_ = std::move(to_save); }
void AutogradContext::mark_dirty(const variable_list& inputs) { dirty_ = inputs; }
void AutogradContext::mark_non_differentiable(const variable_list& outputs) {
  non_differentiable_ = outputs;
}

variable_list AutogradContext::get_saved_variables() const {
  OA_REQUIRE(!released_,
             "function: Trying to backward through the graph a second time; its saved values were "
             "freed. Specify retain_graph=true when calling backward or grad the first time.");
  variable_list out;
  for (const Saved& saved : saved_) {
    if (!saved.tensor.defined()) {
      out.emplace_back();
      continue;
    }
    OA_REQUIRE(saved.tensor.version() == saved.version, "function: a saved tensor of shape ",
               saved.tensor.sizes(),
               ", one of the variables needed for gradient computation, has been modified by an "
               "inplace operation: it is at version ",
               saved.tensor.version(), "; expected version ", saved.version, " instead");
    if (saved.output < 0 || node_ == nullptr) {
      out.push_back(saved.tensor);
      continue;
    }
    Tensor attached = saved.tensor.detach();  // a handle that the node itself does not own
    attached.impl().grad_fn = Ref<GradNode>(node_);
    attached.impl().output_index = static_cast<uint32_t>(saved.output);
    out.push_back(std::move(attached));
  }
  return out;
}

variable_list finish_function(
    std::shared_ptr<AutogradContext> context, std::string name, const variable_list& inputs,
    const std::vector<bool>& is_tensor, variable_list outputs,
    std::function<variable_list(AutogradContext*, const variable_list&)> backward) {
  AutogradContext& ctx = *context;
  const variable_list made = outputs;
  for (const Tensor& input : ctx.dirty_)
    OA_REQUIRE(
        holds(outputs, input),
        "function: Some elements marked as dirty during the forward method were not returned "
        "as output. The inputs that are modified inplace must all be outputs of the "
        "Function.");
  bool recorded = oneagent::context().grad_mode;
  bool any = false;
  for (const Tensor& input : inputs) any = any || (input.defined() && input.requires_grad());
  recorded = recorded && any;
  for (Tensor& output : outputs) {
    if (!output.defined()) continue;
    if (holds(ctx.dirty_, output)) {
      output.impl().bump_version();
      OA_REQUIRE(!recorded || !(output.is_leaf() && output.requires_grad()),
                 "function: a leaf Variable that requires grad has been used in an in-place "
                 "operation.");
    } else if (recorded && holds(inputs, output)) {
      output = output.detach();  // a result of its own
    }
  }
  if (!recorded) return outputs;

  std::vector<TensorMeta> metas;
  for (const Tensor& output : outputs)
    metas.push_back(output.defined() ? output.impl().meta : TensorMeta());
  variable_list attached = outputs;
  for (size_t i = 0; i < attached.size(); ++i)
    if (holds(ctx.non_differentiable_, made[i])) attached[i] = Tensor();

  AutogradContext* const raw = context.get();
  std::vector<TensorMeta> wanted;
  for (const Tensor& input : inputs)
    wanted.push_back(input.defined() ? input.impl().meta : TensorMeta());
  const auto run = [context, metas, wanted, is_tensor, backward = std::move(backward),
                    name](const variable_list& gradients) {
    variable_list given = gradients;
    for (size_t i = 0; i < given.size() && context->materialize_grads_; ++i)
      if (!given[i].defined()) given[i] = zeros(metas[i].sizes, metas[i].dtype);
    const variable_list all = backward(context.get(), given);
    bool fits = all.size() >= is_tensor.size();  // more of them must be undefined
    for (size_t i = is_tensor.size(); i < all.size(); ++i) fits = fits && !all[i].defined();
    if (!fits)
      throw std::runtime_error(str("function ", name,
                                   " returned an incorrect number of gradients (expected ",
                                   is_tensor.size(), ", got ", all.size(), ")"));
    variable_list out;
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < is_tensor.size() && is_tensor[i])
        out.push_back(fitted(name, out.size(), all[i], wanted[out.size()]));
      else
        OA_REQUIRE(!all[i].defined(), "function ", name, ": returned a gradient at position ", i,
                   ", but the corresponding forward input was not a tensor");
    }
    return out;
  };
  raw->node_ = attach_custom(name, inputs, attached, run, [context] {
    context->released_ = true;
    context->node_ = nullptr;
    context->saved_.clear();
  });
  for (const Tensor& output : outputs)
    if (output.defined() && holds(ctx.dirty_, output)) changed_in_place(output);
  for (const Tensor& tensor : ctx.to_save_) {
    AutogradContext::Saved saved;
    for (size_t i = 0; i < made.size(); ++i)
      if (tensor.defined() && tensor.is_same(made[i])) saved.output = static_cast<int>(i);
    const bool own = saved.output >= 0 && attached[static_cast<size_t>(saved.output)].defined();
    if (!own) saved.output = -1;
    saved.tensor = own ? tensor.detach() : tensor;
    if (tensor.defined()) saved.version = tensor.version();
    ctx.saved_.push_back(std::move(saved));
  }
  ctx.to_save_.clear();
  return outputs;
}

}  // namespace oneagent::autograd
