// What the files of losses share.
#pragma once

#include "core/ops/loss.h"

namespace oneagent {

Tensor reduced(const Tensor& loss, int64_t reduction);  // loss, or its mean, or its sum
void require_reduction(const char* op, int64_t reduction);

}  // namespace oneagent
