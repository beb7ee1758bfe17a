#include "core/nn/modules/vision.h"

#include "core/nn/functional/vision.h"
#include "core/nn/printed.h"

namespace oneagent::nn {

namespace F = functional;

Tensor FoldImpl::forward(const Tensor& input) const { return F::fold(input, options); }
void FoldImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Fold")
      .with("output_size", options.output_size())
      .with("kernel_size", options.kernel_size())
      .with("dilation", options.dilation())
      .with("padding", options.padding())
      .with("stride", options.stride());
}

Tensor UnfoldImpl::forward(const Tensor& input) const { return F::unfold(input, options); }
void UnfoldImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Unfold")
      .with("kernel_size", options.kernel_size())
      .with("dilation", options.dilation())
      .with("padding", options.padding())
      .with("stride", options.stride());
}

Tensor PixelShuffleImpl::forward(const Tensor& input) const {
  return F::pixel_shuffle(input, options);
}
void PixelShuffleImpl::pretty_print(std::ostream& out) const {
  Printed(out, "PixelShuffle").with("upscale_factor", options.upscale_factor());
}

Tensor PixelUnshuffleImpl::forward(const Tensor& input) const {
  return F::pixel_unshuffle(input, options);
}
void PixelUnshuffleImpl::pretty_print(std::ostream& out) const {
  Printed(out, "PixelUnshuffle").with("downscale_factor", options.downscale_factor());
}

Tensor UpsampleImpl::forward(const Tensor& input) const {
  const auto mode = std::visit(
      [](auto choice) { return F::InterpolateFuncOptions::mode_t(choice); }, options.mode());
  return F::interpolate(input, F::InterpolateFuncOptions()
                                   .size(options.size())
                                   .scale_factor(options.scale_factor())
                                   .mode(mode)
                                   .align_corners(options.align_corners()));
}
void UpsampleImpl::pretty_print(std::ostream& out) const {
  Printed printed(out, "Upsample");
  if (options.scale_factor())
    printed.with("scale_factor", ArrayRef<double>(*options.scale_factor()));
  else if (options.size())
    printed.with("size", IntArrayRef(*options.size()));
  printed.with("mode", enumtype::get_enum_name(options.mode()));
}

}  // namespace oneagent::nn
