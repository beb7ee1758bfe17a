#include "core/optim/state.h"

#include "core/io/arrays.h"

namespace oneagent::optim {

ring::ArraySet state_of(const Optimizer& optimizer) {
  ring::ArraySet out;
  for (const NamedState& entry : optimizer.named_state())
    out.add(io::array_from(entry.name, entry.tensor));
  return out;
}

void load_state(Optimizer& optimizer, const ring::ArraySet& state) {
  std::vector<NamedState> named;
  for (const ring::Array& array : state.arrays())
    named.push_back({array.name, io::tensor_over(array)});
  optimizer.load_state(named);
}

}  // namespace oneagent::optim
