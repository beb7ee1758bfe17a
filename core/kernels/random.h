// Random tensors from a Philox counter: element i uses block (offset + i) of the stream, so that
// any split gives the same numbers.
#pragma once

#include "core/base/rng.h"
#include "core/tensor/tensor.h"

namespace oneagent {

void run_uniform(Stream& stream, const Tensor& out, const RngState& at, double low,
                 double high);  // [low, high)
void run_normal(Stream& stream, const Tensor& out, const RngState& at, double mean,
                double deviation);
void run_random_ints(Stream& stream, const Tensor& out, const RngState& at, int64_t low,
                     int64_t high);  // low <= value < high

// One index per row of weights [rows, n] with probability weight / sum; int64 [rows, samples] with
// replacement.
void run_multinomial(Stream& stream, const Tensor& out, const Tensor& weights, const RngState& at);

}  // namespace oneagent
