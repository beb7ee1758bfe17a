#include "core/nn/modules/pooling.h"

#include "core/nn/functional/pooling.h"
#include "core/nn/printed.h"

namespace oneagent::nn {

namespace F = functional;

#define OA_AVG_POOL(D)                                                                 \
  Tensor AvgPool##D##dImpl::forward(const Tensor& input) const {                       \
    return F::avg_pool##D##d(input, options);                                          \
  }                                                                                    \
  void AvgPool##D##dImpl::pretty_print(std::ostream& out) const {                      \
    Printed(out, "AvgPool" #D "d")                                                     \
        .with("kernel_size", options.kernel_size())                                    \
        .with("stride", options.stride())                                              \
        .with("padding", options.padding());                                           \
  }                                                                                    \
  Tensor AdaptiveAvgPool##D##dImpl::forward(const Tensor& input) const {               \
    return F::adaptive_avg_pool##D##d(input, options);                                 \
  }                                                                                    \
  void AdaptiveAvgPool##D##dImpl::pretty_print(std::ostream& out) const {              \
    Printed(out, "AdaptiveAvgPool" #D "d").with("output_size", options.output_size()); \
  }
OA_AVG_POOL(1)
OA_AVG_POOL(2)
OA_AVG_POOL(3)
#undef OA_AVG_POOL

#define OA_WITH_INDICES(Name, function)                                                         \
  Tensor Name##Impl::forward(const Tensor& input) const { return F::function(input, options); } \
  std::tuple<Tensor, Tensor> Name##Impl::forward_with_indices(const Tensor& input) const {      \
    return F::function##_with_indices(input, options);                                          \
  }
OA_WITH_INDICES(MaxPool1d, max_pool1d)
OA_WITH_INDICES(MaxPool2d, max_pool2d)
OA_WITH_INDICES(MaxPool3d, max_pool3d)
OA_WITH_INDICES(AdaptiveMaxPool1d, adaptive_max_pool1d)
OA_WITH_INDICES(AdaptiveMaxPool2d, adaptive_max_pool2d)
OA_WITH_INDICES(AdaptiveMaxPool3d, adaptive_max_pool3d)
#undef OA_WITH_INDICES

#define OA_MAX_POOL(D)                                                                        \
  void MaxPool##D##dImpl::pretty_print(std::ostream& out) const {                             \
    Printed(out, "MaxPool" #D "d")                                                            \
        .with("kernel_size", options.kernel_size())                                           \
        .with("stride", options.stride())                                                     \
        .with("padding", options.padding())                                                   \
        .with("dilation", options.dilation())                                                 \
        .with("ceil_mode", options.ceil_mode());                                              \
  }                                                                                           \
  void AdaptiveMaxPool##D##dImpl::pretty_print(std::ostream& out) const {                     \
    Printed(out, "AdaptiveMaxPool" #D "d").with("output_size", options.output_size());        \
  }                                                                                           \
  Tensor MaxUnpool##D##dImpl::forward(const Tensor& input, const Tensor& indices,             \
                                      const std::optional<std::vector<int64_t>>& output_size) \
      const {                                                                                 \
    return F::max_unpool##D##d(input, indices,                                                \
                               F::MaxUnpool##D##dFuncOptions(options.kernel_size())           \
                                   .stride(options.stride())                                  \
                                   .padding(options.padding())                                \
                                   .output_size(output_size));                                \
  }                                                                                           \
  void MaxUnpool##D##dImpl::pretty_print(std::ostream& out) const {                           \
    Printed(out << std::boolalpha, "MaxUnpool" #D "d")                                        \
        .with("kernel_size", options.kernel_size())                                           \
        .with("stride", options.stride())                                                     \
        .with("padding", options.padding());                                                  \
  }
OA_MAX_POOL(1)
OA_MAX_POOL(2)
OA_MAX_POOL(3)
#undef OA_MAX_POOL

#define OA_FRACTIONAL_POOL(D)                                                             \
  void FractionalMaxPool##D##dImpl::reset() {                                             \
    OA_REQUIRE(options.output_size().has_value() || options.output_ratio().has_value(),   \
               "FractionalMaxPool" #D                                                     \
               "d requires specifying either an output size, or a pooling ratio");        \
    OA_REQUIRE(!options.output_size().has_value() || !options.output_ratio().has_value(), \
               "only one of output_size and output_ratio may be specified");              \
    if (options.output_ratio().has_value())                                               \
      for (const double ratio : *options.output_ratio().value())                          \
        OA_REQUIRE(ratio > 0 && ratio < 1, "output_ratio must be between 0 and 1 (got ",  \
                   *options.output_ratio(), ')');                                         \
    _random_samples = register_buffer("_random_samples", options._random_samples());      \
  }                                                                                       \
  std::tuple<Tensor, Tensor> FractionalMaxPool##D##dImpl::forward_with_indices(           \
      const Tensor& input) const {                                                        \
    auto with_samples = options;                                                          \
    return F::fractional_max_pool##D##d_with_indices(                                     \
        input, with_samples._random_samples(_random_samples));                            \
  }                                                                                       \
  Tensor FractionalMaxPool##D##dImpl::forward(const Tensor& input) const {                \
    return std::get<0>(forward_with_indices(input));                                      \
  }                                                                                       \
  void FractionalMaxPool##D##dImpl::pretty_print(std::ostream& out) const {               \
    Printed(out, "FractionalMaxPool" #D "d");                                             \
  }
OA_FRACTIONAL_POOL(2)
OA_FRACTIONAL_POOL(3)
#undef OA_FRACTIONAL_POOL

#define OA_LP_POOL(D)                                            \
  Tensor LPPool##D##dImpl::forward(const Tensor& input) const {  \
    return F::lp_pool##D##d(input, options);                     \
  }                                                              \
  void LPPool##D##dImpl::pretty_print(std::ostream& out) const { \
    Printed(out, "LPPool" #D "d")                                \
        .with("norm_type", options.norm_type())                  \
        .with("kernel_size", options.kernel_size())              \
        .with("stride", options.stride())                        \
        .with("ceil_mode", options.ceil_mode());                 \
  }
OA_LP_POOL(1)
OA_LP_POOL(2)
#undef OA_LP_POOL

}  // namespace oneagent::nn
