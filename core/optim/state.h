// Saving and restoring optimizers as named arrays; strict, see Optimizer::load_state().
#pragma once

#include "core/data/array_set.h"
#include "core/optim/optimizer.h"

namespace oneagent::optim {

ring::ArraySet state_of(const Optimizer& optimizer);  // copies of all that it remembers
void load_state(Optimizer& optimizer, const ring::ArraySet& state);

}  // namespace oneagent::optim
