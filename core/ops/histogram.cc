#include "core/ops/histogram.h"

#include <cmath>
#include <limits>

#include "core/kernels/histogram.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/differences.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_sort.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"bins", AttrKind::kInts}, {"search", AttrKind::kInt}};
Attrs attrs_of(const Shape& bins, BinSearch search) {
  return Attrs().add(bins).add(static_cast<int64_t>(search));
}

// points [m, n], edges of all dimensions one after the other, weights [m] or absent.
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("histogram", in);
  require_floating("histogram", *in[0]);
  const Shape bins = attrs.list(0);
  int64_t edges = 0;
  for (const int64_t count : bins) {
    OA_REQUIRE(count > 0, "histogram: needs at least one bin in each dimension, was ", bins);
    edges += count + 1;
  }
  const Shape& points = in[0]->sizes;
  OA_REQUIRE(points.size() == 2 && points[1] == static_cast<int64_t>(bins.size()),
             "histogram: points of shape ", points, " have no bins ", bins);
  OA_REQUIRE(in[1]->sizes == Shape{edges}, "histogram: expected ", edges, " edges, were ",
             in[1]->sizes);
  OA_REQUIRE(in[2] == nullptr || in[2]->sizes == Shape{points[0]},
             "histogram: expected a weight for each of ", points[0], " points");
  out.add(bins, in[0]->dtype);
}
std::string rule(Metas in, const Attrs& attrs) {
  std::string bins;
  for (size_t i = 0; i < attrs.list(0).size(); ++i) bins += static_cast<char>('p' + i);
  return str("mn,e,", in[2] == nullptr ? "" : "m", "->", bins, ";ne", bins);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_histogram(stream, out[0], in[0], in[1], in[2], static_cast<BinSearch>(attrs.integer(1)));
}
constinit const Op kHistogram = {
    .name = "histogram",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(2),
    .rule = {.generate = rule},
    .flops = reduce_flops,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{
              {{unit({9, 1}), distinct({2}), absent()}, attrs_of({1}, BinSearch::kBinary)},
              {{normal({600, 1}), distinct({2}), positive({600})},
               attrs_of({1}, BinSearch::kLinear)},
              {{normal({5, 2}), distinct({4}), absent()}, attrs_of({1, 1}, BinSearch::kChecked)}};
        },
};

constexpr AttrSpec kCountAttrs[] = {{"count", AttrKind::kInt}, {"low", AttrKind::kInt}};
Attrs count_attrs(int64_t count, int64_t low) { return Attrs().add(count).add(low); }
void count_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(is_integral(in[0]->dtype, true) && in[0]->sizes.size() == 1,
             "bincount: needs a 1-d tensor of integers, was ", name_of(in[0]->dtype), " ",
             in[0]->sizes);
  OA_REQUIRE(in[1] == nullptr || (is_floating(in[1]->dtype) && in[1]->sizes == in[0]->sizes),
             "bincount: expected a weight for each of ", in[0]->sizes, " elements");
  out.add({attrs.integer(0)}, in[1] == nullptr ? DType::kInt64 : in[1]->dtype);
}
constinit const Op kBincount = {
    .name = "bincount",
    .attrs = kCountAttrs,
    .infer = count_infer,
    .absent = saves_input(1),
    .rule = {.generate = [](Metas in, const Attrs&) -> std::string {
      return in[1] == nullptr ? "a,->z;z" : "a,a->z;z";
    }},
    .flops = reduce_flops,
    .kernels = {[](Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
      run_bincount(stream, out[0], in[0], in[1], attrs.integer(1));
    }},
    .samples =
        [] {
          return Samples{{{ints({20}, 0, 5), absent()}, count_attrs(5, 0)},
                         {{ints({9}, 0, 4, DType::kInt32), normal({9})}, count_attrs(7, 0)},
                         {{ints({20}, -3, 5, DType::kInt16), absent()}, count_attrs(8, -3)},
                         {{ints({0}, 0, 4), absent()}, count_attrs(0, 0)}};
        },
};

using Range = std::optional<ArrayRef<double>>;
using Weight = std::optional<Tensor>;

Tensor as_points(const Tensor& x, int64_t rank) { return reshape(x.detach(), {-1, rank}); }

Tensor count(const Tensor& points, const std::vector<Tensor>& edges, const Weight& weight,
             BinSearch search) {
  Shape bins;
  for (const Tensor& side : edges) {
    OA_REQUIRE(side.dim() == 1 && side.numel() > 0,
               "histogram: edges must be 1-d and not empty, were ", side.sizes());
    bins.push_back(side.numel() - 1);
  }
  const Tensor sides = edges.size() == 1 ? edges[0] : cat(edges);
  const Tensor weights = weight ? reshape(weight->detach(), {-1}) : Tensor();
  return call_op(kHistogram, {&points, &sides, &weights}, attrs_of(bins, search));
}

// Divided by the total and the size of each bin.
Tensor as_density(Tensor counts, const std::vector<Tensor>& edges) {
  counts = div(counts, sum(counts));
  for (size_t d = 0; d < edges.size(); ++d) {
    Shape sizes(std::vector<int64_t>(edges.size(), 1));
    sizes[d] = edges[d].numel() - 1;
    counts = div(counts, view(diff(edges[d]), sizes));
  }
  return counts;
}

