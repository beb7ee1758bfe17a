#include "core/nn/modules/transformer.h"

#include <limits>

#include "core/nn/init.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace {

// linear1, the activation, dropout, linear2
template <class Layer>
Tensor feed_forward(Layer& layer, const Tensor& x) {
  const activation_t& activation = layer.options.activation();
  Tensor hidden;
  if (std::holds_alternative<enumtype::kReLU>(activation))
    hidden = layer.linear1->forward_then(x, Activation::kRelu);
  else if (std::holds_alternative<enumtype::kGELU>(activation))
    hidden = layer.linear1->forward(x).gelu();
  else
    hidden = std::get<std::function<Tensor(const Tensor&)>>(activation)(layer.linear1->forward(x));
  return layer.linear2->forward(layer.dropout->forward(hidden));
}

MultiheadAttention attention_of(int64_t d_model, int64_t nhead, double dropout) {
  return MultiheadAttention(MultiheadAttentionOptions(d_model, nhead).dropout(dropout));
}

Tensor attend(MultiheadAttention& attention, const Tensor& query, const Tensor& source,
              const Tensor& mask, const Tensor& padding_mask) {
  return std::get<0>(attention->forward(query, source, source, padding_mask, false, mask));
}

// Copies of a layer, and the normalisation behind them.
template <class Coder, class Layer>
void make_layers(Coder& coder, const Layer& layer) {
  coder.layers = coder.register_module("layers", ModuleList());
  for (int64_t i = 0; i < coder.options.num_layers(); ++i) coder.layers->push_back(layer->clone());
  if (coder.options.norm().is_empty()) return;
  coder.norm = coder.options.norm().clone();
  coder.register_module("norm", coder.norm.ptr());
}

}  // namespace

void TransformerEncoderLayerImpl::reset() {
  const int64_t d = options.d_model(), wide = options.dim_feedforward();
  self_attn = register_module("self_attn", attention_of(d, options.nhead(), options.dropout()));
  linear1 = register_module("linear1", Linear(d, wide));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(wide, d));
  norm1 = register_module("norm1", LayerNorm(std::vector<int64_t>{d}));
  norm2 = register_module("norm2", LayerNorm(std::vector<int64_t>{d}));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
}
void TransformerEncoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  for (Linear* linear : {&linear1, &linear2}) (*linear)->reset_parameters();
  for (LayerNorm* norm : {&norm1, &norm2}) (*norm)->reset_parameters();
}
Tensor TransformerEncoderLayerImpl::forward(const Tensor& src, const Tensor& src_mask,
                                            const Tensor& src_key_padding_mask) {
  const Tensor seen = attend(self_attn, src, src, src_mask, src_key_padding_mask);
  const Tensor x = norm1->forward(src + dropout1->forward(seen));
  return norm2->forward(x + dropout2->forward(feed_forward(*this, x)));
}

void TransformerDecoderLayerImpl::reset() {
  const int64_t d = options.d_model(), wide = options.dim_feedforward();
  self_attn = register_module("self_attn", attention_of(d, options.nhead(), options.dropout()));
  multihead_attn =
      register_module("multihead_attn", attention_of(d, options.nhead(), options.dropout()));
  linear1 = register_module("linear1", Linear(d, wide));
  dropout = register_module("dropout", Dropout(options.dropout()));
  linear2 = register_module("linear2", Linear(wide, d));
  norm1 = register_module("norm1", LayerNorm(std::vector<int64_t>{d}));
  norm2 = register_module("norm2", LayerNorm(std::vector<int64_t>{d}));
  norm3 = register_module("norm3", LayerNorm(std::vector<int64_t>{d}));
  dropout1 = register_module("dropout1", Dropout(options.dropout()));
  dropout2 = register_module("dropout2", Dropout(options.dropout()));
  dropout3 = register_module("dropout3", Dropout(options.dropout()));
}
void TransformerDecoderLayerImpl::reset_parameters() {
  self_attn->_reset_parameters();
  multihead_attn->_reset_parameters();
  for (Linear* linear : {&linear1, &linear2}) (*linear)->reset_parameters();
  for (LayerNorm* norm : {&norm1, &norm2, &norm3}) (*norm)->reset_parameters();
}
Tensor TransformerDecoderLayerImpl::forward(Tensor tgt, const Tensor& memory,
                                            const Tensor& tgt_mask, const Tensor& memory_mask,
                                            const Tensor& tgt_key_padding_mask,
                                            const Tensor& memory_key_padding_mask) {
  const Tensor own = attend(self_attn, tgt, tgt, tgt_mask, tgt_key_padding_mask);
  Tensor x = norm1->forward(tgt + dropout1->forward(own));
  const Tensor seen = attend(multihead_attn, x, memory, memory_mask, memory_key_padding_mask);
  x = norm2->forward(x + dropout2->forward(seen));
  return norm3->forward(x + dropout3->forward(feed_forward(*this, x)));
}

