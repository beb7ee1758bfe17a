// Scaled dot product attention, in blocks: memory grows with the length of a sequence, not with its
// square.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// softmax(query key^T scale + mask) value for query [..., l, e], key [..., s, e], value [..., s, d]
// -> [..., l, d]; leading dimensions are broadcast. attn_mask is broadcast to [..., l, s]: bool
// (true takes part) or of the query's type (added). is_causal: query i sees keys 0..i. scale: 1 /
// sqrt(e) unless given. dropout_p drops probabilities.
Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& attn_mask = {},
                                    double dropout_p = 0.0, bool is_causal = false,
                                    std::optional<double> scale = std::nullopt);

}  // namespace oneagent
