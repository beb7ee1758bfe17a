// Multi-head attention (Vaswani et al. 2017).
#pragma once

#include "core/nn/options/activation.h"

namespace oneagent::nn::functional {

// query [targets, batch, embed], key and value [sources, batch, ...] -> the result [targets, batch,
// embed] and, with need_weights, the attention [batch, (heads,) targets, sources].
std::tuple<Tensor, Tensor> multi_head_attention_forward(
    const Tensor& query, const Tensor& key, const Tensor& value,
    const MultiheadAttentionForwardFuncOptions& options);

}  // namespace oneagent::nn::functional
