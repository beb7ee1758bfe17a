// Elements by rank along one dimension: the k largest, the k-th smallest, the median, the most
// frequent. A NaN is larger than any number. Of equal elements those are named that PyTorch 1.13
// names on the CPU.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// Results are contiguous; `in` has any layout.
void run_topk(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t k, int64_t dim, bool largest, bool sorted);

// One result a line. k counts from 1.
void run_kthvalue(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
                  int64_t k, int64_t dim);
// The lower of two middle elements; without `ignore_nan` a NaN is the median where there is one.
// `indices` may be undefined.
void run_median(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
                int64_t dim, bool ignore_nan);
// Of equally frequent values the smallest.
void run_mode(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t dim);

}  // namespace oneagent
