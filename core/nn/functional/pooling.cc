#include "core/nn/functional/pooling.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor avg_pool1d(const Tensor& input, const AvgPool1dFuncOptions& options) {
  return oneagent::avg_pool1d(input, options.kernel_size(), options.stride(), options.padding(),
                              options.ceil_mode(), options.count_include_pad());
}
Tensor avg_pool2d(const Tensor& input, const AvgPool2dFuncOptions& options) {
  return oneagent::avg_pool2d(input, options.kernel_size(), options.stride(), options.padding(),
                              options.ceil_mode(), options.count_include_pad(),
                              options.divisor_override());
}
Tensor avg_pool3d(const Tensor& input, const AvgPool3dFuncOptions& options) {
  return oneagent::avg_pool3d(input, options.kernel_size(), options.stride(), options.padding(),
                              options.ceil_mode(), options.count_include_pad(),
                              options.divisor_override());
}

#define OA_MAX_POOL(D)                                                                           \
  Tensor max_pool##D##d(const Tensor& input, const MaxPool##D##dFuncOptions& options) {          \
    return oneagent::max_pool##D##d(input, options.kernel_size(), options.stride(),              \
                                    options.padding(), options.dilation(), options.ceil_mode()); \
  }                                                                                              \
  std::tuple<Tensor, Tensor> max_pool##D##d_with_indices(                                        \
      const Tensor& input, const MaxPool##D##dFuncOptions& options) {                            \
    return oneagent::max_pool##D##d_with_indices(input, options.kernel_size(), options.stride(), \
                                                 options.padding(), options.dilation(),          \
                                                 options.ceil_mode());                           \
  }
OA_MAX_POOL(1)
OA_MAX_POOL(2)
OA_MAX_POOL(3)
#undef OA_MAX_POOL

namespace {

Shape filled(const Tensor&, const ExpandingArray<1>& size) { return size; }
template <size_t D>
Shape filled(const Tensor& input, const ExpandingArrayWithOptionalElem<D>& size) {
  OA_REQUIRE(input.dim() > static_cast<int64_t>(D), "Input dimension should be at least ", D + 1);
  Shape out;
  for (size_t i = 0; i < D; ++i)
    out.push_back(size->at(i).value_or(input.size(input.dim() - static_cast<int64_t>(D - i))));
  return out;
}

}  // namespace

#define OA_ADAPTIVE_POOL(D)                                                                \
  std::tuple<Tensor, Tensor> adaptive_max_pool##D##d_with_indices(                         \
      const Tensor& input, const AdaptiveMaxPool##D##dFuncOptions& options) {              \
    return oneagent::adaptive_max_pool##D##d(input, filled(input, options.output_size())); \
  }                                                                                        \
  Tensor adaptive_max_pool##D##d(const Tensor& input,                                      \
                                 const AdaptiveMaxPool##D##dFuncOptions& options) {        \
    return std::get<0>(adaptive_max_pool##D##d_with_indices(input, options));              \
  }                                                                                        \
  Tensor adaptive_avg_pool##D##d(const Tensor& input,                                      \
                                 const AdaptiveAvgPool##D##dFuncOptions& options) {        \
    return oneagent::adaptive_avg_pool##D##d(input, filled(input, options.output_size())); \
  }
OA_ADAPTIVE_POOL(1)
OA_ADAPTIVE_POOL(2)
OA_ADAPTIVE_POOL(3)
#undef OA_ADAPTIVE_POOL

namespace {

// The spatial size that an unpooling gives: as asked for, or what pooling would have started from.
template <size_t D>
Shape unpooled_size(const Tensor& input, const MaxUnpoolFuncOptions<D>& options) {
  const auto rank = static_cast<int64_t>(D);
  OA_REQUIRE(input.dim() == rank + 1 || input.dim() == rank + 2, "max_unpool", D,
             "d: expected an input of ", D + 1, " or ", D + 2, " dimensions, was shape ",
             input.sizes());
  Shape usual;
  for (size_t i = 0; i < D; ++i)
    usual.push_back((input.size(input.dim() - rank + static_cast<int64_t>(i)) - 1) *
                        options.stride()->at(i) +
                    options.kernel_size()->at(i) - 2 * options.padding()->at(i));
  if (!options.output_size()) return usual;
  std::vector<int64_t> asked = *options.output_size();
  if (asked.size() == D + 2) asked.erase(asked.begin(), asked.begin() + 2);
  OA_REQUIRE(asked.size() == D, "output_size should be a sequence containing ", D, " or ", D + 2,
             " elements, but it has a length of ", asked.size());
  for (size_t i = 0; i < D; ++i) {
    const int64_t stride = options.stride()->at(i);
    OA_REQUIRE(asked[i] >= usual[i] - stride && asked[i] <= usual[i] + stride,
               "invalid output_size ", IntArrayRef(asked), " (dim ", i, " must be between ",
               usual[i] - stride, " and ", usual[i] + stride, ")");
  }
  return asked;
}

}  // namespace

