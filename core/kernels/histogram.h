// Counting elements into bins.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// How a bin is found from its edges.
enum class BinSearch : uint8_t {
  kBinary,
  kLinear,  // equal bins, by division
  kChecked  // equal bins, by division, corrected by the edges next to it
};

// out[b0, b1, ...] = sum of the weights (1 where undefined) of the rows of points [m, n] that fall
// into bin (b0, b1, ...); `edges` has the rising edges of all n dimensions one after the other. The
// last bin has its right edge; points outside and NaN count nowhere.
void run_histogram(Stream& stream, const Tensor& out, const Tensor& points, const Tensor& edges,
                   const Tensor& weights, BinSearch search);

// out[v - low] = how often v is in x, or the sum of the weights there.
void run_bincount(Stream& stream, const Tensor& out, const Tensor& x, const Tensor& weights,
                  int64_t low);

}  // namespace oneagent
