#include "core/kernels/histogram.h"

#include <algorithm>
#include <vector>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

constexpr int64_t kBlock = 512;

// The edges of one dimension.
template <class T>
struct Edges {
  const T* at;
  int64_t bins;
  BinSearch search;

  // The bins of `count` points, -1 outside. The arithmetic is PyTorch's.
  void find(const T* points, int64_t step, int64_t count, int32_t* found) const {
    const T left = at[0], right = at[bins], width = right - left;
    const auto scale = static_cast<T>(bins);
    const auto last = static_cast<int32_t>(bins) - 1;
    if (search == BinSearch::kBinary) {
      for (int64_t i = 0; i < count; ++i) {
        const T x = points[i * step];
        found[i] = x >= left && x <= right ? among(x, 0, bins + 1) : -1;
      }
      return;
    }
    for (int64_t i = 0; i < count; ++i) {
      const T x = points[i * step];
      const bool inside = (x >= left) & (x <= right);
      const auto bin = static_cast<int32_t>((inside ? (x - left) * scale / width : T(-1)));
      found[i] = inside ? (bin > last ? last : bin) : -1;
    }
    if (search == BinSearch::kLinear) return;
    for (int64_t i = 0; i < count; ++i)
      if (found[i] >= 0)
        found[i] = among(points[i * step], std::max(found[i] - 1, 0),
                         std::min<int64_t>(found[i] + 3, bins + 1));
  }
  // By the edges begin .. end - 1.
  int32_t among(T x, int64_t begin, int64_t end) const {
    const auto bin = static_cast<int32_t>(std::upper_bound(at + begin, at + end, x) - at) - 1;
    return std::min(bin, static_cast<int32_t>(bins) - 1);
  }
};

template <class T>
std::vector<Edges<T>> edges_of(const Tensor& out, const Tensor& edges, BinSearch search) {
  std::vector<Edges<T>> all;
  const T* at = edges.data_ptr<T>();
  for (const int64_t bins : out.sizes()) {
    all.push_back({at, bins, search});
    at += bins + 1;
  }
  return all;
}

template <class T>
void histogram(const Tensor& out, const Tensor& points, const Tensor& edges, const Tensor& weights,
               BinSearch search) {
  const auto all = edges_of<T>(out, edges, search);
  const auto rank = static_cast<int64_t>(all.size());
  const int64_t rows = points.size(0);
  const T* x = points.data_ptr<T>();
  const T* weight = weights.defined() ? weights.data_ptr<T>() : nullptr;
  std::vector<int64_t> counts(weight == nullptr ? static_cast<size_t>(out.numel()) : 0);
  T* sums = out.data_ptr<T>();
  std::fill_n(sums, out.numel(), T(0));
  int32_t bins[kBlock];
  int64_t places[kBlock];
  for (int64_t begin = 0; begin < rows; begin += kBlock) {
    const int64_t count = std::min(kBlock, rows - begin);
    std::fill_n(places, count, int64_t{0});
    for (int64_t d = 0; d < rank; ++d) {
      all[static_cast<size_t>(d)].find(x + begin * rank + d, rank, count, bins);
      const int64_t size = all[static_cast<size_t>(d)].bins;
      for (int64_t i = 0; i < count; ++i)
        places[i] = places[i] < 0 || bins[i] < 0 ? -1 : places[i] * size + bins[i];
    }
    for (int64_t i = 0; i < count; ++i) {
      if (places[i] < 0) continue;
      if (weight == nullptr)
        ++counts[static_cast<size_t>(places[i])];
      else
        sums[places[i]] += weight[begin + i];
    }
  }
  for (size_t i = 0; i < counts.size(); ++i) sums[i] = static_cast<T>(counts[i]);
}

int64_t checked(int64_t place, int64_t count, int64_t low) {
  OA_REQUIRE(place >= 0 || low > 0, "bincount: values must not be negative, one was ", low + place);
  OA_REQUIRE(place >= 0 && place < count, "bincount: values must be in ", low, " .. ",
             low + count - 1, ", one was ", low + place);
  return place;
}

// Throws for a value that is not in low .. low + count - 1.
template <class T>
void check_values(const T* values, int64_t n, int64_t count, int64_t low) {
  int64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t place = static_cast<int64_t>(values[i]) - low;
    bad |= place | (count - 1 - place);
  }
  for (int64_t i = 0; bad < 0 && i < n; ++i)
    checked(static_cast<int64_t>(values[i]) - low, count, low);
}

template <class T, class W>
void sum_weights(const Tensor& x, const W* weights, const Tensor& out, int64_t low) {
  W* sums = out.data_ptr<W>();
  std::fill_n(sums, out.numel(), W(0));
  const T* values = x.data_ptr<T>();
  const int64_t n = x.numel();
  check_values(values, n, out.numel(), low);
  for (int64_t i = 0; i < n; ++i) sums[static_cast<int64_t>(values[i]) - low] += weights[i];
}

// Few bins are counted in four tables, so that equal neighbours do not wait for each other.
template <class T>
void count_values(const T* values, int64_t n, const Tensor& out, int64_t low) {
  constexpr int64_t kFew = 4096;
  const int64_t bins = out.numel();
  int64_t* counts = out.data_ptr<int64_t>();
  std::fill_n(counts, bins, int64_t{0});
  check_values(values, n, bins, low);
  const auto place = [=](int64_t i) { return static_cast<int64_t>(values[i]) - low; };
  int64_t i = 0;
  if (bins <= kFew && n > bins) {
    std::vector<int64_t> tables(static_cast<size_t>(bins) * 3);
    int64_t *b = tables.data(), *c = b + bins, *d = c + bins;
    for (; i + 4 <= n; i += 4) {
      ++counts[place(i)];
      ++b[place(i + 1)];
      ++c[place(i + 2)];
      ++d[place(i + 3)];
    }
    for (int64_t v = 0; v < bins; ++v) counts[v] += b[v] + c[v] + d[v];
  }
  for (; i < n; ++i) ++counts[place(i)];
}

}  // namespace

void run_histogram(Stream& stream, const Tensor& out, const Tensor& points, const Tensor& edges,
                   const Tensor& weights, BinSearch search) {
  const Tensor x = as_contiguous(stream, points), sides = as_contiguous(stream, edges);
  const Tensor weight = weights.defined() ? as_contiguous(stream, weights) : weights;
  with_floating(x.dtype(), [&]<class T>(Type<T>) { histogram<T>(out, x, sides, weight, search); });
}

void run_bincount(Stream& stream, const Tensor& out, const Tensor& x, const Tensor& weights,
                  int64_t low) {
  const Tensor values = as_contiguous(stream, x);
  const Tensor weight = weights.defined() ? as_contiguous(stream, weights) : weights;
  with_number_or_bool(values.dtype(), [&]<class T>(Type<T>) {
    if constexpr (std::is_integral_v<T>) {
      const T* data = static_cast<const T*>(values.data_ptr());
      if (!weight.defined()) return count_values(data, values.numel(), out, low);
      with_floating(out.dtype(), [&]<class W>(Type<W>) {
        sum_weights<T, W>(values, weight.data_ptr<W>(), out, low);
      });
    }
  });
}

}  // namespace oneagent
