// index_add with other ways to join: "prod", "mean", "amax" or "amin".
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// Without include_self slices that something is written to forget their own values.
Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self = true);
const Tensor& index_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                            const Tensor& source, std::string_view reduce,
                            bool include_self = true);

}  // namespace oneagent
