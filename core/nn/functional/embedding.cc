#include "core/nn/functional/embedding.h"

#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent::nn::functional {
namespace {

void renormalise_(Tensor weight, const Tensor& input, double max_norm, double norm_type) {
  const NoGradGuard guard;
  embedding_renorm_(weight, input, max_norm, norm_type);
}

}  // namespace

Tensor one_hot(const Tensor& tensor, int64_t num_classes) {
  return oneagent::one_hot(tensor, num_classes);
}

Tensor embedding(const Tensor& input, const Tensor& weight, const EmbeddingFuncOptions& options) {
  int64_t padding = -1;
  if (options.padding_idx()) {
    padding = *options.padding_idx();
    OA_REQUIRE(padding < weight.size(0), "Padding_idx must be within num_embeddings");
    OA_REQUIRE(padding >= -weight.size(0), "Padding_idx must be within num_embedding");
    if (padding < 0) padding += weight.size(0);
  }
  if (options.max_norm())
    renormalise_(weight, input.contiguous(), *options.max_norm(), options.norm_type());
  return oneagent::embedding(weight, input, padding, options.scale_grad_by_freq(),
                             options.sparse());
}

Tensor embedding_bag(const Tensor& input, const Tensor& weight,
                     const EmbeddingBagFuncOptions& options) {
  Tensor indices = input, offsets = options.offsets(), scales = options.per_sample_weights();
  OA_REQUIRE(!scales.defined() || scales.sizes() == input.sizes(),
             "embedding_bag: If per_sample_weights (", scales.defined() ? scales.sizes() : Shape(),
             ") is not null, then it must have the same shape as the input (", input.sizes(), ")");
  if (input.dim() == 2) {
    OA_REQUIRE(
        !offsets.defined(),
        "If input is 2D, then offsets has to be null, as input is treated is a mini-batch of "
        "fixed length sequences. However, found offsets of type Tensor");
    offsets = arange(0, input.numel(), input.size(1), kInt64);
    indices = input.reshape({-1});
    if (scales.defined()) scales = scales.reshape({-1});
  } else {
    OA_REQUIRE(input.dim() == 1, "input has to be 1D or 2D Tensor, but got Tensor of dimension ",
               input.dim());
    OA_REQUIRE(offsets.defined(), "offsets has to be a 1D Tensor but got null");
    OA_REQUIRE(offsets.dim() == 1 && offsets.numel() > 0, "offsets has to be a 1D Tensor");
    const auto first = offsets[0].item<int64_t>(), last = offsets[-1].item<int64_t>();
    OA_REQUIRE(first == 0,
               "offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start "
               "from position 0. However, got ",
               first);
    OA_REQUIRE(last <= input.size(0), "offsets[-1] can not be greater than input's length({",
               input.size(0), "}), but got offsets[-1] of {", last, "}");
  }
  const bool sums = std::holds_alternative<enumtype::kSum>(options.mode());
  const bool maximum = std::holds_alternative<enumtype::kMax>(options.mode());
  OA_REQUIRE(!maximum || !options.scale_grad_by_freq(),
             "max mode does not support scaling the gradient by the frequency");
  OA_REQUIRE(!maximum || !options.sparse(), "max mode does not support sparse weights");
  OA_REQUIRE(!scales.defined() || sums,
             "embedding_bag: per_sample_weights was not null. per_sample_weights is only supported "
             "for mode='kSum' (got mode='",
             enumtype::get_enum_name(options.mode()),
             "').Please open a feature request on GitHub.");
  if (options.max_norm()) renormalise_(weight, indices, *options.max_norm(), options.norm_type());
  return std::get<0>(oneagent::embedding_bag(weight, indices, offsets, options.scale_grad_by_freq(),
                                             sums ? 0 : (maximum ? 2 : 1), options.sparse(), scales,
                                             options.include_last_offset(), options.padding_idx()));
}

}  // namespace oneagent::nn::functional
