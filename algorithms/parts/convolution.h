// Convolution layers over the image in an observation; what else a row holds is joined behind their
// features. Square kernels without padding (Mnih et al. 2015, "Human-level control"), orthogonal
// weights with gain sqrt(2), biases 0.
#pragma once

#include <memory>
#include <vector>

#include "core/nn/nn.h"

namespace oneagent {

struct ConvolutionOptions {
  std::vector<int> channels;  // filters of each layer; empty: no convolution
  std::vector<int> kernels;   // side of each layer's kernel; empty: 3 each
  std::vector<int> strides;   // of each layer; empty: 1 each
  std::vector<int> image;     // [planes, height, width] that a flat row starts with; empty: the
                              // observation is the image
};

class Convolution final : public nn::Module {
 public:
  // Null when options.channels is empty. Options that do not fit each other or the observation are
  // one Error that names the key of [algorithm].
  static std::shared_ptr<Convolution> make(const Shape& observation_shape,
                                           const ConvolutionOptions& options, Activation activation,
                                           Generator& generator);

  Convolution(const Shape& image, int64_t inputs, const ConvolutionOptions& options,
              Activation activation, Generator& generator);
  // Flat rows [rows, inputs] -> [rows, features()]: filters by height by width, then the rest of
  // the row as it is.
  Tensor forward(const Tensor& rows) const;
  int64_t features() const { return features_; }

 private:
  Shape image_;  // [planes, height, width]
  Activation activation_;
  int64_t inputs_, features_ = 0;
  std::vector<nn::Conv2d> layers_;
};

}  // namespace oneagent
