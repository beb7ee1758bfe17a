// Connectionist temporal classification (Graves et al. 2006).
#pragma once

#include <vector>

#include "core/base/array_ref.h"
#include "core/ops/loss.h"

namespace oneagent {

// log_probs [t, n, c] or [t, c]; targets [n, s] or all joined, without blanks; lengths [n]. Mean
// divides each loss by its target's length first. zero_infinity: targets that are too long for
// their input count 0 and pass no gradient. The gradient by log_probs is the derivative by each
// logarithm alone; PyTorch adds exp(log_probs) to it, which log_softmax takes away again.
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, const Tensor& input_lengths,
                const Tensor& target_lengths, int64_t blank = 0,
                int64_t reduction = Reduction::Mean, bool zero_infinity = false);
Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets, IntArrayRef input_lengths,
                IntArrayRef target_lengths, int64_t blank = 0, int64_t reduction = Reduction::Mean,
                bool zero_infinity = false);

}  // namespace oneagent
