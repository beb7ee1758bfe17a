// Convolution layers over the image in an observation; what else a row holds is joined behind their
// features. Square kernels without padding (Mnih et al. 2015, "Human-level control"), orthogonal
// weights with gain sqrt(2), biases 0. Or the residual network of IMPALA (Espeholt et al. 2018,
// arXiv 1802.01561, figure 3): sections of a convolution, a maximum over 3 x 3 with stride 2 and
// two residual blocks.
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
  bool residual = false;      // each of channels is a section of a residual network
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
  void add_sections(const std::vector<int>& channels, Generator& generator);
  nn::Conv2d add_layer(const std::string& name, int64_t in, int64_t out, int64_t kernel,
                       int64_t stride, int64_t padding, Generator& generator);
  Tensor sections(Tensor x) const;

  bool residual_;
  Shape size_;                      // of the image behind the layers
  std::vector<nn::Conv2d> layers_;  // five of each section: its own and two of each block
};

}  // namespace oneagent
