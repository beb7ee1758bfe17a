#include "core/io/state.h"

#include "core/graph/context.h"
#include "core/io/arrays.h"
#include "core/kernels/copy.h"

namespace oneagent::io {
namespace {

template <class Named>
ring::ArraySet save(const std::vector<Named>& state) {
  ring::ArraySet out;
  for (const Named& entry : state) out.add(array_from(entry.name, entry.tensor));
  return out;
}

template <class Named>
void load(const std::vector<Named>& state, const ring::ArraySet& from, const char* what) {
  for (const Named& entry : state) {
    const ring::Array* array = from.find(entry.name);
    OA_REQUIRE(array != nullptr, what, ": the saved state has no \"", entry.name,
               "\"; it belongs to another network");
    OA_REQUIRE(array->dtype == entry.tensor.dtype() && array->shape == entry.tensor.sizes(), what,
               ": \"", entry.name, "\" was saved as ", array->shape, " ", name_of(array->dtype),
               ", expected ", entry.tensor.sizes(), " ", name_of(entry.tensor.dtype()));
  }
  for (const ring::Array& array : from.arrays()) {
    bool known = false;
    for (const Named& entry : state) known = known || entry.name == array.name;
    OA_REQUIRE(known, what, ": the saved state holds \"", array.name,
               "\", which is not expected; it belongs to another network");
  }
  for (const Named& entry : state) {
    copy_into(context().stream, entry.tensor, tensor_over(from.at(entry.name)));
    entry.tensor.impl().storage->bump_version();
  }
}

}  // namespace

ring::ArraySet state_of(const nn::Module& module) { return save(module.named_state()); }
ring::ArraySet state_of(const optim::Optimizer& optimizer) { return save(optimizer.named_state()); }
void load_state(nn::Module& module, const ring::ArraySet& state) {
  load(module.named_state(), state, module.name().c_str());
}
void load_state(optim::Optimizer& optimizer, const ring::ArraySet& state) {
  std::vector<optim::NamedState> named;
  for (const ring::Array& array : state.arrays()) named.push_back({array.name, tensor_over(array)});
  optimizer.load_state(named);
}

}  // namespace oneagent::io
