// Multi-head attention with its projections; see functional/attention.h for the shapes.
#pragma once

#include "core/nn/modules/linear.h"
#include "core/nn/options/activation.h"

namespace oneagent::nn {

class MultiheadAttentionImpl : public Cloneable<MultiheadAttentionImpl> {
 public:
  MultiheadAttentionImpl(int64_t embed_dim, int64_t num_heads)
      : MultiheadAttentionImpl(MultiheadAttentionOptions(embed_dim, num_heads)) {}
  explicit MultiheadAttentionImpl(const MultiheadAttentionOptions& options_);
  std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& key_padding_mask = {}, bool need_weights = true,
                                     const Tensor& attn_mask = {},
                                     bool average_attn_weights = true) const;
  void reset() override;
  void _reset_parameters();

  MultiheadAttentionOptions options;
  bool _qkv_same_embed_dim = true;
  Tensor in_proj_weight, in_proj_bias;                 // [3 embed, embed], [3 embed]
  Tensor bias_k, bias_v;                               // [1, 1, embed]
  Linear out_proj = nullptr;                           // embed -> embed
  Tensor q_proj_weight, k_proj_weight, v_proj_weight;  // where kdim or vdim differ from embed
  int64_t head_dim = 0;

 protected:
  FORWARD_HAS_DEFAULT_ARGS({3, AnyValue(Tensor())}, {4, AnyValue(true)}, {5, AnyValue(Tensor())},
                           {6, AnyValue(true)})
};
TORCH_MODULE(MultiheadAttention);

}  // namespace oneagent::nn
