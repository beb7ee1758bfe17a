#include "core/kernels/rank.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "core/kernels/copy.h"
#include "core/kernels/lines.h"

namespace oneagent {
namespace {

constexpr size_t kSampled = 1 << 14;  // numbers of which a sample says something

template <class T>
struct Entry {
  T value;
  std::conditional_t<sizeof(T) == 8, int64_t, int32_t> index;
};

template <class T>
using UnsignedOf =
    std::conditional_t<sizeof(T) == 8, uint64_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t,
                                          std::conditional_t<sizeof(T) == 2, uint16_t, uint8_t>>>;
// Unsigned integers in the order of the values, but -0 comes before 0.
template <class T>
UnsignedOf<T> ordered(T x) {
  using Key = UnsignedOf<T>;
  constexpr auto kTop = static_cast<Key>(Key{1} << (8 * sizeof(T) - 1));
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<Key>(x);
    return static_cast<Key>(bits ^ ((bits & kTop) != 0 ? static_cast<Key>(~Key{0}) : kTop));
  } else {
    return static_cast<Key>(static_cast<Key>(x) ^ (std::is_signed_v<T> ? kTop : Key{0}));
  }
}

template <class T>
bool is_nan(T x) {
  return x != x;
}
// The order of topk: of the largest with NaN first, of the smallest with NaN last.
template <bool kLargest>
struct Before {
  template <class T>
  bool operator()(const Entry<T>& a, const Entry<T>& b) const {
    return value(a.value, b.value);
  }
  template <class T>
  static bool value(T a, T b) {
    if constexpr (kLargest)
      return a > b || (is_nan(a) && !is_nan(b));
    else
      return a < b || (!is_nan(a) && is_nan(b));
  }
};

// Calls body(row, line, scratch) for each line, with its elements side by side and as many scratch
// elements.
template <class Scratch, class T, class Body>
void each_line(Stream& stream, const Tensor& x, int64_t dim, const Body& body) {
  for_each_part(stream, lines_of(x.sizes(), dim),
                [&](const cpu::Lines& part, int64_t offset, int64_t line) {
                  const T* from = static_cast<const T*>(x.data_ptr()) + offset;
                  std::vector<T> row(part.step == 1 ? 0 : static_cast<size_t>(part.count));
                  std::vector<Scratch> scratch(static_cast<size_t>(part.count));
                  for (int64_t o = 0; o < part.outer; ++o)
                    for (int64_t j = 0; j < part.inner; ++j) {
                      const T* at = from + o * part.jump + j;
                      for (size_t i = 0; i < row.size(); ++i)
                        row[i] = at[static_cast<int64_t>(i) * part.step];
                      body(row.empty() ? at : row.data(), line + o * part.inner + j, scratch);
                    }
                });
}

// The heap keeps the k best so far, the worst of them on top. A better element takes the place of
// the top: the hole sinks to a leaf along the worse children, then the element rises from there.
template <class T, class Less>
void replace_top(Entry<T>* heap, int64_t size, const Entry<T>& entry, const Less& less) {
  int64_t hole = 0;
  int64_t child = 2;
  for (; child < size; child = 2 * hole + 2) {
    if (less(heap[child], heap[child - 1])) --child;
    heap[hole] = heap[child];
    hole = child;
  }
  if (child == size) {
    heap[hole] = heap[child - 1];
    hole = child - 1;
  }
  for (int64_t parent = (hole - 1) / 2; hole > 0 && less(heap[parent], entry);
       parent = (hole - 1) / 2) {
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = entry;
}

template <bool kLargest, class T>
bool any_before(const T* in, T top) {
  constexpr int kSpan = 32;
  int found = 0;
  for (int i = 0; i < kSpan; ++i)
    found |= (kLargest ? in[i] > top : in[i] < top) | (in[i] != in[i]) | (top != top);
  return found != 0;
}

template <bool kLargest, class T>
void few_of_many(std::vector<Entry<T>>& heap, const T* in, int64_t count, int64_t k) {
  const Before<kLargest> less;
  const auto entry = [&](int64_t i) {
    Entry<T> out;
    out.value = in[i];
    out.index = static_cast<decltype(out.index)>(i);
    return out;
  };
  for (int64_t i = 0; i < k; ++i) heap[static_cast<size_t>(i)] = entry(i);
  std::make_heap(heap.begin(), heap.begin() + k, less);
  const auto offer = [&](int64_t i) {
    if (less.value(in[i], heap[0].value)) replace_top(heap.data(), k, entry(i), less);
  };
  int64_t i = k;
  for (; i + 32 <= count; i += 32) {
    if (!any_before<kLargest>(in + i, heap[0].value)) continue;
    for (int64_t at = i; at < i + 32; ++at) offer(at);
  }
  for (; i < count; ++i) offer(i);
  std::sort_heap(heap.begin(), heap.begin() + k, less);
}

template <class T>
void fill_entries(std::vector<Entry<T>>& all, const T* row) {
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].value = row[i];
    all[i].index = static_cast<decltype(all[i].index)>(i);
  }
}

