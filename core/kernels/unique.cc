#include "core/kernels/unique.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

template <class T>
void number_runs(const T* rows, int64_t count, int64_t width, int64_t* out) {
  int64_t run = 0;
  if (count > 0) out[0] = 0;
  if (width == 1) {
    for (int64_t i = 1; i < count; ++i) {
      run += rows[i] != rows[i - 1] ? 1 : 0;
      out[i] = run;
    }
    return;
  }
  for (int64_t i = 1; i < count; ++i) {
    const T* row = rows + i * width;
    run += std::equal(row, row + width, row - width) ? 0 : 1;
    out[i] = run;
  }
}

// A NaN is larger than any number.
template <class T>
bool before(const T* a, const T* b, int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    if (a[i] < b[i] || (a[i] == a[i] && b[i] != b[i])) return true;
    if (b[i] < a[i] || (b[i] == b[i] && a[i] != a[i])) return false;
  }
  return false;
}

}  // namespace

void run_number_runs(Stream& stream, const Tensor& out, const Tensor& rows) {
  const Tensor x = as_contiguous(stream, rows);
  const int64_t count = x.size(0);
  with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    number_runs(static_cast<const T*>(x.data_ptr()), count, count == 0 ? 0 : x.numel() / count,
                out.data_ptr<int64_t>());
  });
}

void run_find_starts(Stream& stream, const Tensor& starts, const Tensor& numbers) {
  const Tensor x = as_contiguous(stream, numbers);
  const auto runs = x.values<int64_t>();
  int64_t* out = starts.data_ptr<int64_t>();
  for (size_t i = runs.size(); i-- > 0;) {
    OA_REQUIRE(runs[i] >= 0 && runs[i] < starts.numel(), "run_starts: run ", runs[i],
               " is out of range for ", starts.numel(), " runs");
    out[runs[i]] = static_cast<int64_t>(i);
  }
}

void run_sort_rows(Stream& stream, const Tensor& order, const Tensor& rows) {
  const Tensor x = as_contiguous(stream, rows);
  const auto places = order.values<int64_t>();
  std::iota(places.begin(), places.end(), int64_t{0});
  const int64_t width = x.size(1);
  with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    const T* data = static_cast<const T*>(x.data_ptr());
    std::stable_sort(places.begin(), places.end(), [&](int64_t a, int64_t b) {
      return before(data + a * width, data + b * width, width);
    });
  });
}

Tensor distinct_neighbours(Stream& stream, const Tensor& flat) {
  const Tensor x = as_contiguous(stream, flat);
  const int64_t n = x.numel();
  Tensor out;
  with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    int64_t count = n > 0 ? 1 : 0;
    for (int64_t i = 1; i < n; ++i) count += in[i] != in[i - 1] ? 1 : 0;
    out = empty_on(stream, {count}, x.dtype());
    T* to = static_cast<T*>(out.data_ptr());
    if (n == 0) return;
    // Without branches: the first value of a run is written again until the run ends.
    T value = *to = in[0];
    for (int64_t i = 1, at = 0; i < n; ++i) {
      const bool next = in[i] != in[i - 1];
      at += next ? 1 : 0;
      value = next ? in[i] : value;
      to[at] = value;
    }
  });
  return out;
}

CountedValues count_small_range(Stream& stream, const Tensor& flat, int64_t least, int64_t range,
                                bool wants_places) {
  const Tensor x = as_contiguous(stream, flat);
  const int64_t n = x.numel();
  CountedValues out;
  with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    int64_t counts[kSmallRange];
    std::fill_n(counts, range, int64_t{0});
    for (int64_t i = 0; i < n; ++i) ++counts[static_cast<int64_t>(in[i]) - least];
    int64_t number = 0, numbers[kSmallRange];
    for (int64_t v = 0; v < range; ++v) {
      numbers[v] = number;
      number += counts[v] != 0 ? 1 : 0;
    }
    out.values = empty_on(stream, {number}, x.dtype());
    out.counts = empty_on(stream, {number}, DType::kInt64);
    T* values = static_cast<T*>(out.values.data_ptr());
    int64_t* how_often = out.counts.data_ptr<int64_t>();
    for (int64_t v = 0; v < range; ++v) {
      if (counts[v] == 0) continue;
      values[numbers[v]] = static_cast<T>(v + least);
      how_often[numbers[v]] = counts[v];
    }
    if (!wants_places) return;
    out.places = empty_on(stream, {n}, DType::kInt64);
    int64_t* places = out.places.data_ptr<int64_t>();
    for (int64_t i = 0; i < n; ++i) places[i] = numbers[static_cast<int64_t>(in[i]) - least];
  });
  return out;
}

Tensor in_hash_order(Stream& stream, const Tensor& x, int64_t count) {
  const Tensor flat = as_contiguous(stream, x);
  Tensor out = empty_on(stream, {count}, x.dtype());
  with_any(x.dtype(), [&]<class T>(Type<T>) {
    if constexpr (std::is_arithmetic_v<T>) {
      const T* data = flat.data_ptr<T>();
      const std::unordered_set<T> values(data, data + flat.numel());
      OA_CHECK(static_cast<int64_t>(values.size()) == count, "unique: ", values.size(),
               " values in the set, ", count, " runs");
      std::copy(values.begin(), values.end(), out.data_ptr<T>());
    }
  });
  return out;
}

}  // namespace oneagent
