// A module's parameters and buffers as named arrays, and back.
#pragma once

#include <string>
#include <string_view>

#include "core/data/array_set.h"
#include "core/nn/module.h"

namespace oneagent {

// A copy of every parameter, then every buffer, under its dotted name, with `prefix` in front.
void add_module(const nn::Module& module, const std::string& prefix, ring::ArraySet& out);
ring::ArraySet save_module(const nn::Module& module);

// Copies into the module's own tensors. Error naming `what` and the tensor that is missing, left over, or of another shape or dtype; nothing has changed then.
void load_module(const nn::Module& module, const ring::ArraySet& arrays, std::string_view what, const std::string& prefix = "");

ring::Array array_of_tensor(const std::string& name, const Tensor& tensor);  // a copy
Tensor tensor_of_array(const ring::Array& array);                            // a copy

}  // namespace oneagent
