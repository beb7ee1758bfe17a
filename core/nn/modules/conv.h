// Convolutions with weights, initialised like PyTorch's (kaiming_uniform with a = sqrt 5) from the
// default generator.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/conv.h"

namespace oneagent::nn {

namespace detail {

Shape conv_weight_sizes(int64_t in, int64_t out, int64_t groups, bool transposed,
                        IntArrayRef kernel_size);
void reset_conv_parameters(Tensor& weight, Tensor& bias);
// {left, right, top, bottom, ...} of a padding that is done ahead of a convolution.
std::vector<int64_t> padding_ahead(IntArrayRef padding);
std::vector<int64_t> same_padding_ahead(IntArrayRef dilation, IntArrayRef kernel_size);

}  // namespace detail

template <size_t D, class Derived>
class ConvNd : public Cloneable<Derived> {
 public:
  explicit ConvNd(detail::ConvNdOptions<D> options_) : options(std::move(options_)) { reset(); }

  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;

  detail::ConvNdOptions<D> options;
  Tensor weight;  // [out, in / groups, kernel...], transposed [in, out / groups, kernel...]
  Tensor bias;    // [out], or undefined

 protected:
  std::vector<int64_t> padding_ahead_;  // where padding_mode is not kZeros
};

template <size_t D>
detail::ConvNdOptions<D> nd_options(const ConvOptions<D>& options) {
  return detail::ConvNdOptions<D>(options.in_channels(), options.out_channels(),
                                  options.kernel_size())
      .stride(options.stride())
      .padding(options.padding())
      .dilation(options.dilation())
      .groups(options.groups())
      .bias(options.bias())
      .padding_mode(options.padding_mode());
}
template <size_t D>
detail::ConvNdOptions<D> nd_options(const ConvTransposeOptions<D>& options) {
  return detail::ConvNdOptions<D>(options.in_channels(), options.out_channels(),
                                  options.kernel_size())
      .stride(options.stride())
      .padding(detail::conv_padding_t<D>(options.padding()))
      .dilation(options.dilation())
      .transposed(true)
      .output_padding(options.output_padding())
      .groups(options.groups())
      .bias(options.bias())
      .padding_mode(options.padding_mode());
}

#define OA_CONV(D)                                                                                 \
  class Conv##D##dImpl : public ConvNd<D, Conv##D##dImpl> {                                        \
   public:                                                                                         \
    Conv##D##dImpl(int64_t input_channels, int64_t output_channels, ExpandingArray<D> kernel_size) \
        : Conv##D##dImpl(Conv##D##dOptions(input_channels, output_channels, kernel_size)) {}       \
    explicit Conv##D##dImpl(const Conv##D##dOptions& options_) : ConvNd(nd_options(options_)) {}   \
    Tensor forward(const Tensor& input) const;                                                     \
  };                                                                                               \
  TORCH_MODULE(Conv##D##d)
OA_CONV(1);
OA_CONV(2);
OA_CONV(3);
#undef OA_CONV

#define OA_CONV_TRANSPOSE(D)                                                                   \
  class ConvTranspose##D##dImpl : public ConvNd<D, ConvTranspose##D##dImpl> {                  \
   public:                                                                                     \
    ConvTranspose##D##dImpl(int64_t input_channels, int64_t output_channels,                   \
                            ExpandingArray<D> kernel_size)                                     \
        : ConvTranspose##D                                                                     \
          ##dImpl(ConvTranspose##D##dOptions(input_channels, output_channels, kernel_size)) {} \
    explicit ConvTranspose##D##dImpl(const ConvTranspose##D##dOptions& options_)               \
        : ConvNd(nd_options(options_)) {}                                                      \
    Tensor forward(const Tensor& input,                                                        \
                   const std::optional<IntArrayRef>& output_size = std::nullopt) const;        \
                                                                                               \
   protected:                                                                                  \
    FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(std::optional<IntArrayRef>())})                      \
  };                                                                                           \
  TORCH_MODULE(ConvTranspose##D##d)
OA_CONV_TRANSPOSE(1);
OA_CONV_TRANSPOSE(2);
OA_CONV_TRANSPOSE(3);
#undef OA_CONV_TRANSPOSE

}  // namespace oneagent::nn
