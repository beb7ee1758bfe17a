#include "core/nn/modules/norm.h"

#include "core/nn/functional/norm.h"
#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

namespace F = functional;

template <size_t D, class Derived, class Options>
void ChannelNorm<D, Derived, Options>::reset() {
  const Shape sizes = options.num_features();
  const bool affine = options.affine(), track = options.track_running_stats();
  weight = this->register_parameter("weight", affine ? empty(sizes) : Tensor(), affine);
  bias = this->register_parameter("bias", affine ? empty(sizes) : Tensor(), affine);
  running_mean = this->register_buffer("running_mean", track ? zeros(sizes) : Tensor());
  running_var = this->register_buffer("running_var", track ? ones(sizes) : Tensor());
  num_batches_tracked =
      this->register_buffer("num_batches_tracked", track ? zeros({}, kInt64) : Tensor());
  reset_parameters();
}

template <size_t D, class Derived, class Options>
void ChannelNorm<D, Derived, Options>::reset_running_stats() {
  if (!options.track_running_stats()) return;
  running_mean.zero_();
  running_var.fill_(1);
  num_batches_tracked.zero_();
}

template <size_t D, class Derived, class Options>
void ChannelNorm<D, Derived, Options>::reset_parameters() {
  reset_running_stats();
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}

namespace {

std::string shown(const std::optional<double>& momentum) {
  return momentum ? str(*momentum) : "None";
}

void require_rank(const Tensor& input, std::initializer_list<int64_t> ranks, const char* which) {
  OA_REQUIRE(std::find(ranks.begin(), ranks.end(), input.dim()) != ranks.end(), "expected ", which,
             " input (got ", input.dim(), "D input)");
}

}  // namespace

template <size_t D, class Derived, class Options>
void ChannelNorm<D, Derived, Options>::pretty_print(std::ostream& out) const {
  const bool batch = std::is_same_v<Options, BatchNormOptions>;
  Printed(out, str(batch ? "BatchNorm" : "InstanceNorm", D, "d"))
      .value(options.num_features())
      .with("eps", options.eps())
      .with("momentum", shown(options.momentum()))
      .with("affine", options.affine())
      .with("track_running_stats", options.track_running_stats());
}

template <size_t D, class Derived>
Tensor BatchNorm<D, Derived>::forward(const Tensor& input) {
  if (D == 1) require_rank(input, {2, 3}, "2D or 3D");
  if (D == 2) require_rank(input, {4}, "4D");
  if (D == 3) require_rank(input, {5}, "5D");
  double momentum = this->options.momentum().value_or(0.0);
  if (this->is_training() && this->num_batches_tracked.defined()) {
    this->num_batches_tracked.add_(1);
    if (!this->options.momentum())
      momentum = 1.0 / this->num_batches_tracked.template item<double>();
  }
  return F::batch_norm(input, this->running_mean, this->running_var,
                       F::BatchNormFuncOptions()
                           .weight(this->weight)
                           .bias(this->bias)
                           .training(this->is_training() || !this->options.track_running_stats())
                           .momentum(momentum)
                           .eps(this->options.eps()));
}

template <size_t D, class Derived>
Tensor InstanceNorm<D, Derived>::forward(const Tensor& input) {
  if (D == 1) require_rank(input, {2, 3}, "2D or 3D");
  if (D == 2) require_rank(input, {3, 4}, "3D or 4D");
  if (D == 3) require_rank(input, {4, 5}, "4D or 5D");
  const bool alone = input.dim() == static_cast<int64_t>(D) + 1;
  const auto options =
      F::InstanceNormFuncOptions()
          .running_mean(this->running_mean)
          .running_var(this->running_var)
          .weight(this->weight)
          .bias(this->bias)
          .use_input_stats(this->is_training() || !this->options.track_running_stats())
          .momentum(this->options.momentum())
          .eps(this->options.eps());
  if (alone) return F::instance_norm(input.unsqueeze(0), options).squeeze(0);
  return F::instance_norm(input, options);
}

