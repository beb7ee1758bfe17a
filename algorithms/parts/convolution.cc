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
  OA_REQUIRE(!options.residual,
             "[algorithm] residual: has no effect without convolution layers; give "
             "channels = [16, 32, 32], or leave it out");
  return nullptr;
}

Convolution::Convolution(const Shape& image, int64_t inputs, const ConvolutionOptions& options,
                         Activation activation, Generator& generator)
    : image_(image),
      activation_(activation),
      inputs_(inputs),
      residual_(options.residual),
      size_(image) {
  const size_t count = options.channels.size();
  require_positive("channels", options.channels);
  if (residual_) {
    for (const auto& [key, values] :
         {std::pair{"kernels", &options.kernels}, {"strides", &options.strides}})
      OA_REQUIRE(values->empty(), "[algorithm] ", key,
                 ": those of residual = true are fixed; leave one of them out");
    add_sections(options.channels, generator);
  } else {
    const std::vector<int> kernels = for_each_layer("kernels", options.kernels, count, 3),
                           strides = for_each_layer("strides", options.strides, count, 1);
    for (size_t i = 0; i < count; ++i) {
      const int64_t kernel = kernels[i], stride = strides[i];
      OA_REQUIRE(kernel <= std::min(size_[1], size_[2]), "[algorithm] kernels: layer ", i + 1,
                 " of ", count, " has a kernel of ", kernel, " x ", kernel, ", but its image is ",
                 size_[1], " x ", size_[2], " (the observation's is ", image[1], " x ", image[2],
                 "); take smaller kernels or strides, or fewer layers");
      add_layer(str("layer", i), size_[0], options.channels[i], kernel, stride, 0, generator);
      size_ = {options.channels[i], (size_[1] - kernel) / stride + 1,
               (size_[2] - kernel) / stride + 1};
    }
  }
  features_ = size_.numel() + inputs_ - image_.numel();
}

nn::Conv2d Convolution::add_layer(const std::string& name, int64_t in, int64_t out, int64_t kernel,
                                  int64_t stride, int64_t padding, Generator& generator) {
  nn::Conv2d layer(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(padding));
  nn::init::orthogonal_(layer->weight, std::sqrt(2.0), generator);
  nn::init::zeros_(layer->bias);
  layers_.push_back(register_module(name, layer));
  return layer;
}

void Convolution::add_sections(const std::vector<int>& channels, Generator& generator) {
  for (size_t i = 0; i < channels.size(); ++i) {
    const std::string section = str("section", i);
    add_layer(section, size_[0], channels[i], 3, 1, 1, generator);
    for (const int block : {0, 1})
      for (const int layer : {0, 1})
        add_layer(str(section, "_block", block, "_layer", layer), channels[i], channels[i], 3, 1, 1,
                  generator);
    size_ = {channels[i], (size_[1] + 1) / 2, (size_[2] + 1) / 2};
  }
}

Tensor Convolution::sections(Tensor x) const {
  for (size_t i = 0; i < layers_.size(); i += 5) {
    x = max_pool2d(layers_[i]->forward(x), 3, 2, 1);
    for (const size_t block : {i + 1, i + 3})
      x = x + layers_[block + 1]->forward(relu(layers_[block]->forward(relu(x))));
  }
  return relu(x);
}

Tensor Convolution::forward(const Tensor& rows) const {
  const int64_t values = image_.numel();
  Tensor x = rows.narrow(1, 0, values).reshape({rows.size(0), image_[0], image_[1], image_[2]});
  if (residual_) {
    x = sections(x);
  } else {
    for (const auto& layer : layers_) {
      x = layer->forward(x);
      x = activation_ == Activation::kRelu ? relu(x) : tanh(x);
    }
  }
  x = x.flatten(1);
  return values == inputs_ ? x : cat({x, rows.narrow(1, values, inputs_ - values)}, 1);
}

}  // namespace oneagent