template <bool kLargest, class T>
void many_of_many(std::vector<Entry<T>>& all, const T* row, int64_t k, bool sorted) {
  const Before<kLargest> less;
  fill_entries(all, row);
  std::nth_element(all.begin(), all.begin() + k - 1, all.end(), less);
  if (sorted) std::sort(all.begin(), all.begin() + k - 1, less);
}

// Hoare's selection with the median of three as pivot: afterwards entry k is the one of rank k.
template <class T>
void partition_around(Entry<T>* all, int64_t count, int64_t k) {
  const auto above = [](T a, T b) { return (is_nan(a) && !is_nan(b)) || a > b; };
  int64_t left = 0, right = count - 1;
  while (right > left + 1) {
    std::swap(all[(left + right) >> 1], all[left + 1]);
    if (above(all[left + 1].value, all[right].value)) std::swap(all[left + 1], all[right]);
    if (above(all[left].value, all[right].value)) std::swap(all[left], all[right]);
    if (above(all[left + 1].value, all[left].value)) std::swap(all[left + 1], all[left]);
    const T pivot = all[left].value;
    int64_t up = left + 1, down = right;
    while (true) {
      while (above(pivot, all[++up].value)) {
      }
      while (above(all[--down].value, pivot)) {
      }
      if (down < up) break;
      std::swap(all[up], all[down]);
    }
    std::swap(all[left], all[down]);
    if (down <= k) left = up;
    if (down >= k) right = down - 1;
  }
  if (right == left + 1 && above(all[left].value, all[right].value))
    std::swap(all[left], all[right]);
}

template <class T>
struct Results {
  T* values;
  int64_t* indices;  // may be null
  void set(int64_t line, T value, int64_t index) const {
    values[line] = value;
    if (indices != nullptr) indices[line] = index;
  }
};

template <class T>
void kth_of_row(const T* row, std::vector<Entry<T>>& all, int64_t k, const Results<T>& out,
                int64_t line) {
  fill_entries(all, row);
  partition_around(all.data(), static_cast<int64_t>(all.size()), k - 1);
  const Entry<T>& entry = all[static_cast<size_t>(k - 1)];
  out.set(line, entry.value, entry.index);
}

