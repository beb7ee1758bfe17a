#include "core/nn/functional/dropout.h"

#include "core/ops/in_place.h"
#include "core/ops/ops.h"

namespace oneagent::nn::functional {
namespace {

void check_probability(double p) {
  OA_REQUIRE(p >= 0 && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
}

// Channels of [N, C, spatial...] or, of one dimension less, [C, spatial...].
Tensor feature_dropout_of(Tensor input, const DropoutFuncOptions& options, int64_t batched) {
  check_probability(options.p());
  const bool alone = input.dim() != batched;
  Tensor rows = alone ? input.unsqueeze(0) : input;
  rows = options.inplace() ? feature_dropout_(rows, options.p(), options.training())
                           : feature_dropout(rows, options.p(), options.training());
  if (!alone) return rows;
  return options.inplace() ? input : rows.squeeze(0);
}

}  // namespace

Tensor dropout(Tensor input, const DropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? oneagent::dropout_(input, options.p(), options.training())
                           : oneagent::dropout(input, options.p(), options.training());
}
Tensor dropout2d(Tensor input, const Dropout2dFuncOptions& options) {
  return feature_dropout_of(std::move(input), options, 4);
}
Tensor dropout3d(Tensor input, const Dropout3dFuncOptions& options) {
  return feature_dropout_of(std::move(input), options, 5);
}
Tensor alpha_dropout(Tensor input, const AlphaDropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace() ? oneagent::alpha_dropout_(input, options.p(), options.training())
                           : oneagent::alpha_dropout(input, options.p(), options.training());
}
Tensor feature_alpha_dropout(Tensor input, const FeatureAlphaDropoutFuncOptions& options) {
  check_probability(options.p());
  return options.inplace()
             ? oneagent::feature_alpha_dropout_(input, options.p(), options.training())
             : oneagent::feature_alpha_dropout(input, options.p(), options.training());
}

}  // namespace oneagent::nn::functional
