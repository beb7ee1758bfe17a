#include "algorithms/parts/entity_transformer.h"

#include <cmath>

#include "algorithms/parts/layer_options.h"
#include "core/ops/ops.h"

namespace oneagent {

std::shared_ptr<EntityTransformer> EntityTransformer::make(int64_t inputs,
                                                           const EntityOptions& options,
                                                           Generator& generator) {
  if (options.entities.empty()) {
    OA_REQUIRE(!options.slots,
               "[algorithm] entity_slots: has no effect without entities; give entities = [count, "
               "values], or leave it out");
    return nullptr;
  }
  require_positive("entities", options.entities);
  OA_REQUIRE(options.entities.size() == 2, "[algorithm] entities: expected [count, values], was ",
             options.entities.size(), options.entities.size() == 1 ? " value" : " values");
  // By division, because the product may be too large for an integer.
  OA_REQUIRE(options.entities[0] <= inputs / options.entities[1],
             "[algorithm] entities: ", options.entities[0], " x ", options.entities[1],
             " does not fit into an observation of ", inputs, " values");
  OA_REQUIRE(options.size % options.heads == 0, "[algorithm] attention_size: ", options.size,
             " is not a multiple of attention_heads = ", options.heads);
  return std::make_shared<EntityTransformer>(inputs, options, generator);
}

EntityTransformer::EntityTransformer(int64_t inputs, const EntityOptions& options,
                                     Generator& generator)
    : inputs_(inputs),
      count_(options.entities[0]),
      values_(options.entities[1]),
      heads_(options.heads),
      size_(options.size) {
  const auto linear = [&](const std::string& name, int64_t in, int64_t out, double gain) {
    nn::Linear layer(in, out);
    nn::init::orthogonal_(layer->weight, gain, generator);
    nn::init::zeros_(layer->bias);
    return register_module(name, layer);
  };
  const auto norm = [&](const std::string& name) {
    return register_module(name, nn::LayerNorm(std::vector<int64_t>{size_}));
  };
  embedding_ = linear("embedding", values_, size_, std::sqrt(2.0));
  if (options.slots) {
    slots_ = register_parameter("slots", empty({count_, size_}));
    nn::init::normal_(slots_, 0.0, 0.5, generator);
  }
  for (int i = 0; i < options.layers; ++i) {
    const std::string name = str("block", i, "_");
    Block block;
    block.attention_norm = norm(name + "attention_norm");
    block.query_key_value = linear(name + "query_key_value", size_, 3 * size_, 1.0);
    block.out = linear(name + "out", size_, size_, 1.0);
    block.forward_norm = norm(name + "forward_norm");
    block.widen = linear(name + "widen", size_, 4 * size_, std::sqrt(2.0));
    block.narrow = linear(name + "narrow", 4 * size_, size_, 1.0);
    blocks_.push_back(block);
  }
  last_norm_ = norm("last_norm");
}

Tensor EntityTransformer::attend(const Block& block, const Tensor& x, const Tensor& mask) const {
  const Tensor normed = block.attention_norm->forward(x);  // [rows, count, size]
  const Tensor parts = block.query_key_value->forward(normed)
                           .view({-1, count_, 3, heads_, size_ / heads_})
                           .permute({2, 0, 3, 1, 4});
  const Tensor joined =
      scaled_dot_product_attention(parts.select(0, 0), parts.select(0, 1), parts.select(0, 2),
                                   mask.defined() ? std::optional<Tensor>(mask) : std::nullopt);
  return block.out->forward(joined.permute({0, 2, 1, 3}).reshape({-1, count_, size_}));
}

Tensor EntityTransformer::forward(const Tensor& rows) const {
  const int64_t used = count_ * values_;
  const Tensor raw = rows.narrow(1, 0, used).reshape({-1, count_, values_});
  Tensor x = embedding_->forward(raw);
  Tensor mask, weights;
  if (slots_.defined()) {
    x = x + slots_;
  } else {
    const Tensor present = raw.ne(0).any(-1);  // [rows, count]
    weights = present.to(x.dtype());
    // Finite, so that a row without entities has a softmax, too.
    mask = ((weights - 1.0) * 1e9).view({-1, 1, 1, count_});
  }
  for (const Block& block : blocks_) {
    x = x + attend(block, x, mask);
    x = x + block.narrow->forward(relu(block.widen->forward(block.forward_norm->forward(x))));
  }
  x = last_norm_->forward(x);
  x = weights.defined() ? (x * weights.unsqueeze(-1)).sum(1) / weights.sum(1, true).clamp_min(1.0)
                        : x.mean(1);
  return used == inputs_ ? x : cat({x, rows.narrow(1, used, inputs_ - used)}, 1);
}

}  // namespace oneagent
