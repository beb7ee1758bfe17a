// Elements by rank. A NaN is larger than any number; indices are int64 and, of equal elements,
// those of PyTorch 1.13 on the CPU.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// The k largest (or smallest) along dim, in order when sorted.
std::tuple<Tensor, Tensor> topk(const Tensor& self, int64_t k, int64_t dim = -1,
                                bool largest = true, bool sorted = true);

// The k-th smallest, k from 1.
std::tuple<Tensor, Tensor> kthvalue(const Tensor& self, int64_t k, int64_t dim = -1,
                                    bool keepdim = false);

// The lower of the two middle elements; NaN where there is one. Without dim the gradient is shared
// among ties.
Tensor median(const Tensor& self);
std::tuple<Tensor, Tensor> median(const Tensor& self, int64_t dim, bool keepdim = false);
Tensor nanmedian(const Tensor& self);
std::tuple<Tensor, Tensor> nanmedian(const Tensor& self, int64_t dim, bool keepdim = false);

// The most frequent value, the smallest of those.
std::tuple<Tensor, Tensor> mode(const Tensor& self, int64_t dim = -1, bool keepdim = false);

}  // namespace oneagent
