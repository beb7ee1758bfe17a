// Saving and restoring modules and optimizers as named arrays. Restoring is strict: names, dtypes
// and shapes must match one to one; an Error names the first difference and nothing is changed.
#pragma once

#include "core/data/array_set.h"
#include "core/nn/module.h"
#include "core/optim/optimizer.h"

namespace oneagent::io {

ring::ArraySet state_of(const nn::Module& module);           // copies of parameters, then buffers
ring::ArraySet state_of(const optim::Optimizer& optimizer);  // copies of all that it remembers
void load_state(nn::Module& module, const ring::ArraySet& state);
void load_state(optim::Optimizer& optimizer, const ring::ArraySet& state);

}  // namespace oneagent::io
