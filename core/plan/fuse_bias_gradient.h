// The gradient of an activation and the sum over its rows, which is the gradient of the bias before
// it, become one call that reads and writes each element once.
#pragma once

#include "core/graph/program.h"

namespace oneagent {

void fuse_bias_gradients(Program& program);  // results stay the same, bit for bit

}  // namespace oneagent
