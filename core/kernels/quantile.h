// Elements of sorted rows between ranks.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

enum class Interpolation : uint8_t { kLinear, kLower, kHigher, kMidpoint, kNearest };

// For each sorted row and each q: the two elements around rank q (n - 1), as int64 places, and the
// weight of the upper one. Rows with NaN have the last element, or with ignore_nan only count the
// others. Results are [rows, q].
void run_quantile_places(Stream& stream, const Tensor& below, const Tensor& above,
                         const Tensor& weights, const Tensor& sorted, const Tensor& q,
                         Interpolation interpolation, bool ignore_nan);

}  // namespace oneagent
