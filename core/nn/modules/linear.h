// Linear y = x W^T + b, Bilinear, and changes of shape. Weights start as PyTorch's: uniform, with
// limits that follow the fan-in.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/linear.h"

namespace oneagent {

namespace cpu {
enum class Activation : uint8_t;  // core/kernels/cpu/gemm.h
}
using cpu::Activation;

namespace nn {

OA_PLAIN_LAYER(Identity, (const Tensor& input));

class LinearImpl : public Cloneable<LinearImpl> {
 public:
  LinearImpl(int64_t in_features, int64_t out_features)
      : LinearImpl(LinearOptions(in_features, out_features)) {}
  explicit LinearImpl(const LinearOptions& options_);
  LinearImpl(const LinearOptions& options_, Generator& generator);
  void reset() override;
  void reset_parameters();
  void reset_parameters(Generator& generator);
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input) const;
  // forward() and an activation in one pass, with the same bits
  Tensor forward_then(const Tensor& input, Activation activation) const;

  LinearOptions options;
  Tensor weight;  // [out, in]
  Tensor bias;    // [out], or undefined

 private:
  void make_parameters();
};
TORCH_MODULE(Linear);

OA_LAYER(Flatten, (const Tensor& input));

class UnflattenImpl : public Cloneable<UnflattenImpl> {
 public:
  UnflattenImpl(int64_t dim, std::vector<int64_t> sizes)
      : UnflattenImpl(UnflattenOptions(dim, std::move(sizes))) {}
  UnflattenImpl(std::string dimname, UnflattenOptions::namedshape_t namedshape)
      : UnflattenImpl(UnflattenOptions(std::move(dimname), std::move(namedshape))) {}
  explicit UnflattenImpl(UnflattenOptions options_) : options(std::move(options_)) {}
  OA_LAYER_MEMBERS((const Tensor& input));
  UnflattenOptions options;
};
TORCH_MODULE(Unflatten);

class BilinearImpl : public Cloneable<BilinearImpl> {
 public:
  BilinearImpl(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : BilinearImpl(BilinearOptions(in1_features, in2_features, out_features)) {}
  explicit BilinearImpl(const BilinearOptions& options_) : options(options_) { reset(); }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input1, const Tensor& input2) const;

  BilinearOptions options;
  Tensor weight;  // [out, in1, in2]
  Tensor bias;    // [out], or undefined
};
TORCH_MODULE(Bilinear);

}  // namespace nn
}  // namespace oneagent
