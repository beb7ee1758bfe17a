// Tensors side by side.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

// One part of a joined tensor: its values and where they go in the result.
struct Part {
  Tensor values;
  TensorMeta place;
};

// The parts of `out`, which is contiguous, along the dimension before which there are `outer` rows:
// each row holds a row of part 0, of part 1 and so on.
void run_join(Stream& stream, const Tensor& out, const std::vector<Part>& parts, int64_t outer);

}  // namespace oneagent