// Selection by the leading bits: what shares those of the value of rank k is gathered and looked at
// further, the rest is counted only.
template <class T>
T select_rank(std::vector<T>& numbers, size_t size, int64_t k) {
  using Key = UnsignedOf<T>;
  constexpr int kBits = 8 * sizeof(T), kDigit = 12;
  constexpr size_t kFew = 1024;
  if (size <= kFew || kBits < kDigit) {
    std::nth_element(numbers.begin(), numbers.begin() + k,
                     numbers.begin() + static_cast<int64_t>(size));
    return numbers[static_cast<size_t>(k)];
  }
  std::vector<uint32_t> counts(size_t{1} << kDigit);
  int shift = kBits;
  while (size > kFew && shift > 0) {
    const int digit = std::min(kDigit, shift);
    shift -= digit;
    const Key mask = static_cast<Key>((Key{1} << digit) - 1);
    const auto bucket_of = [&](T x) { return static_cast<size_t>((ordered(x) >> shift) & mask); };
    std::fill(counts.begin(), counts.end(), 0U);
    for (size_t i = 0; i < size; ++i) ++counts[bucket_of(numbers[i])];
    size_t bucket = 0;
    while (k >= int64_t{counts[bucket]}) k -= counts[bucket++];
    size_t kept = 0;
    for (size_t i = 0; i < size; ++i) {
      numbers[kept] = numbers[i];
      kept += bucket_of(numbers[i]) == bucket ? 1 : 0;
    }
    size = kept;
  }
  std::nth_element(numbers.begin(), numbers.begin() + k,
                   numbers.begin() + static_cast<int64_t>(size));
  return numbers[static_cast<size_t>(k)];
}

// Two numbers of an ordered sample that almost always enclose the one of rank k (Floyd and Rivest
// 1975). Of numbers[0 .. size), those between them come to the front, `size` and `k` become theirs;
// false, and nothing changed, where the two are no help.
template <class T>
bool enclose(const std::vector<T>& in, std::vector<T>& kept, size_t& size, int64_t& k) {
  constexpr size_t kSample = 1024, kMargin = 64;  // four times the deviation of a rank
  T sample[kSample];
  for (size_t i = 0; i < kSample; ++i) sample[i] = in[i * size / kSample];
  std::sort(sample, sample + kSample);
  const size_t middle = static_cast<size_t>(k) * kSample / size;
  const T low = sample[middle < kMargin ? 0 : middle - kMargin];
  const T high = sample[std::min(middle + kMargin, kSample - 1)];
  size_t below = 0, inside = 0;
  for (size_t i = 0; i < size; ++i) below += in[i] < low ? 1 : 0;
  for (size_t i = 0; i < size; ++i) inside += in[i] >= low && in[i] <= high ? 1 : 0;
  const auto rank = static_cast<size_t>(k);
  if (rank < below || rank >= below + inside || inside > size / 2) return false;
  kept.resize(inside + 1);
  size_t at = 0;
  for (size_t i = 0; i < size; ++i) {
    kept[at] = in[i];
    at += in[i] >= low && in[i] <= high ? 1 : 0;
  }
  size = inside;
  k -= static_cast<int64_t>(below);
  return true;
}

// The value by selection without indices; its index is that of the element which a stable sort
// would put there.
template <class T>
void median_of_row(const T* row, std::vector<T>& numbers, int64_t count, bool ignore_nan,
                   const Results<T>& out, int64_t line) {
  const T* nan = std::find_if(row, row + count, is_nan<T>);
  size_t size = static_cast<size_t>(count);
  if (nan != row + count) {
    if (!ignore_nan) return out.set(line, *nan, nan - row);
    size = static_cast<size_t>(
        std::copy_if(row, row + count, numbers.begin(), [](T x) { return x == x; }) -
        numbers.begin());
    if (size == 0) return out.set(line, row[0], 0);
  } else {
    std::copy(row, row + count, numbers.begin());
  }
  const auto middle = static_cast<int64_t>((size - 1) / 2);
  int64_t rank = middle;
  std::vector<T> inner;
  const bool narrowed = size >= kSampled && enclose(numbers, inner, size, rank);
  const T value = select_rank(narrowed ? inner : numbers, size, rank);
  if (out.indices == nullptr) return out.set(line, value, 0);
  int64_t below = 0;
  for (int64_t i = 0; i < count; ++i) below += row[i] < value ? 1 : 0;
  int64_t index = -1;
  for (int64_t left = middle - below; left >= 0; --left)
    index = std::find(row + index + 1, row + count, value) - row;
  out.set(line, row[index], index);
}

