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
    const std::vector<Tensor> parts = all.split(e, -1);
    return {parts[0], parts[1], parts[2]};
  }
  const Tensor q = oneagent::linear(query, part(weight, 0, e), part(bias, 0, e));
  if (key.is_same(value)) {
    const Tensor both = oneagent::linear(key, part(weight, e, 2 * e), part(bias, e, 2 * e));
    const std::vector<Tensor> parts = both.split(e, -1);
    return {q, parts[0], parts[1]};
  }
  return {q, oneagent::linear(key, part(weight, e, e), part(bias, e, e)),
          oneagent::linear(value, part(weight, 2 * e, e), part(bias, 2 * e, e))};
}

// One more source that no mask hides.
Tensor with_open_source(const Tensor& mask) {
  return mask.defined() ? cat({mask, mask.new_zeros({mask.size(0), 1})}, 1) : mask;
}

// [n, batch, embed] -> [batch, heads, n, head]
Tensor by_head(const Tensor& x, int64_t batch, int64_t heads) {
  return x.reshape({x.size(0), batch, heads, x.size(2) / heads}).permute({1, 2, 0, 3});
}

// Both masks as one that broadcasts to [batch, heads, targets, sources], or undefined. As in the
// C++ functions of libtorch 1.13, attn_mask is added, a bool one as 0 and 1; places where
// padding_mask is true are hidden.
Tensor joined(const Tensor& attn_mask, const Tensor& padding_mask, const Shape& scores,
              DType dtype) {
  Tensor own;
  if (attn_mask.defined()) {
    OA_REQUIRE(attn_mask.dim() <= 2, "multi_head_attention_forward: output with shape ",
               Shape({scores[0] * scores[1], scores[2], scores[3]}),
               " doesn't match the broadcast shape of an attn_mask of shape ", attn_mask.sizes(),
               ", which has to be [", scores[2], ", ", scores[3], ']');
    own = attn_mask.to(dtype).expand({scores[2], scores[3]});
  }
  if (!padding_mask.defined()) return own;
  OA_REQUIRE(padding_mask.dtype() == kBool || padding_mask.dtype() == kUInt8,
             "masked_fill only supports boolean masks, but key_padding_mask has type ",
             name_of(padding_mask.dtype()));
  const Tensor shown = padding_mask.to(kBool).logical_not().view({scores[0], 1, 1, -1});
  if (!own.defined()) return shown;
  return oneagent::where(shown, own, -std::numeric_limits<double>::infinity());
}

struct Attended {
  Tensor result, weights;  // [batch, heads, targets, head], [batch, heads, targets, sources]
};

Attended attend(const Projected& by_heads, const Tensor& mask, double dropout) {
  const auto& [q, k, v] = by_heads;
  Tensor scores =
      oneagent::matmul(q * (1 / std::sqrt(static_cast<double>(q.size(-1)))), k.transpose(2, 3));
  if (mask.defined() && mask.is_floating_point())
    scores = scores + mask;
  else if (mask.defined())
    scores = scores.masked_fill(mask.logical_not(), -std::numeric_limits<double>::infinity());
  Tensor weights = scores.softmax(-1);
  if (dropout > 0) weights = oneagent::dropout(weights, dropout, true);
  return {oneagent::matmul(weights, v), weights};
}

