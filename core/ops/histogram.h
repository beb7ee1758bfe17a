// Histograms of floating tensors, and counts of small integers. The last bin has its right edge;
// elements outside and NaN count nowhere.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// Counts in equal bins between min and max; of all elements where both are equal.
Tensor histc(const Tensor& self, int64_t bins = 100, Scalar min = 0, Scalar max = 0);

// Counts (or sums of weights) and edges. With `density` the integral is 1. `range` has the
// outermost edges of every dimension; without it they are the extremes of the elements.
std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins,
                                     const std::optional<Tensor>& weight = {},
                                     bool density = false);
std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins = 100,
                                     std::optional<ArrayRef<double>> range = std::nullopt,
                                     const std::optional<Tensor>& weight = {},
                                     bool density = false);
// Of the points in the last dimension.
std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, const Shape& bins, std::optional<ArrayRef<double>> range = std::nullopt,
    const std::optional<Tensor>& weight = {}, bool density = false);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, int64_t bins, std::optional<ArrayRef<double>> range = std::nullopt,
    const std::optional<Tensor>& weight = {}, bool density = false);
std::tuple<Tensor, std::vector<Tensor>> histogramdd(
    const Tensor& self, const std::vector<Tensor>& bins,
    std::optional<ArrayRef<double>> range = std::nullopt, const std::optional<Tensor>& weight = {},
    bool density = false);
std::vector<Tensor> _histogramdd_bin_edges(const Tensor& self, const Shape& bins,
                                           std::optional<ArrayRef<double>> range = std::nullopt,
                                           const std::optional<Tensor>& weight = {},
                                           bool density = false);

// How often each of 0 .. max(self) comes in a 1-d tensor of integers, at least minlength results:
// int64, or the sums of the weights in their floating type (float64 for integers).
Tensor bincount(const Tensor& self, const std::optional<Tensor>& weights = {},
                int64_t minlength = 0);

}  // namespace oneagent
