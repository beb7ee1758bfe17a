// Advanced indexing: dimension d is addressed by indices[d]; std::nullopt (or an undefined tensor)
// takes the dimension whole. Index tensors are int64, broadcast against each other; negative values
// count from the end. A bool (or uint8) tensor of n dimensions stands for the n tensors of
// coordinates where it holds. Where the addressed dimensions are neighbours the shape of the
// indices takes their place, else it comes first.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

Tensor index(const Tensor& self, const std::vector<std::optional<Tensor>>& indices);

// values are broadcast to the indexed shape. accumulate: values of equal indices add up; else one
// of them wins.
Tensor index_put(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate = false);
const Tensor& index_put_(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                         const Tensor& values, bool accumulate = false);
Tensor _index_put_impl(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                       const Tensor& values, bool accumulate = false, bool unsafe = false);
const Tensor& _index_put_impl_(const Tensor& self,
                               const std::vector<std::optional<Tensor>>& indices,
                               const Tensor& values, bool accumulate = false, bool unsafe = false);

}  // namespace oneagent
