#include "core/nn/modules/conv.h"

#include <cmath>

#include "core/nn/functional/conv.h"
#include "core/nn/functional/padding.h"
#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {
namespace detail {

Shape conv_weight_sizes(int64_t in, int64_t out, int64_t groups, bool transposed,
                        IntArrayRef kernel_size) {
  OA_REQUIRE(groups <= 0 || in % groups == 0, "in_channels must be divisible by groups: ", in,
             " by ", groups);
  OA_REQUIRE(groups <= 0 || out % groups == 0, "out_channels must be divisible by groups: ", out,
             " by ", groups);
  OA_REQUIRE(groups > 0 && in > 0 && out > 0, "convolution: ", in, " input and ", out,
             " output channels must be positive, and groups, was ", groups);
  Shape sizes = transposed ? Shape{in, out / groups} : Shape{out, in / groups};
  for (const int64_t size : kernel_size) sizes.push_back(size);
  return sizes;
}

void reset_conv_parameters(Tensor& weight, Tensor& bias) {
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  if (!bias.defined()) return;
  const double fan_in =
      static_cast<double>(std::get<0>(init::_calculate_fan_in_and_fan_out(weight)));
  init::uniform_(bias, -1 / std::sqrt(fan_in), 1 / std::sqrt(fan_in));
}

std::vector<int64_t> padding_ahead(IntArrayRef padding) {
  std::vector<int64_t> out;
  for (size_t i = padding.size(); i-- > 0;) out.insert(out.end(), 2, padding[i]);
  return out;
}
std::vector<int64_t> same_padding_ahead(IntArrayRef dilation, IntArrayRef kernel_size) {
  std::vector<int64_t> out;
  for (size_t i = dilation.size(); i-- > 0;) {
    const int64_t total = dilation[i] * (kernel_size[i] - 1);
    out.push_back(total / 2);
    out.push_back(total - total / 2);
  }
  return out;
}

}  // namespace detail

template <size_t D, class Derived>
void ConvNd<D, Derived>::reset() {
  const auto& padding = options.padding();
  if (std::holds_alternative<enumtype::kSame>(padding)) {
    OA_REQUIRE(*options.stride() == *ExpandingArray<D>(1),
               "padding='same' is not supported for strided convolutions");
    padding_ahead_ = detail::same_padding_ahead(options.dilation(), options.kernel_size());
  } else if (std::holds_alternative<enumtype::kValid>(padding)) {
    padding_ahead_.assign(2 * D, 0);
  } else {
    padding_ahead_ = detail::padding_ahead(std::get<ExpandingArray<D>>(padding));
  }
  weight = this->register_parameter(
      "weight", empty(detail::conv_weight_sizes(options.in_channels(), options.out_channels(),
                                                options.groups(), options.transposed(),
                                                options.kernel_size())));
  bias = options.bias() ? this->register_parameter("bias", empty({options.out_channels()}))
                        : this->register_parameter("bias", {}, false);
  reset_parameters();
}

template <size_t D, class Derived>
void ConvNd<D, Derived>::reset_parameters() {
  detail::reset_conv_parameters(weight, bias);
}

template <size_t D, class Derived>
void ConvNd<D, Derived>::pretty_print(std::ostream& out) const {
  Printed printed(out, str(options.transposed() ? "ConvTranspose" : "Conv", D, "d"));
  printed.value(options.in_channels())
      .value(options.out_channels())
      .with("kernel_size", options.kernel_size())
      .with("stride", options.stride());
  const ExpandingArray<D> zero = 0, one = 1;
  if (std::holds_alternative<enumtype::kValid>(options.padding()))
    printed.with("padding", "'valid'");
  else if (std::holds_alternative<enumtype::kSame>(options.padding()))
    printed.with("padding", "'same'");
  else if (const auto& padding = std::get<ExpandingArray<D>>(options.padding()); *padding != *zero)
    printed.with("padding", padding);
  printed.with_if(*options.dilation() != *one, "dilation", options.dilation())
      .with_if(*options.output_padding() != *zero, "output_padding", options.output_padding())
      .with_if(options.groups() != 1, "groups", options.groups())
      .with_if(!options.bias(), "bias", false)
      .with_if(!std::holds_alternative<enumtype::kZeros>(options.padding_mode()), "padding_mode",
               enumtype::get_enum_name(options.padding_mode()));
}