void check(const Tensor& query, const Tensor& key, const Tensor& value, const Options& options) {
  OA_REQUIRE(query.dim() == 3 && key.dim() == 3 && value.dim() == 3,
             "multi_head_attention_forward: expected operands of 3 dimensions, was ", query.sizes(),
             ", ", key.sizes(), " and ", value.sizes());
  OA_REQUIRE(options.num_heads() > 0, "multi_head_attention_forward: num_heads must be positive, ",
             "was ", options.num_heads());
  const int64_t embed = query.size(2), heads = options.num_heads(), head = embed / heads;
  OA_REQUIRE(embed == options.embed_dim_to_check(), "multi_head_attention_forward: expected ",
             options.embed_dim_to_check(), " features, was ", embed);
  OA_REQUIRE(head * heads == embed, "embed_dim must be divisible by num_heads");
  OA_REQUIRE(key.size(0) == value.size(0) && key.size(1) == value.size(1),
             "multi_head_attention_forward: key ", key.sizes(), " and value ", value.sizes(),
             " differ");
  OA_REQUIRE(options.bias_k().defined() == options.bias_v().defined(),
             "multi_head_attention_forward: give both of bias_k and bias_v or neither");
  if (options.bias_k().defined()) {
    OA_REQUIRE(!options.static_k().defined(), "bias cannot be added to static key.");
    OA_REQUIRE(!options.static_v().defined(), "bias cannot be added to static value.");
  }
  const int64_t rows = query.size(1) * heads;
  for (const Tensor& fixed : {options.static_k(), options.static_v()})
    OA_REQUIRE(!fixed.defined() || (fixed.size(0) == rows && fixed.size(2) == head),
               "multi_head_attention_forward: expected static operands [", rows, ", sources, ",
               head, "], was ", fixed.sizes());
}

}  // namespace

std::tuple<Tensor, Tensor> multi_head_attention_forward(const Tensor& query, const Tensor& key,
                                                        const Tensor& value,
                                                        const Options& options) {
  check(query, key, value, options);
  const int64_t targets = query.size(0), batch = query.size(1), embed = query.size(2);
  const int64_t heads = options.num_heads(), head = embed / heads;
  auto [q, k, v] = project(query, key, value, options);
  Tensor attn_mask = options.attn_mask(), padding_mask = options.key_padding_mask();
  if (options.bias_k().defined()) {
    k = cat({k, options.bias_k().expand({1, batch, embed})});
    v = cat({v, options.bias_v().expand({1, batch, embed})});
    attn_mask = with_open_source(attn_mask);
    padding_mask = with_open_source(padding_mask);
  }
  const auto fixed = [&](const Tensor& x) { return x.view({batch, heads, -1, head}); };
  Projected parts = {by_head(q, batch, heads), {}, {}};
  parts.k = options.static_k().defined() ? fixed(options.static_k()) : by_head(k, batch, heads);
  parts.v = options.static_v().defined() ? fixed(options.static_v()) : by_head(v, batch, heads);
  if (options.add_zero_attn()) {
    const Tensor nothing = parts.k.new_zeros({batch, heads, 1, head});
    parts.k = cat({parts.k, nothing}, 2);
    parts.v = cat({parts.v, nothing}, 2);
    attn_mask = with_open_source(attn_mask);
    padding_mask = with_open_source(padding_mask);
  }
  const int64_t sources = parts.k.size(2);
  OA_REQUIRE(!padding_mask.defined() || padding_mask.sizes() == Shape({batch, sources}),
             "multi_head_attention_forward: expected a key_padding_mask of shape ",
             Shape({batch, sources}), ", was ", padding_mask.sizes());

  const Tensor mask = joined(attn_mask, padding_mask, {batch, heads, targets, sources}, q.dtype());
  const double dropout = options.training() ? options.dropout_p() : 0;
  Attended attended;
  if (options.need_weights() || dropout > 0)
    attended = attend(parts, mask, dropout);
  else
    attended.result = scaled_dot_product_attention(
        parts.q, parts.k, parts.v, mask.defined() ? std::optional(mask) : std::nullopt);
  const Tensor rows = attended.result.permute({2, 0, 1, 3}).reshape({targets, batch, embed});
  const Tensor result = oneagent::linear(rows, options.out_proj_weight(), options.out_proj_bias());
  if (!options.need_weights()) return {result, Tensor()};
  if (!options.average_attn_weights()) return {result, attended.weights};
  return {result, attended.weights.mean(Shape(1))};
}

}  // namespace oneagent::nn::functional
