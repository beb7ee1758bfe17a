#include "core/nn/state.h"

#include "core/graph/context.h"
#include "core/io/arrays.h"
#include "core/kernels/copy.h"
#include "core/tensor/global_parts.h"

namespace oneagent::nn {

ring::ArraySet state_of(const Module& module) {
  ring::ArraySet out;
  for (const auto& entry : module.named_state()) out.add(io::array_from(entry.name, entry.tensor));
  return out;
}

void load_state(Module& module, const ring::ArraySet& from) {
  const auto state = module.named_state();
  const std::string& what = module.name();
  for (const auto& entry : state) {
    const ring::Array* array = from.find(entry.name);
    OA_REQUIRE(array != nullptr, what, ": the saved state has no \"", entry.name,
               "\"; it belongs to another network");
    OA_REQUIRE(array->dtype == entry.tensor.dtype() && array->shape == entry.tensor.sizes(), what,
               ": \"", entry.name, "\" was saved as ", array->shape, " ", name_of(array->dtype),
               ", expected ", entry.tensor.sizes(), " ", name_of(entry.tensor.dtype()));
  }
  for (const ring::Array& array : from.arrays()) {
    bool known = false;
    for (const auto& entry : state) known = known || entry.name == array.name;
    OA_REQUIRE(known, what, ": the saved state holds \"", array.name,
               "\", which is not expected; it belongs to another network");
  }
  for (const auto& entry : state) {
    Tensor saved = io::tensor_over(from.at(entry.name));
    if (is_global(entry.tensor))
      saved = local_part(global_hooks().placed_like(saved, entry.tensor.impl()));
    copy_into(context().stream, local_part(entry.tensor), saved);
    entry.tensor.impl().bump_version();
  }
}

}  // namespace oneagent::nn