void TransformerEncoderImpl::reset() { make_layers(*this, options.encoder_layer()); }
void TransformerEncoderImpl::reset_parameters() {
  for (const auto& layer : *layers) layer->as<TransformerEncoderLayer>()->reset_parameters();
}
Tensor TransformerEncoderImpl::forward(const Tensor& src, const Tensor& src_mask,
                                       const Tensor& src_key_padding_mask) {
  Tensor x = src;
  for (const auto& layer : *layers)
    x = layer->as<TransformerEncoderLayer>()->forward(x, src_mask, src_key_padding_mask);
  return norm.is_empty() ? x : norm.forward(x);
}

void TransformerDecoderImpl::reset() { make_layers(*this, options.decoder_layer()); }
void TransformerDecoderImpl::reset_parameters() {
  for (const auto& layer : *layers) layer->as<TransformerDecoderLayer>()->reset_parameters();
}
Tensor TransformerDecoderImpl::forward(const Tensor& tgt, const Tensor& memory,
                                       const Tensor& tgt_mask, const Tensor& memory_mask,
                                       const Tensor& tgt_key_padding_mask,
                                       const Tensor& memory_key_padding_mask) {
  Tensor x = tgt;
  for (const auto& layer : *layers)
    x = layer->as<TransformerDecoderLayer>()->forward(
        x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask);
  return norm.is_empty() ? x : norm.forward(x);
}

void TransformerImpl::reset() {
  const auto layer_of = [this](auto layer) {
    return layer.dim_feedforward(options.dim_feedforward())
        .dropout(options.dropout())
        .activation(options.activation());
  };
  const auto norm = [this] {
    return AnyModule(LayerNorm(std::vector<int64_t>{options.d_model()}));
  };
  const int64_t d = options.d_model(), heads = options.nhead();
  if (options.custom_encoder().is_empty())
    encoder = AnyModule(TransformerEncoder(
        TransformerEncoderOptions(layer_of(TransformerEncoderLayerOptions(d, heads)),
                                  options.num_encoder_layers())
            .norm(norm())));
  else
    encoder = options.custom_encoder().clone();
  register_module("encoder", encoder.ptr());
  if (options.custom_decoder().is_empty())
    decoder = AnyModule(TransformerDecoder(
        TransformerDecoderOptions(layer_of(TransformerDecoderLayerOptions(d, heads)),
                                  options.num_decoder_layers())
            .norm(norm())));
  else
    decoder = options.custom_decoder().clone();
  register_module("decoder", decoder.ptr());
  reset_parameters();
}
void TransformerImpl::reset_parameters() {
  for (const Tensor& parameter : parameters())
    if (parameter.dim() > 1) init::xavier_uniform_(parameter);
}
Tensor TransformerImpl::forward(const Tensor& src, const Tensor& tgt, const Tensor& src_mask,
                                const Tensor& tgt_mask, const Tensor& memory_mask,
                                const Tensor& src_key_padding_mask,
                                const Tensor& tgt_key_padding_mask,
                                const Tensor& memory_key_padding_mask) {
  OA_REQUIRE(src.dim() == 3 && tgt.dim() == 3, "src and tgt should have 3 dimensions, but got ",
             src.dim(), " and ", tgt.dim());
  OA_REQUIRE(src.size(1) == tgt.size(1),
             "src and tgt should have equal batch size (at dim 1), but got ", src.size(1), " and ",
             tgt.size(1));
  OA_REQUIRE(src.size(2) == options.d_model() && tgt.size(2) == options.d_model(),
             "src and tgt should have same feature size as d_model (at dim 2), but got ",
             src.size(2), " and ", tgt.size(2), " while d_model is ", options.d_model());
  const Tensor memory = encoder.forward<Tensor>(src, src_mask, src_key_padding_mask);
  return decoder.forward<Tensor>(tgt, memory, tgt_mask, memory_mask, tgt_key_padding_mask,
                                 memory_key_padding_mask);
}
Tensor TransformerImpl::generate_square_subsequent_mask(int64_t sz) {
  const Tensor mask = zeros({sz, sz});
  for (int64_t i = 0; i + 1 < sz; ++i)
    mask[i].narrow(0, i + 1, sz - i - 1).fill_(-std::numeric_limits<double>::infinity());
  return mask;
}

}  // namespace oneagent::nn
