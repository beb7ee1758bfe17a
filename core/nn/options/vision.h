// Options of grid_sample().
#pragma once

#include <optional>

#include "core/nn/arg.h"
#include "core/nn/enum.h"

namespace oneagent::nn::functional {

struct GridSampleFuncOptions {
  using mode_t = std::variant<enumtype::kBilinear, enumtype::kNearest>;
  using padding_mode_t = std::variant<enumtype::kZeros, enumtype::kBorder, enumtype::kReflection>;
  TORCH_ARG(mode_t, mode) = kBilinear;
  TORCH_ARG(padding_mode_t, padding_mode) = kZeros;
  TORCH_ARG(std::optional<bool>, align_corners) = std::nullopt;
};

}  // namespace oneagent::nn::functional
