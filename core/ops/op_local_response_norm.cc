#include "core/ops/avg_pool.h"
#include "core/ops/binary.h"
#include "core/ops/local_response_norm.h"
#include "core/ops/number.h"
#include "core/ops/pad.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {

Tensor local_response_norm(const Tensor& input, int64_t size, double alpha, double beta, double k) {
  OA_REQUIRE(input.dim() >= 3, "local_response_norm: expected at least 3 dimensions, was ",
             input.sizes());
  OA_REQUIRE(size > 0, "local_response_norm: size must be positive, was ", size);
  // Channels as the height of one-channel images, everything behind them as the width.
  const Tensor squares = reshape(square(input), {input.size(0), 1, input.size(1), -1});
  const Tensor padded = constant_pad_nd(squares, {0, 0, size / 2, (size - 1) / 2});
  const Tensor means = reshape(avg_pool2d(padded, {size, 1}, {1, 1}), input.sizes());
  return div(input, pow(add(mul(means, alpha), k), beta));
}

}  // namespace oneagent
