// Variance and standard deviation of floating tensors, computed in double. The sum of squares is
// divided by the number of elements less `correction` (1 when absent; unbiased: 1, else 0). An
// absent or empty list of dimensions means all.
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

Tensor var(const Tensor& self, bool unbiased = true);
Tensor var(const Tensor& self, int dim);  // var(x, 0) means a dimension, not a flag
Tensor var(const Tensor& self, OptionalShape dim, bool unbiased = true, bool keepdim = false);
Tensor var(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction,
           bool keepdim = false);
Tensor std(const Tensor& self, bool unbiased = true);
Tensor std(const Tensor& self, int dim);  // std(x, 0) means a dimension, not a flag
Tensor std(const Tensor& self, OptionalShape dim, bool unbiased = true, bool keepdim = false);
Tensor std(const Tensor& self, OptionalShape dim, std::optional<int64_t> correction,
           bool keepdim = false);

// With the mean, in one pass.
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, bool unbiased = true);
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalShape dim, bool unbiased = true,
                                    bool keepdim = false);
std::tuple<Tensor, Tensor> var_mean(const Tensor& self, OptionalShape dim,
                                    std::optional<int64_t> correction, bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, bool unbiased = true);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalShape dim, bool unbiased = true,
                                    bool keepdim = false);
std::tuple<Tensor, Tensor> std_mean(const Tensor& self, OptionalShape dim,
                                    std::optional<int64_t> correction, bool keepdim = false);

}  // namespace oneagent
