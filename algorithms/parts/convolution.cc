#include "algorithms/parts/convolution.h"

#include <cmath>

#include "algorithms/parts/layer_options.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

// Kernels or strides of the layers: as given, or the usual value for each.
std::vector<int> for_each_layer(const char* key, const std::vector<int>& given, size_t layers,
                                int usual) {
  require_positive(key, given);
  OA_REQUIRE(given.empty() || given.size() == layers, "[algorithm] ", key, ": expected ", layers,
             layers == 1 ? " value" : " values", ", one for each of channels, or none (", usual,
             " each), was ", given.size());
  return given.empty() ? std::vector<int>(layers, usual) : given;
}

Shape image_of(const Shape& observation, const std::vector<int>& image) {
  if (image.empty()) {
    OA_REQUIRE(observation.size() == 3, "[algorithm] channels: an observation of shape ",
               observation,
               " is no image; say with image = [planes, height, width] what it starts with, or "
               "leave channels out");
    return observation;
  }
  require_positive("image", image);
  OA_REQUIRE(image.size() == 3, "[algorithm] image: expected [planes, height, width], was ",
             image.size(), image.size() == 1 ? " value" : " values");
  OA_REQUIRE(observation.size() == 1, "[algorithm] image: an observation of shape ", observation,
             " is an image by itself; leave image out");
  // By division, because the product may be too large for an integer.
  OA_REQUIRE(image[0] <= observation[0] / image[1] / image[2], "[algorithm] image: ", image[0],
             " x ", image[1], " x ", image[2], " does not fit into an observation of ",
             observation[0], " values");
  return {image[0], image[1], image[2]};
}

}  // namespace

std::shared_ptr<Convolution> Convolution::make(const Shape& observation_shape,
                                               const ConvolutionOptions& options,
                                               Activation activation, Generator& generator) {
  if (!options.channels.empty())
    return std::make_shared<Convolution>(image_of(observation_shape, options.image),
                                         observation_shape.numel(), options, activation, generator);
  for (const auto& [key, values] : {std::pair{"kernels", &options.kernels},
                                    {"strides", &options.strides},
                                    {"image", &options.image}})
    OA_REQUIRE(values->empty(), "[algorithm] ", key,
               ": has no effect without convolution layers; give channels, or leave it out");
  return nullptr;
}

Convolution::Convolution(const Shape& image, int64_t inputs, const ConvolutionOptions& options,
                         Activation activation, Generator& generator)
    : image_(image), activation_(activation), inputs_(inputs) {
  const size_t count = options.channels.size();
  require_positive("channels", options.channels);
  const std::vector<int> kernels = for_each_layer("kernels", options.kernels, count, 3),
                         strides = for_each_layer("strides", options.strides, count, 1);
  Shape size = image;
  for (size_t i = 0; i < count; ++i) {
    const int64_t kernel = kernels[i], stride = strides[i];
    OA_REQUIRE(kernel <= std::min(size[1], size[2]), "[algorithm] kernels: layer ", i + 1, " of ",
               count, " has a kernel of ", kernel, " x ", kernel, ", but its image is ", size[1],
               " x ", size[2], " (the observation's is ", image[1], " x ", image[2],
               "); take smaller kernels or strides, or fewer layers");
    nn::Conv2d layer(nn::Conv2dOptions(size[0], options.channels[i], kernel).stride(stride));
    nn::init::orthogonal_(layer->weight, std::sqrt(2.0), generator);
    nn::init::zeros_(layer->bias);
    layers_.push_back(register_module(str("layer", i), layer));
    size = {options.channels[i], (size[1] - kernel) / stride + 1, (size[2] - kernel) / stride + 1};
  }
  features_ = size.numel() + inputs_ - image_.numel();
}

Tensor Convolution::forward(const Tensor& rows) const {
  const int64_t values = image_.numel();
  Tensor x = rows.narrow(1, 0, values).reshape({rows.size(0), image_[0], image_[1], image_[2]});
  for (const auto& layer : layers_) {
    x = layer->forward(x);
    x = activation_ == Activation::kRelu ? relu(x) : tanh(x);
  }
  x = x.flatten(1);
  return values == inputs_ ? x : cat({x, rows.narrow(1, values, inputs_ - values)}, 1);
}

}  // namespace oneagent