void LayerNormImpl::reset() {
  const bool affine = options.elementwise_affine();
  weight = register_parameter(
      "weight", affine ? oneagent::empty(options.normalized_shape()) : Tensor(), affine);
  bias = register_parameter("bias", affine ? oneagent::empty(options.normalized_shape()) : Tensor(),
                            affine);
  reset_parameters();
}
void LayerNormImpl::reset_parameters() {
  if (!options.elementwise_affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
Tensor LayerNormImpl::forward(const Tensor& input) const {
  return layer_norm(input, options.normalized_shape(), weight, bias, options.eps());
}
void LayerNormImpl::pretty_print(std::ostream& out) const {
  Printed(out, "LayerNorm")
      .value(IntArrayRef(options.normalized_shape()))
      .with("eps", options.eps())
      .with("elementwise_affine", options.elementwise_affine());
}

void GroupNormImpl::reset() {
  const bool affine = options.affine();
  weight = register_parameter("weight", affine ? empty(options.num_channels()) : Tensor(), affine);
  bias = register_parameter("bias", affine ? empty(options.num_channels()) : Tensor(), affine);
  reset_parameters();
}
void GroupNormImpl::reset_parameters() {
  if (!options.affine()) return;
  init::ones_(weight);
  init::zeros_(bias);
}
Tensor GroupNormImpl::forward(const Tensor& input) const {
  return group_norm(input, options.num_groups(), weight, bias, options.eps());
}
void GroupNormImpl::pretty_print(std::ostream& out) const {
  Printed(out, "GroupNorm")
      .value(options.num_groups())
      .value(options.num_channels())
      .with("eps", options.eps())
      .with("affine", options.affine());
}

Tensor LocalResponseNormImpl::forward(const Tensor& input) const {
  return F::local_response_norm(input, options);
}
void LocalResponseNormImpl::pretty_print(std::ostream& out) const {
  Printed(out, "LocalResponseNorm")
      .value(options.size())
      .with("alpha", options.alpha())
      .with("beta", options.beta())
      .with("k", options.k());
}

// The window reaches (size - 1) / 2 channels to both sides; its sum is divided by size. As in
// libtorch 1.13, the first channel stays in all later windows.
Tensor CrossMapLRN2dImpl::forward(const Tensor& input) const {
  OA_REQUIRE(input.dim() == 4, "CrossMapLRN2d: Expected input to be 4D, got ", input.dim(),
             "D instead.");
  const int64_t side = (options.size() - 1) / 2;
  const Tensor squares = input * input;
  Tensor mean = oneagent::pad(squares.flatten(2).unsqueeze(1), {0, 0, side, side});
  mean = oneagent::avg_pool2d(mean, {2 * side + 1, 1}, 1, 0, false, true, options.size());
  mean = mean.squeeze(1).view(input.sizes());
  if (const int64_t near = side + 1, later = input.size(1) - near; later > 0) {
    const Tensor first = squares.narrow(1, 0, 1) / static_cast<double>(options.size());
    mean = oneagent::cat({mean.narrow(1, 0, near), mean.narrow(1, near, later) + first}, 1);
  }
  return input / (mean * options.alpha() + static_cast<double>(options.k())).pow(options.beta());
}
void CrossMapLRN2dImpl::pretty_print(std::ostream& out) const {
  Printed(out, "CrossMapLRN2d")
      .value(options.size())
      .with("alpha", options.alpha())
      .with("beta", options.beta())
      .with("k", options.k());
}

template class ChannelNorm<1, BatchNorm1dImpl, BatchNormOptions>;
template class ChannelNorm<2, BatchNorm2dImpl, BatchNormOptions>;
template class ChannelNorm<3, BatchNorm3dImpl, BatchNormOptions>;
template class ChannelNorm<1, InstanceNorm1dImpl, InstanceNormOptions>;
template class ChannelNorm<2, InstanceNorm2dImpl, InstanceNormOptions>;
template class ChannelNorm<3, InstanceNorm3dImpl, InstanceNormOptions>;
template class BatchNorm<1, BatchNorm1dImpl>;
template class BatchNorm<2, BatchNorm2dImpl>;
template class BatchNorm<3, BatchNorm3dImpl>;
template class InstanceNorm<1, InstanceNorm1dImpl>;
template class InstanceNorm<2, InstanceNorm2dImpl>;
template class InstanceNorm<3, InstanceNorm3dImpl>;

}  // namespace oneagent::nn
