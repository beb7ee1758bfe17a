// Distances as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/distance.h"

namespace oneagent::nn {

OA_LAYER(CosineSimilarity, (const Tensor& input1, const Tensor& input2));
OA_LAYER(PairwiseDistance, (const Tensor& input1, const Tensor& input2));

}  // namespace oneagent::nn