template <class T>
void mode_of_row(const T* row, std::vector<Entry<T>>& all, const Results<T>& out, int64_t line) {
  fill_entries(all, row);
  std::sort(all.begin(), all.end(), [](const Entry<T>& a, const Entry<T>& b) {
    return a.value < b.value || (!is_nan(a.value) && is_nan(b.value));
  });
  size_t run = 0, longest = 0, best = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    ++run;
    if (i + 1 < all.size() && all[i].value == all[i + 1].value) continue;
    if (run > longest) {
      longest = run;
      best = i;
    }
    run = 0;
  }
  out.set(line, all[best].value, all[best].index);
}

template <class Run>
void with_rows(Stream& stream, const char* what, const Tensor& in, int64_t dim, const Run& run) {
  const Tensor x = as_contiguous(stream, in);
  const int64_t count = lines_of(x.sizes(), dim).count;
  OA_REQUIRE(count <= std::numeric_limits<int32_t>::max(), what,
             ": at most 2^31 - 1 elements along a dimension, was ", count);
  const bool known =
      with_number_or_bool(x.dtype(), [&]<class T>(Type<T> type) { run(type, x, count); });
  OA_REQUIRE(known, what, ": has no order for ", name_of(x.dtype()));
}

template <class T>
Results<T> results_of(const Tensor& values, const Tensor& indices) {
  return {static_cast<T*>(values.data_ptr()),
          indices.defined() ? indices.data_ptr<int64_t>() : nullptr};
}

}  // namespace

void run_topk(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t k, int64_t dim, bool largest, bool sorted) {
  if (k == 0 || in.numel() == 0) return;
  const int64_t inner = lines_of(in.sizes(), dim).inner;
  with_rows(stream, "topk", in, dim, [&]<class T>(Type<T>, const Tensor& x, int64_t count) {
    const Results<T> out = results_of<T>(values, indices);
    each_line<Entry<T>, T>(stream, x, dim,
                           [&](const T* row, int64_t line, std::vector<Entry<T>>& entries) {
                             if (k * 64 <= count)
                               largest ? few_of_many<true>(entries, row, count, k)
                                       : few_of_many<false>(entries, row, count, k);
                             else
                               largest ? many_of_many<true>(entries, row, k, sorted)
                                       : many_of_many<false>(entries, row, k, sorted);
                             const int64_t first = line / inner * k * inner + line % inner;
                             for (int64_t i = 0; i < k; ++i) {
                               const Entry<T>& entry = entries[static_cast<size_t>(i)];
                               out.set(first + i * inner, entry.value, entry.index);
                             }
                           });
  });
}

void run_kthvalue(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
                  int64_t k, int64_t dim) {
  with_rows(stream, "kthvalue", in, dim, [&]<class T>(Type<T>, const Tensor& x, int64_t) {
    const Results<T> out = results_of<T>(values, indices);
    each_line<Entry<T>, T>(stream, x, dim,
                           [&](const T* row, int64_t line, std::vector<Entry<T>>& entries) {
                             kth_of_row(row, entries, k, out, line);
                           });
  });
}

void run_median(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
                int64_t dim, bool ignore_nan) {
  with_rows(stream, "median", in, dim, [&]<class T>(Type<T>, const Tensor& x, int64_t count) {
    const Results<T> out = results_of<T>(values, indices);
    each_line<T, T>(stream, x, dim, [&](const T* row, int64_t line, std::vector<T>& numbers) {
      median_of_row(row, numbers, count, ignore_nan, out, line);
    });
  });
}

void run_mode(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t dim) {
  with_rows(stream, "mode", in, dim, [&]<class T>(Type<T>, const Tensor& x, int64_t) {
    const Results<T> out = results_of<T>(values, indices);
    each_line<Entry<T>, T>(stream, x, dim,
                           [&](const T* row, int64_t line, std::vector<Entry<T>>& entries) {
                             mode_of_row(row, entries, out, line);
                           });
  });
}

}  // namespace oneagent
