#include "core/io/module_state.h"

#include <cstring>

#include "core/graph/context.h"

namespace oneagent {
namespace {

nn::Module::Named all_tensors(const nn::Module& module) {
  nn::Module::Named tensors = module.named_parameters();
  for (auto& entry : module.named_buffers()) tensors.push_back(std::move(entry));
  return tensors;
}

}  // namespace

ring::Array array_of_tensor(const std::string& name, const Tensor& tensor) {
  ring::MutableArray made = ring::make_array(name, tensor.dtype(), tensor.sizes());
  const NoGradGuard no_grad;
  const Tensor dense = tensor.detach().contiguous();
  if (dense.nbytes() > 0) std::memcpy(made.data, dense.data_ptr(), dense.nbytes());
  return std::move(made.array);
}

Tensor tensor_of_array(const ring::Array& array) {
  Tensor tensor = empty(array.shape, array.dtype);
  if (array.bytes() > 0) std::memcpy(tensor.data_ptr(), array.data, array.bytes());
  return tensor;
}

void add_module(const nn::Module& module, const std::string& prefix, ring::ArraySet& out) {
  for (const auto& [name, tensor] : all_tensors(module)) out.add(array_of_tensor(prefix + name, tensor));
}

ring::ArraySet save_module(const nn::Module& module) {
  ring::ArraySet out;
  add_module(module, "", out);
  return out;
}

void load_module(const nn::Module& module, const ring::ArraySet& arrays, std::string_view what, const std::string& prefix) {
  const nn::Module::Named tensors = all_tensors(module);
  size_t matching = 0;
  for (const ring::Array& array : arrays.arrays()) matching += array.name.starts_with(prefix) ? 1 : 0;
  for (const auto& [name, tensor] : tensors) {
    const ring::Array* array = arrays.find(prefix + name);
    OA_REQUIRE(array != nullptr, what, ": tensor ", prefix + name, " is missing; it was made for another network");
    OA_REQUIRE(array->shape == tensor.sizes() && array->dtype == tensor.dtype(), what, ": tensor ", prefix + name, " has shape ", array->shape, " ", name_of(array->dtype),
               ", this network needs ", tensor.sizes(), " ", name_of(tensor.dtype()));
  }
  OA_REQUIRE(matching == tensors.size(), what, ": holds ", matching, " tensors, this network has ", tensors.size(), "; it was made for another network");
  for (const auto& [name, tensor] : tensors) {
    const ring::Array& array = arrays.at(prefix + name);
    OA_CHECK(tensor.is_contiguous(), "module tensors are contiguous");
    if (array.bytes() > 0) std::memcpy(tensor.data_ptr(), array.data, array.bytes());
  }
}

}  // namespace oneagent
