// Views in which a dimension of size 1, or a new one, repeats its element.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// -1 keeps a size; new dimensions stand in front.
Tensor expand(const Tensor& self, const Shape& size, bool implicit = false);
Tensor expand_as(const Tensor& self, const Tensor& other);
Tensor broadcast_to(const Tensor& self, const Shape& size);
std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors);

// The coordinates of a grid over 0-d or 1-d tensors, one tensor per dimension. indexing "xy"
// lets the first tensor vary along the second dimension and the second along the first.
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors);
std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, std::string_view indexing);

}  // namespace oneagent
