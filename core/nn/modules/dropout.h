// Dropout as modules: active in training only.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/dropout.h"

namespace oneagent::nn {

namespace detail {
void check_dropout(const DropoutOptions& options);
}

#define OA_DROPOUT(Name)                                                           \
  class Name##Impl : public Cloneable<Name##Impl> {                                \
   public:                                                                         \
    Name##Impl(double p) : Name##Impl(DropoutOptions(p)) {} /* NOLINT: implicit */ \
    explicit Name##Impl(const DropoutOptions& options_ = {}) : options(options_) { \
      detail::check_dropout(options);                                              \
    }                                                                              \
    OA_LAYER_MEMBERS((Tensor input));                                              \
    DropoutOptions options;                                                        \
  };                                                                               \
  TORCH_MODULE(Name)
OA_DROPOUT(Dropout);
OA_DROPOUT(Dropout2d);
OA_DROPOUT(Dropout3d);
OA_DROPOUT(AlphaDropout);
OA_DROPOUT(FeatureAlphaDropout);
#undef OA_DROPOUT

}  // namespace oneagent::nn
