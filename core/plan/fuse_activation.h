// A linear layer without an activation and the activation that follows it become one call: the
// activation is taken while the product is in registers or cache.
#pragma once

#include "core/graph/program.h"

namespace oneagent {

void fuse_activations(Program& program);  // results stay the same, bit for bit

}  // namespace oneagent
