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
  OA_REQUIRE(x.requires_grad(),
             "register_hook: cannot register a hook on a variable that doesn't require gradient");
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
bool Tensor::view_requires_grad() const {
  if (impl_->made_in == TensorImpl::Mode::kRecording) return has_grad_fn();
  const TensorImpl& base = *impl_->view_base;
  return base.requires_grad || base.grad_fn;
}

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
             "requires_grad_: Only Tensors of floating point and complex dtype can require "
             "gradients, was ",
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
  OA_REQUIRE(defined(), "grad_fn: cannot call get_autograd_meta() on undefined tensor");
  return has_grad_fn() ? std::make_shared<autograd::Node>(impl_->grad_fn) : nullptr;
}

void Tensor::backward(const Tensor& gradient, std::optional<bool> retain_graph, bool create_graph,
                      std::optional<std::vector<Tensor>> inputs) const {
  OA_REQUIRE(!inputs || !inputs->empty(),
             "backward: 'inputs' argument to backward cannot be empty");
  autograd::backward({*this}, {gradient}, retain_graph, create_graph,
                     inputs.value_or(std::vector<Tensor>()));
}

Tensor& Tensor::detach_() const {
  OA_REQUIRE(!impl_->view_base, "detach_: Can't detach views in-place. Use detach() instead.");
  impl_->grad_fn.reset();
  impl_->requires_grad = false;
  return const_cast<Tensor&>(*this);
}

const Tensor& Tensor::_base() const {
  OA_REQUIRE(impl_->view_base, "_base: Can't get base of non-view Variable");
  return reinterpret_cast<const Tensor&>(impl_->view_base);
}

void Tensor::retain_grad() const {
  OA_REQUIRE(requires_grad(),
             "retain_grad: can't retain_grad on Tensor that has requires_grad=False");
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
  OA_REQUIRE(position < hooks.hooks.size(), "remove_hook: Invalid index, ", position, " out of ",
             hooks.hooks.size());
  hooks.hooks[position] = nullptr;
}

bool Tensor::is_inference() const { return defined() && impl_->inference; }

void Tensor::set_data(const Tensor& other) const {
  OA_REQUIRE(other.defined(), "set_data: the new data must be defined");
  OA_REQUIRE(!requires_grad() || has_gradient(other.dtype()),
             "set_data: data set to a tensor that requires gradients must be floating point or "
             "complex dtype, was ",
             other.scalar_type());
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

Tensor& Tensor::set_(const StorageHandle& source, int64_t storage_offset, const Shape& size,
                     const Shape& stride) const {
  TensorImpl& impl = checked();
  const Shape strides = stride.size() == size.size() ? stride : contiguous_strides(size);
  int64_t reach = size.numel() == 0 ? 0 : storage_offset + 1;
  for (size_t i = 0; i < size.size() && reach > 0; ++i) reach += (size[i] - 1) * strides[i];
  OA_REQUIRE(storage_offset >= 0 && static_cast<size_t>(reach) * element_size() <= source.nbytes(),
             "set_: sizes ", size, ", strides ", strides, " and offset ", storage_offset,
             " are out of bounds for a storage of ", source.nbytes(), " bytes");
  impl.storage = source;
  impl.versions.reset();
  impl.meta.sizes = size;
  impl.meta.strides = strides;
  impl.meta.offset = storage_offset;
  impl.numel = size.numel();
  impl.contiguous = oneagent::is_contiguous(impl.meta);
  impl.bump_version();
  return const_cast<Tensor&>(*this);
}
Tensor& Tensor::set_(const StorageHandle& source) const {
  return set_(source, 0, {static_cast<int64_t>(source.nbytes() / element_size())});
}
Tensor& Tensor::set_(const Tensor& source, int64_t storage_offset, const Shape& size,
                     const Shape& stride) const {
  OA_REQUIRE(source.scalar_type() == scalar_type(), "set_: a source of type ", source.scalar_type(),
             " for a tensor of ", scalar_type());
  return set_(source.storage(), storage_offset, size, stride);
}
Tensor& Tensor::set_() const {
  return set_(StorageHandle(empty_on(context().stream, {0}, dtype()).storage()), 0, {0});
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

Tensor Generator::get_state() const {
  const RngState now = state();
  const Tensor out = empty({static_cast<int64_t>(sizeof now)}, DType::kUInt8);
  std::memcpy(out.data_ptr(), &now, sizeof now);
  return out;
}
void Generator::set_state(const Tensor& bytes) {
  RngState saved;
  OA_REQUIRE(
      bytes.dtype() == DType::kUInt8 && bytes.is_contiguous() && bytes.nbytes() == sizeof saved,
      "generator: a state has ", sizeof saved, " bytes of type Byte, was ", bytes.scalar_type(),
      ' ', bytes.sizes());
  std::memcpy(&saved, bytes.data_ptr(), sizeof saved);
  set_state(saved);
}

Tensor Tensor::cuda() const { return to(TensorOptions(kCUDA)); }

Tensor Tensor::operator[](int64_t index) const { return oneagent::select(*this, 0, index); }
Tensor Tensor::operator[](Scalar index) const {
  OA_REQUIRE(index.isIntegral(), "operator[]: Can only index tensors with integral scalars, was ",
             index);
  return oneagent::select(*this, 0, index.integer());
}
Tensor Tensor::operator[](const Tensor& index) const {
  OA_REQUIRE(
      index.dim() == 0 && !index.is_floating_point(),
      "operator[]: Can only index with tensors that are scalars (zero-dim) of integers; was of "
      "shape ",
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
