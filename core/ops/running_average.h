// Running statistics of batch normalisation, moved in place: running = (1 - momentum) running +
// momentum batch. No gradient is recorded.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

void running_mean_(const Tensor& running, const Tensor& batch, double momentum);
// batch = (rstd^-2 - eps) correction, at least 0: the variance from 1 / sqrt(variance + eps).
void running_var_(const Tensor& running, const Tensor& rstd, double momentum, double eps,
                  double correction);

}  // namespace oneagent
