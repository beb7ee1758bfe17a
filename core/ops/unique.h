// Distinct values (or slices along a dimension), with where they went and how often they came. A
// NaN is never equal to another. What was not asked for is an empty int64 tensor.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Values; for each element the index of its value (of self's shape); how often each value came.
// Values are sorted unless `sorted` is false, when they stand in the order of libstdc++'s hash set,
// as in libtorch.
std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted = true,
                                   bool return_inverse = false);
std::tuple<Tensor, Tensor, Tensor> _unique2(const Tensor& self, bool sorted = true,
                                            bool return_inverse = false,
                                            bool return_counts = false);
// Slices along dim, in lexicographic order.
std::tuple<Tensor, Tensor, Tensor> unique_dim(const Tensor& self, int64_t dim, bool sorted = true,
                                              bool return_inverse = false,
                                              bool return_counts = false);
// Only neighbours are compared.
std::tuple<Tensor, Tensor, Tensor> unique_consecutive(const Tensor& self,
                                                      bool return_inverse = false,
                                                      bool return_counts = false,
                                                      std::optional<int64_t> dim = std::nullopt);
std::tuple<Tensor, Tensor, Tensor> unique_dim_consecutive(const Tensor& self, int64_t dim,
                                                          bool return_inverse = false,
                                                          bool return_counts = false);

}  // namespace oneagent
