// Saving and restoring modules as named arrays. Restoring is strict: names, dtypes and shapes must
// match one to one; an Error names the first difference and nothing is changed.
#pragma once

#include "core/data/array_set.h"
#include "core/nn/module.h"

namespace oneagent::nn {

ring::ArraySet state_of(const Module& module);  // copies of parameters, then buffers
void load_state(Module& module, const ring::ArraySet& state);

}  // namespace oneagent::nn
