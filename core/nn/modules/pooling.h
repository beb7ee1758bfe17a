// Pooling as modules.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/pooling.h"

namespace oneagent::nn {

OA_LAYER_OF(AvgPool1d, (const Tensor& input), (ExpandingArray<1> kernel_size), (kernel_size));
OA_LAYER_OF(AvgPool2d, (const Tensor& input), (ExpandingArray<2> kernel_size), (kernel_size));
OA_LAYER_OF(AvgPool3d, (const Tensor& input), (ExpandingArray<3> kernel_size), (kernel_size));

// With forward_with_indices() for unpooling.
#define OA_MAX_POOL(Name, Size, size)                                                 \
  class Name##Impl : public Cloneable<Name##Impl> {                                   \
   public:                                                                            \
    Name##Impl(Size size) : Name##Impl(Name##Options(size)) {} /* NOLINT: implicit */ \
    explicit Name##Impl(const Name##Options& options_) : options(options_) {}         \
    OA_LAYER_MEMBERS((const Tensor& input));                                          \
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input) const;       \
    Name##Options options;                                                            \
  };                                                                                  \
  TORCH_MODULE(Name)
OA_MAX_POOL(MaxPool1d, ExpandingArray<1>, kernel_size);
OA_MAX_POOL(MaxPool2d, ExpandingArray<2>, kernel_size);
OA_MAX_POOL(MaxPool3d, ExpandingArray<3>, kernel_size);
OA_MAX_POOL(AdaptiveMaxPool1d, ExpandingArray<1>, output_size);
OA_MAX_POOL(AdaptiveMaxPool2d, ExpandingArrayWithOptionalElem<2>, output_size);
OA_MAX_POOL(AdaptiveMaxPool3d, ExpandingArrayWithOptionalElem<3>, output_size);
#undef OA_MAX_POOL

// The numbers that place the windows are a buffer, or drawn at each call.
#define OA_FRACTIONAL_POOL(D)                                                         \
  class FractionalMaxPool##D##dImpl : public Cloneable<FractionalMaxPool##D##dImpl> { \
   public:                                                                            \
    FractionalMaxPool##D##dImpl(ExpandingArray<D> kernel_size) /* NOLINT: implicit */ \
        : FractionalMaxPool##D##dImpl(FractionalMaxPool##D##dOptions(kernel_size)) {} \
    explicit FractionalMaxPool##D##dImpl(FractionalMaxPool##D##dOptions options_)     \
        : options(std::move(options_)) {                                              \
      reset();                                                                        \
    }                                                                                 \
    Tensor forward(const Tensor& input) const;                                        \
    std::tuple<Tensor, Tensor> forward_with_indices(const Tensor& input) const;       \
    void reset() override;                                                            \
    void pretty_print(std::ostream& out) const override;                              \
    FractionalMaxPool##D##dOptions options;                                           \
    Tensor _random_samples;                                                           \
  };                                                                                  \
  TORCH_MODULE(FractionalMaxPool##D##d)
OA_FRACTIONAL_POOL(2);
OA_FRACTIONAL_POOL(3);
#undef OA_FRACTIONAL_POOL

OA_LAYER_OF(AdaptiveAvgPool1d, (const Tensor& input), (ExpandingArray<1> output_size),
            (output_size));
OA_LAYER_OF(AdaptiveAvgPool2d, (const Tensor& input),
            (ExpandingArrayWithOptionalElem<2> output_size), (output_size));
OA_LAYER_OF(AdaptiveAvgPool3d, (const Tensor& input),
            (ExpandingArrayWithOptionalElem<3> output_size), (output_size));

#define OA_MAX_UNPOOL(D)                                                                        \
  class MaxUnpool##D##dImpl : public Cloneable<MaxUnpool##D##dImpl> {                           \
   public:                                                                                      \
    MaxUnpool##D##dImpl(ExpandingArray<D> kernel_size) /* NOLINT: implicit */                   \
        : MaxUnpool##D##dImpl(MaxUnpool##D##dOptions(kernel_size)) {}                           \
    explicit MaxUnpool##D##dImpl(const MaxUnpool##D##dOptions& options_) : options(options_) {} \
    OA_LAYER_MEMBERS((const Tensor& input, const Tensor& indices,                               \
                      const std::optional<std::vector<int64_t>>& output_size = std::nullopt));  \
    MaxUnpool##D##dOptions options;                                                             \
                                                                                                \
   protected:                                                                                   \
    FORWARD_HAS_DEFAULT_ARGS({2, AnyValue(std::optional<std::vector<int64_t>>())})              \
  };                                                                                            \
  TORCH_MODULE(MaxUnpool##D##d)
OA_MAX_UNPOOL(1);
OA_MAX_UNPOOL(2);
OA_MAX_UNPOOL(3);
#undef OA_MAX_UNPOOL

OA_LAYER_OF(LPPool1d, (const Tensor& input), (double norm_type, ExpandingArray<1> kernel_size),
            (norm_type, kernel_size));
OA_LAYER_OF(LPPool2d, (const Tensor& input), (double norm_type, ExpandingArray<2> kernel_size),
            (norm_type, kernel_size));

}  // namespace oneagent::nn
