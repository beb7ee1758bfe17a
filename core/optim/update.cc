#include "core/optim/update.h"

#include "core/kernels/copy.h"
#include "core/ops/ops.h"

namespace oneagent::optim {

Tensor zero_state(const Tensor& parameter) {
  return zeros(local_part(stepped_part(parameter)).sizes(),
               is_half(parameter.dtype()) ? DType::kFloat32 : DType(parameter.dtype()));
}

void UpdateCall::copy(const Tensor& parameter, const Tensor& gradient,
                      std::initializer_list<const Tensor*> state, cpu::UpdateArrays& arrays) {
  OA_REQUIRE(gradient.sizes() == parameter.sizes() && gradient.dtype() == parameter.dtype(),
             "optimizer: a gradient of shape ", gradient.sizes(), " ", name_of(gradient.dtype()),
             " for a parameter of shape ", parameter.sizes(), " ", name_of(parameter.dtype()));
  const DType dtype = is_half(parameter.dtype()) ? DType::kFloat32 : DType(parameter.dtype());
  const auto flat = [&](const Tensor& tensor) {
    OA_REQUIRE(tensor.sizes() == parameter.sizes(), "optimizer: state of shape ", tensor.sizes(),
               " for a parameter of shape ", parameter.sizes());
    const Tensor same = to(tensor.detach(), dtype).contiguous();
    if (!same.is_alias_of(tensor)) copies_.push_back({tensor.detach(), same});
    return same.data_ptr();
  };
  arrays.parameter = flat(parameter);
  gradient_ = to(gradient.detach(), dtype).contiguous();
  arrays.gradient = gradient_.data_ptr();
  arrays.n = parameter.is_complex() ? 2 * parameter.numel() : parameter.numel();
  size_t i = 0;
  for (const Tensor* tensor : state)
    arrays.state[i++] = tensor->defined() ? flat(*tensor) : nullptr;
}

void UpdateCall::write_back() const {
  for (const Copy& copy : copies_) copy_into(context().stream, copy.original, copy.flat);
}

}  // namespace oneagent::optim
