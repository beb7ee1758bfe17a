// The sum of two gradients of one value: the only arithmetic that the graph layer does itself.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

extern constinit const Op kAccumulate;

}  // namespace oneagent
