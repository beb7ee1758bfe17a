// Binary search in sorted rows, and membership in small and large sets.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out (int64 or int32) has the shape of `values`; `sequence` is 1-d or has rows for those of
// `values`, in the order of `sorter` (int64, may be undefined).
void run_searchsorted(Stream& stream, const Tensor& out, const Tensor& sequence,
                      const Tensor& values, const Tensor& sorter, bool right);

// out (bool) has the shape of `elements`.
void run_isin(Stream& stream, const Tensor& out, const Tensor& elements, const Tensor& tests,
              bool invert);

}  // namespace oneagent