Tensor max_unpool1d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool1dFuncOptions& options) {
  Shape size = unpooled_size(input, options);
  size.push_back(1);
  return oneagent::max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), size).squeeze(-1);
}
Tensor max_unpool2d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool2dFuncOptions& options) {
  return oneagent::max_unpool2d(input, indices, unpooled_size(input, options));
}
Tensor max_unpool3d(const Tensor& input, const Tensor& indices,
                    const MaxUnpool3dFuncOptions& options) {
  return oneagent::max_unpool3d(input, indices, unpooled_size(input, options), options.stride(),
                                options.padding());
}

namespace {

template <size_t D>
Shape fractional_size(const Tensor& input, const FractionalMaxPoolOptions<D>& options) {
  if (options.output_size()) return *options.output_size();
  OA_REQUIRE(options.output_ratio().has_value(), "fractional_max_pool", D,
             "d requires specifying either an output_size or an output_ratio");
  Shape out;
  for (size_t i = 0; i < D; ++i)
    out.push_back(static_cast<int64_t>(
        static_cast<double>(input.size(input.dim() - static_cast<int64_t>(D - i))) *
        (*options.output_ratio())->at(i)));
  return out;
}

template <size_t D>
Tensor samples(const Tensor& input, const FractionalMaxPoolOptions<D>& options) {
  if (options._random_samples().defined()) return options._random_samples();
  const auto rank = static_cast<int64_t>(D);
  const int64_t batch = input.dim() == rank + 1 ? 1 : input.size(0);
  return rand({batch, input.size(-rank - 1), rank}, TensorOptions(input.dtype()));
}

}  // namespace

std::tuple<Tensor, Tensor> fractional_max_pool2d_with_indices(
    const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return oneagent::fractional_max_pool2d(input, options.kernel_size(),
                                         fractional_size(input, options), samples(input, options));
}
std::tuple<Tensor, Tensor> fractional_max_pool3d_with_indices(
    const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return oneagent::fractional_max_pool3d(input, options.kernel_size(),
                                         fractional_size(input, options), samples(input, options));
}
Tensor fractional_max_pool2d(const Tensor& input, const FractionalMaxPool2dFuncOptions& options) {
  return std::get<0>(fractional_max_pool2d_with_indices(input, options));
}
Tensor fractional_max_pool3d(const Tensor& input, const FractionalMaxPool3dFuncOptions& options) {
  return std::get<0>(fractional_max_pool3d_with_indices(input, options));
}

namespace {

// From the mean of x^p over windows of `count`.
Tensor lp_of(const Tensor& mean, double norm_type, int64_t count) {
  return (mean.sign() * mean.abs().relu()).mul(static_cast<double>(count)).pow(1.0 / norm_type);
}

}  // namespace

Tensor lp_pool1d(const Tensor& input, const LPPool1dFuncOptions& options) {
  const Tensor mean = oneagent::avg_pool1d(input.pow(options.norm_type()), options.kernel_size(),
                                           options.stride(), 0, options.ceil_mode());
  return lp_of(mean, options.norm_type(), options.kernel_size()->at(0));
}
Tensor lp_pool2d(const Tensor& input, const LPPool2dFuncOptions& options) {
  const Tensor mean = oneagent::avg_pool2d(input.pow(options.norm_type()), options.kernel_size(),
                                           options.stride(), 0, options.ceil_mode());
  return lp_of(mean, options.norm_type(),
               options.kernel_size()->at(0) * options.kernel_size()->at(1));
}

}  // namespace oneagent::nn::functional
