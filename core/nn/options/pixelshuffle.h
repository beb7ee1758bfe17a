// Options of PixelShuffle and PixelUnshuffle.
#pragma once

#include <cstdint>

#include "core/nn/arg.h"

namespace oneagent::nn {

struct PixelShuffleOptions {
  PixelShuffleOptions(int64_t upscale_factor)  // NOLINT: implicit
      : upscale_factor_(upscale_factor) {}
  TORCH_ARG(int64_t, upscale_factor);
};
struct PixelUnshuffleOptions {
  PixelUnshuffleOptions(int64_t downscale_factor)  // NOLINT
      : downscale_factor_(downscale_factor) {}
  TORCH_ARG(int64_t, downscale_factor);
};

namespace functional {
using PixelShuffleFuncOptions = PixelShuffleOptions;
using PixelUnshuffleFuncOptions = PixelUnshuffleOptions;
}  // namespace functional

}  // namespace oneagent::nn
