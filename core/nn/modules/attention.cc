#include "core/nn/modules/attention.h"

#include "core/nn/functional/attention.h"
#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

MultiheadAttentionImpl::MultiheadAttentionImpl(const MultiheadAttentionOptions& options_)
    : Module("torch::nn::MultiheadAttention"), options(options_) {
  reset();
}

void MultiheadAttentionImpl::reset() {
  const int64_t e = options.embed_dim();
  _qkv_same_embed_dim = options.kdim() == e && options.vdim() == e;
  OA_REQUIRE(options.num_heads() > 0, "MultiheadAttention: num_heads must be positive, was ",
             options.num_heads());
  head_dim = e / options.num_heads();
  OA_REQUIRE(head_dim * options.num_heads() == e, "embed_dim must be divisible by num_heads");
  const bool same = _qkv_same_embed_dim;
  const auto weight = [&](const char* name, bool used, const Shape& sizes) {
    return register_parameter(name, used ? empty(sizes) : Tensor(), used);
  };
  in_proj_weight = weight("in_proj_weight", same, {3 * e, e});
  q_proj_weight = weight("q_proj_weight", !same, {e, e});
  k_proj_weight = weight("k_proj_weight", !same, {e, options.kdim()});
  v_proj_weight = weight("v_proj_weight", !same, {e, options.vdim()});
  in_proj_bias = weight("in_proj_bias", options.bias(), {3 * e});
  out_proj = register_module("out_proj", Linear(LinearOptions(e, e).bias(options.bias())));
  bias_k = weight("bias_k", options.add_bias_kv(), {1, 1, e});
  bias_v = weight("bias_v", options.add_bias_kv(), {1, 1, e});
  _reset_parameters();
}

void MultiheadAttentionImpl::_reset_parameters() {
  for (const Tensor& weight : {in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight})
    if (weight.defined()) init::xavier_uniform_(weight);
  if (in_proj_bias.defined()) {
    init::zeros_(in_proj_bias);
    init::zeros_(out_proj->bias);
  }
  for (const Tensor& bias : {bias_k, bias_v})
    if (bias.defined()) init::xavier_normal_(bias);
}

std::tuple<Tensor, Tensor> MultiheadAttentionImpl::forward(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& key_padding_mask,
    bool need_weights, const Tensor& attn_mask, bool average_attn_weights) const {
  return functional::multi_head_attention_forward(
      query, key, value,
      functional::MultiheadAttentionForwardFuncOptions(
          options.embed_dim(), options.num_heads(), in_proj_weight, in_proj_bias, bias_k, bias_v,
          options.add_zero_attn(), options.dropout(), out_proj->weight, out_proj->bias)
          .training(is_training())
          .key_padding_mask(key_padding_mask)
          .need_weights(need_weights)
          .attn_mask(attn_mask)
          .use_separate_proj_weight(!_qkv_same_embed_dim)
          .q_proj_weight(q_proj_weight)
          .k_proj_weight(k_proj_weight)
          .v_proj_weight(v_proj_weight)
          .average_attn_weights(average_attn_weights));
}

}  // namespace oneagent::nn
