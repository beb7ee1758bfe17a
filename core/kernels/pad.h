// Padding: every dimension of the result reads the operand through a map of coordinates.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

// Of one dimension: the operand's coordinate for each of the result's, -1 where there is none. In
// first .. last - 1 they differ by a constant.
struct PadMap {
  std::vector<int64_t> from;
  int64_t first = 0, last = 0;
};

// out[i...] = in[maps(i)...], or value where a map gives -1; both contiguous, one map a dimension.
void run_pad(Stream& stream, const Tensor& out, const Tensor& in, const std::vector<PadMap>& maps,
             Scalar value);

// The transpose: in[maps(i)...] = the sum of out[i...]; maps without -1.
void run_pad_backward(Stream& stream, const Tensor& in, const Tensor& out,
                      const std::vector<PadMap>& maps);

}  // namespace oneagent
