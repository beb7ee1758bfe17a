#include "core/nn/functional/attention.h"

#include <cmath>
#include <limits>

#include "core/ops/ops.h"

namespace oneagent::nn::functional {
namespace {

using Options = MultiheadAttentionForwardFuncOptions;

struct Projected {
  Tensor q, k, v;
};

Tensor part(const Tensor& whole, int64_t from, int64_t count) {
  return whole.defined() ? whole.narrow(0, from, count) : whole;
}

// Where operands are the same tensor, their projections are one product.
Projected project(const Tensor& query, const Tensor& key, const Tensor& value,
                  const Options& options) {
  const int64_t e = query.size(2);
  const Tensor& bias = options.in_proj_bias();
  if (options.use_separate_proj_weight())
    return {oneagent::linear(query, options.q_proj_weight(), part(bias, 0, e)),
            oneagent::linear(key, options.k_proj_weight(), part(bias, e, e)),
            oneagent::linear(value, options.v_proj_weight(), part(bias, 2 * e, e))};
  const Tensor& weight = options.in_proj_weight();
  if (query.is_same(key) && key.is_same(value)) {
    const Tensor all = oneagent::linear(query, weight, bias);
    return {all.narrow(-1, 0, e), all.narrow(-1, e, e), all.narrow(-1, 2 * e, e)};
  }
  const Tensor q = oneagent::linear(query, part(weight, 0, e), part(bias, 0, e));
  if (key.is_same(value)) {
    const Tensor both = oneagent::linear(key, part(weight, e, 2 * e), part(bias, e, 2 * e));
    return {q, both.narrow(-1, 0, e), both.narrow(-1, e, e)};
  }
  return {q, oneagent::linear(key, part(weight, e, e), part(bias, e, e)),
          oneagent::linear(value, part(weight, 2 * e, e), part(bias, 2 * e, e))};
}

// One more source that no mask hides.
Tensor with_open_source(const Tensor& mask) {
  return mask.defined() ? cat({mask, mask.new_zeros({mask.size(0), 1})}, 1) : mask;
}

// [n, batch, embed] -> [batch heads, n, head]
Tensor by_head(const Tensor& x, int64_t rows, int64_t head) {
  return x.contiguous().view({-1, rows, head}).transpose(0, 1);
}

Tensor masked(Tensor scores, const Tensor& attn_mask, const Tensor& padding_mask, int64_t batch,
              int64_t heads) {
  const double hidden = -std::numeric_limits<double>::infinity();
  if (attn_mask.defined()) {
    const Tensor mask = attn_mask.dim() == 2 ? attn_mask.unsqueeze(0) : attn_mask;
    scores = mask.is_floating_point() ? scores + mask : scores.masked_fill(mask.to(kBool), hidden);
  }
  if (padding_mask.defined()) {
    const int64_t targets = scores.size(1), sources = scores.size(2);
    const Tensor mask = padding_mask.unsqueeze(1).unsqueeze(2);
    scores = scores.view({batch, heads, targets, sources});
    scores = mask.is_floating_point() ? scores + mask : scores.masked_fill(mask.to(kBool), hidden);
    scores = scores.view({batch * heads, targets, sources});
  }
  return scores;
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key,
                                                        const Tensor& value,
                                                        const Options& options) {
  OA_REQUIRE(query.dim() == 3 && key.dim() == 3 && value.dim() == 3,
             "multi_head_attention_forward: expected operands of 3 dimensions, was ", query.sizes(),
             ", ", key.sizes(), " and ", value.sizes());
  const int64_t targets = query.size(0), batch = query.size(1), embed = query.size(2);
  const int64_t heads = options.num_heads(), head = embed / heads, rows = batch * heads;
  OA_REQUIRE(embed == options.embed_dim_to_check(), "multi_head_attention_forward: expected ",
             options.embed_dim_to_check(), " features, was ", embed);
  OA_REQUIRE(head * heads == embed, "embed_dim must be divisible by num_heads");
  OA_REQUIRE(key.size(0) == value.size(0) && key.size(1) == value.size(1),
             "multi_head_attention_forward: key ", key.sizes(), " and value ", value.sizes(),
             " differ");

  auto [q, k, v] = project(query, key, value, options);
  q = q * (1 / std::sqrt(static_cast<double>(head)));
  Tensor attn_mask = options.attn_mask(), padding_mask = options.key_padding_mask();
  if (options.bias_k().defined() && options.bias_v().defined()) {
    OA_REQUIRE(!options.static_k().defined(), "bias cannot be added to static key.");
    OA_REQUIRE(!options.static_v().defined(), "bias cannot be added to static value.");
    k = cat({k, options.bias_k().expand({1, batch, embed})});
    v = cat({v, options.bias_v().expand({1, batch, embed})});
    attn_mask = with_open_source(attn_mask);
    padding_mask = with_open_source(padding_mask);
  }
  q = by_head(q, rows, head);
  k = options.static_k().defined() ? options.static_k() : by_head(k, rows, head);
  v = options.static_v().defined() ? options.static_v() : by_head(v, rows, head);
  if (options.add_zero_attn()) {
    k = cat({k, k.new_zeros({rows, 1, head})}, 1);
    v = cat({v, v.new_zeros({rows, 1, head})}, 1);
    attn_mask = with_open_source(attn_mask);
    padding_mask = with_open_source(padding_mask);
  }
  const int64_t sources = k.size(1);
  OA_REQUIRE(!padding_mask.defined() || padding_mask.sizes() == Shape({batch, sources}),
             "multi_head_attention_forward: expected a key_padding_mask of shape ",
             Shape({batch, sources}), ", was ", padding_mask.sizes());

  Tensor scores = masked(bmm(q, k.transpose(1, 2)), attn_mask, padding_mask, batch, heads);
  Tensor attention = scores.softmax(-1);
  if (options.dropout_p() > 0 && options.training())
    attention = oneagent::dropout(attention, options.dropout_p(), true);
  const Tensor joined =
      bmm(attention, v).transpose(0, 1).contiguous().view({targets, batch, embed});
  const Tensor result =
      oneagent::linear(joined, options.out_proj_weight(), options.out_proj_bias());
  if (!options.need_weights()) return {result, Tensor()};
  const Tensor weights = attention.view({batch, heads, targets, sources});
  return {result, options.average_attn_weights() ? weights.mean(Shape(1)) : weights};
}

}  // namespace oneagent::nn::functional
