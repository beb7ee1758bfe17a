// Padding as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/padding.h"

namespace oneagent::nn {

OA_LAYER_OF(ReflectionPad1d, (const Tensor& input), (ExpandingArray<2> padding), (padding));
OA_LAYER_OF(ReflectionPad2d, (const Tensor& input), (ExpandingArray<4> padding), (padding));
OA_LAYER_OF(ReflectionPad3d, (const Tensor& input), (ExpandingArray<6> padding), (padding));
OA_LAYER_OF(ReplicationPad1d, (const Tensor& input), (ExpandingArray<2> padding), (padding));
OA_LAYER_OF(ReplicationPad2d, (const Tensor& input), (ExpandingArray<4> padding), (padding));
OA_LAYER_OF(ReplicationPad3d, (const Tensor& input), (ExpandingArray<6> padding), (padding));
OA_LAYER_OF(ZeroPad2d, (const Tensor& input), (ExpandingArray<4> padding), (padding));
OA_LAYER_OF(ConstantPad1d, (const Tensor& input), (ExpandingArray<2> padding, double value),
            (padding, value));
OA_LAYER_OF(ConstantPad2d, (const Tensor& input), (ExpandingArray<4> padding, double value),
            (padding, value));
OA_LAYER_OF(ConstantPad3d, (const Tensor& input), (ExpandingArray<6> padding, double value),
            (padding, value));

}  // namespace oneagent::nn