namespace {

// The input padded as padding_mode says.
template <size_t D>
Tensor padded(const Tensor& input, const detail::ConvNdOptions<D>& options,
              const std::vector<int64_t>& pad) {
  functional::PadFuncOptions ahead(pad);
  if (std::holds_alternative<enumtype::kReflect>(options.padding_mode()))
    ahead.mode(kReflect);
  else if (std::holds_alternative<enumtype::kReplicate>(options.padding_mode()))
    ahead.mode(kReplicate);
  else
    ahead.mode(kCircular);
  return functional::pad(input, ahead);
}

template <size_t D, class Conv>
Tensor convolve(const Tensor& input, const detail::ConvNdOptions<D>& options,
                const std::vector<int64_t>& pad, Conv conv) {
  if (!std::holds_alternative<enumtype::kZeros>(options.padding_mode()))
    return conv(padded(input, options, pad), Shape(0));
  return functional::detail::with_padding<D>(
      options.padding(), [&](const auto& padding) { return conv(input, padding); });
}

// How much larger than the smallest result the asked-for one is, in each dimension.
template <size_t D>
Shape output_padding(const Tensor& input, const std::optional<IntArrayRef>& output_size,
                     const detail::ConvNdOptions<D>& options) {
  OA_REQUIRE(std::holds_alternative<enumtype::kZeros>(options.padding_mode()),
             "Only `zeros` padding mode is supported for ConvTranspose", D, "d");
  if (!output_size) return options.output_padding();
  IntArrayRef wanted = *output_size;
  if (wanted.size() == D + 2) wanted = wanted.slice(2);
  OA_REQUIRE(wanted.size() == D, "output_size must have ", D, " or ", D + 2, " elements (got ",
             wanted.size(), ")");
  const ExpandingArray<D>& padding = std::get<ExpandingArray<D>>(options.padding());
  Shape out;
  for (size_t i = 0; i < D; ++i) {
    const int64_t spatial = input.size(input.dim() - static_cast<int64_t>(D - i));
    const int64_t least = (spatial - 1) * options.stride()->at(i) - 2 * padding->at(i) +
                          options.dilation()->at(i) * (options.kernel_size()->at(i) - 1) + 1;
    const int64_t extra = wanted[i] - least;
    OA_REQUIRE(extra >= 0 && extra < std::max(options.stride()->at(i), options.dilation()->at(i)),
               "requested an output size of ", wanted, ", but valid sizes at dimension ", i,
               " range from ", least, " to ",
               least + std::max(options.stride()->at(i), options.dilation()->at(i)) - 1);
    out.push_back(extra);
  }
  return out;
}

}  // namespace

Tensor Conv1dImpl::forward(const Tensor& input) const {
  return convolve(input, options, padding_ahead_, [&](const Tensor& x, const auto& padding) {
    return conv1d(x, weight, bias, options.stride(), padding, options.dilation(), options.groups());
  });
}
Tensor Conv2dImpl::forward(const Tensor& input) const {
  return convolve(input, options, padding_ahead_, [&](const Tensor& x, const auto& padding) {
    return conv2d(x, weight, bias, options.stride(), padding, options.dilation(), options.groups());
  });
}
Tensor Conv3dImpl::forward(const Tensor& input) const {
  return convolve(input, options, padding_ahead_, [&](const Tensor& x, const auto& padding) {
    return conv3d(x, weight, bias, options.stride(), padding, options.dilation(), options.groups());
  });
}

Tensor ConvTranspose1dImpl::forward(const Tensor& input,
                                    const std::optional<IntArrayRef>& output_size) const {
  return conv_transpose1d(
      input, weight, bias, options.stride(), std::get<ExpandingArray<1>>(options.padding()),
      output_padding(input, output_size, options), options.groups(), options.dilation());
}
Tensor ConvTranspose2dImpl::forward(const Tensor& input,
                                    const std::optional<IntArrayRef>& output_size) const {
  return conv_transpose2d(
      input, weight, bias, options.stride(), std::get<ExpandingArray<2>>(options.padding()),
      output_padding(input, output_size, options), options.groups(), options.dilation());
}
Tensor ConvTranspose3dImpl::forward(const Tensor& input,
                                    const std::optional<IntArrayRef>& output_size) const {
  return conv_transpose3d(
      input, weight, bias, options.stride(), std::get<ExpandingArray<3>>(options.padding()),
      output_padding(input, output_size, options), options.groups(), options.dilation());
}

template class ConvNd<1, Conv1dImpl>;
template class ConvNd<2, Conv2dImpl>;
template class ConvNd<3, Conv3dImpl>;
template class ConvNd<1, ConvTranspose1dImpl>;
template class ConvNd<2, ConvTranspose2dImpl>;
template class ConvNd<3, ConvTranspose3dImpl>;

}  // namespace oneagent::nn
