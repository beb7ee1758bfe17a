// Normalisations with learned scales and running statistics.
#pragma once

#include "core/nn/modules/layer.h"
#include "core/nn/options/norm.h"

namespace oneagent::nn {

// What batch and instance normalisation share. D is the number of spatial dimensions.
template <size_t D, class Derived, class Options>
class ChannelNorm : public Cloneable<Derived> {
 public:
  explicit ChannelNorm(const Options& options_) : options(options_) { reset(); }
  void reset() override;
  void reset_running_stats();
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;

  Options options;
  Tensor weight, bias;                                    // [C], or undefined
  Tensor running_mean, running_var, num_batches_tracked;  // or undefined
};

template <size_t D, class Derived>
class BatchNorm : public ChannelNorm<D, Derived, BatchNormOptions> {
 public:
  using ChannelNorm<D, Derived, BatchNormOptions>::ChannelNorm;
  Tensor forward(const Tensor& input);  // [N, C, spatial...]
};

template <size_t D, class Derived>
class InstanceNorm : public ChannelNorm<D, Derived, InstanceNormOptions> {
 public:
  using ChannelNorm<D, Derived, InstanceNormOptions>::ChannelNorm;
  Tensor forward(const Tensor& input);  // [N, C, spatial...] or [C, spatial...]
};

#define OA_CHANNEL_NORM(Kind, D)                          \
  class Kind##D##dImpl : public Kind<D, Kind##D##dImpl> { \
   public:                                                \
    using Kind<D, Kind##D##dImpl>::Kind;                  \
  };                                                      \
  TORCH_MODULE(Kind##D##d)
OA_CHANNEL_NORM(BatchNorm, 1);  // [N, C] as well
OA_CHANNEL_NORM(BatchNorm, 2);
OA_CHANNEL_NORM(BatchNorm, 3);
OA_CHANNEL_NORM(InstanceNorm, 1);
OA_CHANNEL_NORM(InstanceNorm, 2);
OA_CHANNEL_NORM(InstanceNorm, 3);
#undef OA_CHANNEL_NORM

class LayerNormImpl : public Cloneable<LayerNormImpl> {
 public:
  LayerNormImpl(std::vector<int64_t> normalized_shape)  // NOLINT: implicit
      : LayerNormImpl(LayerNormOptions(std::move(normalized_shape))) {}
  explicit LayerNormImpl(const LayerNormOptions& options_) : options(options_) { reset(); }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input) const;

  LayerNormOptions options;
  Tensor weight, bias;  // of normalized_shape, or undefined
};
TORCH_MODULE(LayerNorm);

class GroupNormImpl : public Cloneable<GroupNormImpl> {
 public:
  GroupNormImpl(int64_t num_groups, int64_t num_channels)
      : GroupNormImpl(GroupNormOptions(num_groups, num_channels)) {}
  explicit GroupNormImpl(const GroupNormOptions& options_) : options(options_) { reset(); }
  void reset() override;
  void reset_parameters();
  void pretty_print(std::ostream& out) const override;
  Tensor forward(const Tensor& input) const;

  GroupNormOptions options;
  Tensor weight, bias;  // [num_channels], or undefined
};
TORCH_MODULE(GroupNorm);

OA_LAYER_OF(LocalResponseNorm, (const Tensor& input), (int64_t size), (size));
OA_LAYER_OF(CrossMapLRN2d, (const Tensor& input), (int64_t size), (size));  // of [N, C, H, W]

}  // namespace oneagent::nn
