// Classes as vectors of one 1 among zeros.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// int64 [...] -> int64 [..., num_classes]; -1: the largest index + 1.
Tensor one_hot(const Tensor& self, int64_t num_classes = -1);

}  // namespace oneagent
