// The methods of Tensor that are not made from a function of core/ops.
#include <iostream>

#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/node.h"
#include "core/graph/tape.h"
#include "core/graph/view.h"
#include "core/kernels/copy.h"
#include "core/ops/ops.h"
#include "core/tensor/hooks.h"

namespace oneagent {
namespace {

GradHooks& hooks_of(const Tensor& x) {
  TensorImpl& impl = x.impl();
  OA_REQUIRE(x.requires_grad(), "register_hook: the tensor does not require a gradient");
  if (!impl.hooks) impl.hooks = Ref<RefCounted>(new GradHooks());
  auto& hooks = static_cast<GradHooks&>(*impl.hooks);
  if (impl.grad_fn) {
    auto& node = static_cast<TapeNode&>(*impl.grad_fn);
    node.hooks.resize(std::max<size_t>(node.hooks.size(), impl.output_index + 1));
    node.hooks[impl.output_index] = Ref<GradHooks>(&hooks);
  }
  return hooks;
}

}  // namespace

bool Tensor::has_grad_fn() const {
  if (impl_->view_base) refresh_view(*impl_);
  return static_cast<bool>(impl_->grad_fn);
}
bool Tensor::view_requires_grad() const { return has_grad_fn(); }

Tensor& Tensor::requires_grad_(bool on) const {
  if (!is_leaf() && !on)
    throw std::runtime_error(
        "you can only change requires_grad flags of leaf variables. If you want to use a computed "
        "variable in a subgraph that doesn't require differentiation use var_no_grad = "
        "var.detach().");
  OA_REQUIRE(
      !on || !impl_->inference || context().inference_mode,
      "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  OA_REQUIRE(!on || !is_sparse(), "requires_grad_: the values of a sparse tensor have gradients");
  OA_REQUIRE(!on || has_gradient(dtype()),
             "requires_grad_: only floating and complex tensors have gradients, was ",
             name_of(dtype()));
  if (!impl_->grad_fn) impl_->requires_grad = on;
  return const_cast<Tensor&>(*this);
}

// A leaf's gradient lives in its TensorImpl; one that is retained beside the node's hooks.
Tensor& Tensor::mutable_grad() const {
  static_assert(sizeof(Tensor) == sizeof(Ref<TensorImpl>));
  TensorImpl& impl = checked();
  const bool retained = impl.grad_fn && impl.hooks;
  return reinterpret_cast<Tensor&>(retained ? static_cast<GradHooks&>(*impl.hooks).retained
                                            : impl.grad);
}

std::shared_ptr<autograd::Node> Tensor::grad_fn() const {
  return has_grad_fn() ? std::make_shared<autograd::Node>(impl_->grad_fn) : nullptr;
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<std::vector<Tensor>> inputs) const {
  autograd::backward({*this}, {gradient}, retain_graph, create_graph,
                     inputs.value_or(std::vector<Tensor>()));
}

Tensor& Tensor::detach_() const {
  OA_REQUIRE(!impl_->view_base, "detach_: a view cannot be detached in place; use detach()");
  impl_->grad_fn.reset();
  impl_->requires_grad = false;
  return const_cast<Tensor&>(*this);
}

const Tensor& Tensor::_base() const {
  OA_REQUIRE(impl_->view_base, "_base: the tensor is no view of another");
  return reinterpret_cast<const Tensor&>(impl_->view_base);
}

void Tensor::retain_grad() const {
  OA_REQUIRE(requires_grad(), "retain_grad: the tensor does not require a gradient");
  if (!is_leaf()) hooks_of(*this).retains = true;
}
bool Tensor::retains_grad() const {
  return !is_leaf() && impl_->hooks && static_cast<GradHooks&>(*impl_->hooks).retains;
}

unsigned Tensor::add_hook(std::function<Tensor(const Tensor&)> hook) const {
  GradHooks& hooks = hooks_of(*this);
  hooks.hooks.push_back(std::move(hook));
  return static_cast<unsigned>(hooks.hooks.size() - 1);
}
void Tensor::remove_hook(unsigned position) const {
  GradHooks& hooks = hooks_of(*this);
  OA_REQUIRE(position < hooks.hooks.size(), "remove_hook: there is no hook ", position);
  hooks.hooks[position] = nullptr;
}

bool Tensor::is_inference() const { return checked().inference; }

void Tensor::set_data(const Tensor& other) const {
  OA_REQUIRE(other.defined(), "set_data: the new data must be defined");
  TensorImpl& impl = checked();
  impl.meta = other.impl().meta;
  impl.storage = other.impl().storage;
  impl.parts = other.impl().parts;
  impl.numel = other.numel();
  impl.contiguous = other.is_contiguous();
  if (impl.sparse || other.is_sparse()) impl.hooks = other.impl().hooks;
  impl.sparse = other.is_sparse();
}
Tensor& Tensor::set_(const Tensor& source) const {
  set_data(source);
  return const_cast<Tensor&>(*this);
}

// Elements keep their order in memory; new ones are not initialised.
Tensor& Tensor::resize_(const Shape& sizes, std::optional<MemoryFormat> format) const {
  TensorImpl& impl = checked();
  OA_REQUIRE(!requires_grad(), "resize_: a tensor that requires a gradient cannot be resized");
  const TensorMeta now = {sizes, strides_of(format.value_or(MemoryFormat::Contiguous), sizes),
                          impl.meta.offset, impl.meta.dtype, impl.meta.device};
  const size_t wanted = static_cast<size_t>(impl.meta.offset + sizes.numel()) * element_size();
  if (wanted > impl.storage->bytes()) {
    Stream& stream = context().stream;
    const Tensor larger = empty_on(stream, {impl.meta.offset + sizes.numel()}, dtype());
    if (impl.storage->bytes() > 0)
      std::memcpy(larger.data_ptr(), impl.storage->data(), impl.storage->bytes());
    impl.storage = larger.storage();
  }
  impl.meta = now;
  impl.numel = sizes.numel();
  impl.contiguous = oneagent::is_contiguous(impl.meta);
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::resize_as_(const Tensor& other, std::optional<MemoryFormat> format) const {
  return resize_(other.sizes(), format);
}

Tensor Tensor::cuda() const { return to(TensorOptions(kCUDA)); }

Tensor Tensor::operator[](int64_t index) const { return oneagent::select(*this, 0, index); }
Tensor Tensor::operator[](Scalar index) const {
  OA_REQUIRE(index.isIntegral(), "operator[]: only integers can be an index, was ", index);
  return oneagent::select(*this, 0, index.integer());
}
Tensor Tensor::operator[](const Tensor& index) const {
  OA_REQUIRE(index.dim() == 0 && !index.is_floating_point(),
             "operator[]: can only index with tensors that are scalars, of integers; was of shape ",
             index.sizes());
  return oneagent::select(*this, 0, index.item<int64_t>());
}

Tensor Tensor::operator-() const { return oneagent::neg(*this); }
Tensor Tensor::operator~() const { return oneagent::bitwise_not(*this); }

void Tensor::print() const {
  if (defined())
    std::cerr << '[' << toString() << ' ' << sizes() << ']' << '\n';
  else
    std::cerr << "[UndefinedTensor]" << '\n';
}

Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
Tensor operator*(Scalar a, const Tensor& b) { return mul(b, a); }
Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }
Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
Tensor operator%(Scalar a, const Tensor& b) { return remainder(a, b); }
Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }
Tensor operator&(const Tensor& a, Scalar b) { return bitwise_and(a, b); }
Tensor operator&(Scalar a, const Tensor& b) { return bitwise_and(b, a); }
Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }
Tensor operator|(const Tensor& a, Scalar b) { return bitwise_or(a, b); }
Tensor operator|(Scalar a, const Tensor& b) { return bitwise_or(b, a); }
Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }
Tensor operator^(const Tensor& a, Scalar b) { return bitwise_xor(a, b); }
Tensor operator^(Scalar a, const Tensor& b) { return bitwise_xor(b, a); }
Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
Tensor operator==(Scalar a, const Tensor& b) { return eq(b, a); }
Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
Tensor operator!=(Scalar a, const Tensor& b) { return ne(b, a); }
Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
Tensor operator<(Scalar a, const Tensor& b) { return gt(b, a); }
Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
Tensor operator<=(Scalar a, const Tensor& b) { return ge(b, a); }
Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
Tensor operator>(Scalar a, const Tensor& b) { return lt(b, a); }
Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }
Tensor operator>=(Scalar a, const Tensor& b) { return le(b, a); }
Tensor operator!(const Tensor& a) { return logical_not(a); }

}  // namespace oneagent
