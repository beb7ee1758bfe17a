#include "core/nn/modules/embedding.h"

#include "core/graph/context.h"
#include "core/nn/functional/embedding.h"
#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

namespace F = functional;

namespace {

// The padding row from the start of the table; none stays none.
std::optional<int64_t> checked_padding(std::optional<int64_t> padding, int64_t rows) {
  if (!padding) return padding;
  OA_REQUIRE(*padding < rows && *padding >= -rows, "Padding_idx must be within num_embeddings");
  return *padding < 0 ? *padding + rows : *padding;
}

template <class Options>
Tensor table(const Options& options) {
  const Shape sizes = {options.num_embeddings(), options.embedding_dim()};
  if (!options._weight().defined()) return empty(sizes);
  OA_REQUIRE(options._weight().sizes() == sizes,
             "Shape of _weight does not match num_embeddings and embedding_dim");
  return options._weight();
}

void draw(const Tensor& weight, std::optional<int64_t> padding) {
  init::normal_(weight);
  if (!padding) return;
  const NoGradGuard guard;
  weight[*padding].fill_(0);
}

}  // namespace

void EmbeddingImpl::reset() {
  options.padding_idx(checked_padding(options.padding_idx(), options.num_embeddings()));
  weight = register_parameter("weight", table(options));
  if (!options._weight().defined()) reset_parameters();
}
void EmbeddingImpl::reset_parameters() { draw(weight, options.padding_idx()); }
Tensor EmbeddingImpl::forward(const Tensor& indices) const {
  return F::embedding(indices, weight,
                      F::EmbeddingFuncOptions()
                          .padding_idx(options.padding_idx())
                          .max_norm(options.max_norm())
                          .norm_type(options.norm_type())
                          .scale_grad_by_freq(options.scale_grad_by_freq())
                          .sparse(options.sparse()));
}
void EmbeddingImpl::pretty_print(std::ostream& out) const {
  Printed printed(out, "Embedding");
  printed.with("num_embeddings", options.num_embeddings())
      .with("embedding_dim", options.embedding_dim());
  if (options.padding_idx()) printed.with("padding_idx", *options.padding_idx());
  if (options.max_norm()) printed.with("max_norm", *options.max_norm());
  printed.with_if(options.norm_type() != 2, "norm_type", options.norm_type())
      .with_if(options.scale_grad_by_freq(), "scale_grad_by_freq", true)
      .with_if(options.sparse(), "sparse", true);
}

Embedding Embedding::from_pretrained(const Tensor& embeddings,
                                     const EmbeddingFromPretrainedOptions& options) {
  OA_REQUIRE(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  Embedding out(EmbeddingOptions(embeddings.size(0), embeddings.size(1))
                    ._weight(embeddings)
                    .padding_idx(options.padding_idx())
                    .max_norm(options.max_norm())
                    .norm_type(options.norm_type())
                    .scale_grad_by_freq(options.scale_grad_by_freq())
                    .sparse(options.sparse()));
  out->weight.set_requires_grad(!options.freeze());
  return out;
}

void EmbeddingBagImpl::reset() {
  options.padding_idx(checked_padding(options.padding_idx(), options.num_embeddings()));
  weight = register_parameter("weight", table(options));
  if (!options._weight().defined()) reset_parameters();
}
void EmbeddingBagImpl::reset_parameters() { draw(weight, options.padding_idx()); }
Tensor EmbeddingBagImpl::forward(const Tensor& input, const Tensor& offsets,
                                 const Tensor& per_sample_weights) const {
  return F::embedding_bag(input, weight,
                          F::EmbeddingBagFuncOptions()
                              .offsets(offsets)
                              .max_norm(options.max_norm())
                              .norm_type(options.norm_type())
                              .scale_grad_by_freq(options.scale_grad_by_freq())
                              .mode(options.mode())
                              .sparse(options.sparse())
                              .per_sample_weights(per_sample_weights)
                              .include_last_offset(options.include_last_offset())
                              .padding_idx(options.padding_idx()));
}
void EmbeddingBagImpl::pretty_print(std::ostream& out) const {
  Printed printed(out, "EmbeddingBag");
  printed.with("num_embeddings", options.num_embeddings())
      .with("embedding_dim", options.embedding_dim());
  if (options.max_norm()) printed.with("max_norm", *options.max_norm());
  printed.with_if(options.norm_type() != 2, "norm_type", options.norm_type())
      .with_if(options.scale_grad_by_freq(), "scale_grad_by_freq", true)
      .with_if(options.sparse(), "sparse", true)
      .with_if(!std::holds_alternative<enumtype::kMean>(options.mode()), "mode",
               enumtype::get_enum_name(options.mode()))
      .with_if(options.include_last_offset(), "include_last_offset", true);
  if (options.padding_idx()) printed.with("padding_idx", *options.padding_idx());
}

EmbeddingBag EmbeddingBag::from_pretrained(const Tensor& embeddings,
                                           const EmbeddingBagFromPretrainedOptions& options) {
  OA_REQUIRE(embeddings.dim() == 2, "Embeddings parameter is expected to be 2-dimensional");
  EmbeddingBag out(EmbeddingBagOptions(embeddings.size(0), embeddings.size(1))
                       ._weight(embeddings)
                       .max_norm(options.max_norm())
                       .norm_type(options.norm_type())
                       .scale_grad_by_freq(options.scale_grad_by_freq())
                       .mode(options.mode())
                       .sparse(options.sparse())
                       .include_last_offset(options.include_last_offset())
                       .padding_idx(options.padding_idx()));
  out->weight.set_requires_grad(!options.freeze());
  return out;
}

}  // namespace oneagent::nn