void check_range(const char* op, double low, double high) {
  OA_REQUIRE(std::isfinite(low) && std::isfinite(high), op, ": the range [", low, ", ", high,
             "] is not finite");
  OA_REQUIRE(low <= high, op, ": max must not be below min, was [", low, ", ", high, "]");
}

std::vector<Tensor> equal_edges(const Tensor& points, const Shape& bins, const Range& range) {
  const size_t rank = bins.size();
  OA_REQUIRE(!range || range->size() == 2 * rank, "histogram: expected ", 2 * rank,
             " outermost edges, were ", range ? range->size() : 0);
  std::vector<double> low(rank, 0.0), high(rank, 1.0);
  if (range) {
    for (size_t d = 0; d < rank; ++d) {
      low[d] = (*range)[2 * d];
      high[d] = (*range)[2 * d + 1];
    }
  } else if (points.numel() > 0) {
    const auto [least, most] = aminmax(points, 0);
    low = to_vector<double>(least);
    high = to_vector<double>(most);
  }
  std::vector<Tensor> edges;
  for (size_t d = 0; d < rank; ++d) {
    check_range("histogram", low[d], high[d]);
    if (low[d] == high[d]) {
      low[d] -= 0.5;
      high[d] += 0.5;
    }
    edges.push_back(linspace(low[d], high[d], bins[d] + 1, points.options()));
  }
  return edges;
}

}  // namespace

Tensor count_values(const Tensor& x, int64_t low, int64_t count) {
  const Tensor none;
  return call_op(kBincount, {&x, &none}, count_attrs(count, low));
}

Tensor histc(const Tensor& self, int64_t bins, Scalar min, Scalar max) {
  OA_REQUIRE(bins > 0, "histc: needs at least one bin, was ", bins);
  const Tensor points = as_points(self, 1);
  require_floating("histc", points.impl().meta);
  double low = min.number(), high = max.number();
  if (low == high && points.numel() > 0) {
    const auto [least, most] = aminmax(points);
    low = least.item<double>();
    high = most.item<double>();
  }
  check_range("histc", low, high);
  if (low == high) {
    low -= 1;
    high += 1;
  }
  return count(points, {linspace(low, high, bins + 1, points.options())}, {}, BinSearch::kLinear);
}

std::tuple<Tensor, Tensor> histogram(const Tensor& self, const Tensor& bins, const Weight& weight,
                                     bool density) {
  const Tensor counts = count(as_points(self, 1), {bins}, weight, BinSearch::kBinary);
  return {density ? as_density(counts, {bins}) : counts, bins};
}
std::tuple<Tensor, Tensor> histogram(const Tensor& self, int64_t bins, Range range,
                                     const Weight& weight, bool density) {
  const Tensor points = as_points(self, 1);
  const auto edges = equal_edges(points, {bins}, range);
  const Tensor counts = count(points, edges, weight, BinSearch::kChecked);
  return {density ? as_density(counts, edges) : counts, edges[0]};
}

std::vector<Tensor> _histogramdd_bin_edges(const Tensor& self, const Shape& bins, Range range,
                                           const Weight&, bool) {
  OA_REQUIRE(self.dim() > 1 && self.size(-1) == static_cast<int64_t>(bins.size()),
             "histogramdd: points of shape ", self.sizes(), " have no bins ", bins);
  return equal_edges(as_points(self, self.size(-1)), bins, range);
}
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, const Shape& bins,
                                                    Range range, const Weight& weight,
                                                    bool density) {
  const auto edges = _histogramdd_bin_edges(self, bins, range, weight, density);
  const Tensor counts = count(as_points(self, self.size(-1)), edges, weight, BinSearch::kChecked);
  return {density ? as_density(counts, edges) : counts, edges};
}
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self, int64_t bins, Range range,
                                                    const Weight& weight, bool density) {
  OA_REQUIRE(self.dim() > 1, "histogramdd: needs points in the last of two or more dimensions");
  return histogramdd(self, Shape(std::vector<int64_t>(static_cast<size_t>(self.size(-1)), bins)),
                     range, weight, density);
}
std::tuple<Tensor, std::vector<Tensor>> histogramdd(const Tensor& self,
                                                    const std::vector<Tensor>& bins, Range,
                                                    const Weight& weight, bool density) {
  OA_REQUIRE(self.dim() > 1, "histogramdd: needs points in the last of two or more dimensions");
  const Tensor counts = count(as_points(self, self.size(-1)), bins, weight, BinSearch::kBinary);
  return {density ? as_density(counts, bins) : counts, bins};
}

Tensor bincount(const Tensor& self, const Weight& weights, int64_t minlength) {
  OA_REQUIRE(minlength >= 0, "bincount: minlength must not be negative, was ", minlength);
  Tensor weight;
  if (weights && weights->defined())
    weight = weights->is_floating_point() ? weights->detach() : to(*weights, DType::kFloat64);
  OA_REQUIRE(is_integral(self.dtype()), "bincount: needs integers, was ", name_of(self.dtype()));
  const int64_t most = self.numel() == 0 ? -1 : max(self).item<int64_t>();
  OA_REQUIRE(most < std::numeric_limits<int64_t>::max(),
             "bincount: maximum value of input overflowed, it should be < 9223372036854775807");
  return call_op(kBincount, {&self, &weight}, count_attrs(std::max(most + 1, minlength), 0));
}

OA_OP(histogram, &kHistogram, &kBincount)

}  // namespace oneagent
