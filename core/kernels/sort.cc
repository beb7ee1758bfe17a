#include "core/kernels/sort.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "core/kernels/copy.h"
#include "core/kernels/lines.h"

namespace oneagent {
namespace {

template <size_t kBytes>
using Unsigned = std::conditional_t<
    kBytes == 8, uint64_t,
    std::conditional_t<kBytes == 4, uint32_t, std::conditional_t<kBytes == 2, uint16_t, uint8_t>>>;
template <class T>
using Key = Unsigned<sizeof(T)>;

// Unsigned integers in the order of the values; equal values have equal keys.
template <class T>
Key<T> encode(T x) {
  constexpr auto kTop = static_cast<Key<T>>(Key<T>{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::is_floating_point_v<T>) {
    const auto bits = std::bit_cast<Key<T>>(x);
    const auto key = static_cast<Key<T>>((bits & kTop) != 0 ? ~bits : bits | kTop);
    return x != x ? static_cast<Key<T>>(~Key<T>{0}) : x == T(0) ? kTop : key;
  } else {
    return static_cast<Key<T>>(static_cast<Key<T>>(x) ^ (std::is_signed_v<T> ? kTop : Key<T>{0}));
  }
}
template <class T>
T decode(Key<T> key) {
  constexpr auto kTop = static_cast<Key<T>>(Key<T>{1} << (sizeof(T) * 8 - 1));
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>(static_cast<Key<T>>((key & kTop) != 0 ? key & ~kTop : ~key));
  else
    return static_cast<T>(key ^ (std::is_signed_v<T> ? kTop : Key<T>{0}));
}
// Do several values share this key?
template <class T>
bool is_shared(Key<T> key) {
  return std::is_floating_point_v<T> &&
         (key == encode(T(0)) || key == static_cast<Key<T>>(~Key<T>{0}));
}

// What is sorted: keys of up to 32 bits above the index in one word, wider ones beside it.
struct Packed {
  uint64_t word;
  uint64_t key() const { return word >> 32; }
  uint64_t index() const { return word & 0xffffffffU; }
  friend bool operator<(Packed a, Packed b) { return a.word < b.word; }
};
struct Wide {
  uint64_t word, place;
  uint64_t key() const { return word; }
  uint64_t index() const { return place; }
  friend bool operator<(const Wide& a, const Wide& b) {
    return a.word != b.word ? a.word < b.word : a.place < b.place;
  }
};
template <class K>
struct Bare {  // without index
  K word;
  uint64_t key() const { return word; }
  friend bool operator<(Bare a, Bare b) { return a.word < b.word; }
};

constexpr int64_t kRadixFrom = 160;  // shorter rows are compared
constexpr int kDigit = 8, kBuckets = 1 << kDigit;

template <class E>
void insertion_sort(E* begin, E* end) {
  for (E* at = begin + 1; at < end; ++at) {
    const E value = *at;
    E* hole = at;
    for (; hole > begin && value < hole[-1]; --hole) *hole = hole[-1];
    *hole = value;
  }
}

// Least digit first; a digit that is the same everywhere is skipped. The result is in `data`.
template <int kDigits, class E>
void radix_sort(E* data, E* spare, int64_t count) {
  uint64_t ones = 0, zeros = 0;
  for (int64_t i = 0; i < count; ++i) {
    ones |= data[i].key();
    zeros |= ~data[i].key();
  }
  int shifts[kDigits], digits = 0;
  for (int d = 0; d < kDigits; ++d)
    if (((ones & zeros) >> (d * kDigit) & (kBuckets - 1)) != 0) shifts[digits++] = d * kDigit;
  std::vector<uint32_t> counts(static_cast<size_t>(digits) * kBuckets);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t key = data[i].key();
    for (int d = 0; d < digits; ++d)
      ++counts[static_cast<size_t>(d * kBuckets) + ((key >> shifts[d]) & (kBuckets - 1))];
  }
  E *from = data, *to = spare;
  for (int d = 0; d < digits; ++d) {
    uint32_t* starts = counts.data() + d * kBuckets;
    uint32_t total = 0;
    for (int b = 0; b < kBuckets; ++b) total += std::exchange(starts[b], total);
    const int shift = shifts[d];
    for (int64_t i = 0; i < count; ++i)
      to[starts[(from[i].key() >> shift) & (kBuckets - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != data) std::copy(from, from + count, data);
}

template <int kDigits, class E>
void sort_entries(E* data, E* spare, int64_t count) {
  if (std::is_sorted(data, data + count)) return;
  if (count <= 32)
    insertion_sort(data, data + count);
  else if (count < kRadixFrom)
    std::sort(data, data + count);
  else
    radix_sort<kDigits>(data, spare, count);
}

// Sorts kGroup neighbouring lines together, so that strided memory is read and written in runs.
constexpr int64_t kGroup = 8;

template <class T, class E, class Make>
class Sorter {
 public:
  Sorter(int64_t count, bool descending, const Make& make)
      : count_(count),
        flip_(descending ? static_cast<Key<T>>(~Key<T>{0}) : Key<T>{0}),
        make_(make),
        entries_(static_cast<size_t>(count * kGroup)),
        spare_(static_cast<size_t>(count)) {}

  void run(const T* in, T* values, int64_t* indices, int64_t lines, int64_t step) {
    for (int64_t i = 0; i < count_; ++i)
      for (int64_t l = 0; l < lines; ++l)
        entries_[static_cast<size_t>(l * count_ + i)] =
            make_(static_cast<Key<T>>(encode(in[i * step + l]) ^ flip_), static_cast<uint64_t>(i));
    for (int64_t l = 0; l < lines; ++l)
      sort_entries<sizeof(T)>(entries_.data() + l * count_, spare_.data(), count_);
    for (int64_t i = 0; i < count_; ++i)
      for (int64_t l = 0; l < lines; ++l) {
        const E& entry = entries_[static_cast<size_t>(l * count_ + i)];
        const auto key = static_cast<Key<T>>(static_cast<Key<T>>(entry.key()) ^ flip_);
        T value = decode<T>(key);
        if constexpr (requires { entry.index(); }) {
          const auto index = static_cast<int64_t>(entry.index());
          if (is_shared<T>(key)) value = in[index * step + l];
          indices[i * step + l] = index;
        }
        values[i * step + l] = value;
      }
  }

 private:
  int64_t count_;
  Key<T> flip_;
  Make make_;
  std::vector<E> entries_, spare_;
};

template <class T, class E, class Make>
void sort_lines(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
                int64_t dim, bool descending, const Make& make) {
  for_each_part(
      stream, lines_of(in.sizes(), dim), [&](const cpu::Lines& part, int64_t offset, int64_t) {
        Sorter<T, E, Make> sorter(part.count, descending, make);
        const T* from = static_cast<const T*>(in.data_ptr()) + offset;
        T* to = static_cast<T*>(values.data_ptr()) + offset;
        int64_t* places = indices.defined() ? indices.data_ptr<int64_t>() + offset : nullptr;
        for (int64_t o = 0; o < part.outer; ++o)
          for (int64_t j = 0; j < part.inner; j += kGroup) {
            const int64_t at = o * part.jump + j;
            sorter.run(from + at, to + at, places == nullptr ? nullptr : places + at,
                       std::min(kGroup, part.inner - j), part.step);
          }
      });
}

}  // namespace

void run_sort(Stream& stream, const Tensor& values, const Tensor& indices, const Tensor& in,
              int64_t dim, bool descending) {
  const Tensor x = as_contiguous(stream, in);
  const int64_t size = x.dim() == 0 ? 1 : x.size(dim);
  OA_REQUIRE(size < int64_t{1} << 32, "sort: at most 2^32 elements along a dimension, was ", size);
  if (x.numel() == 0) return;
  const bool known = with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    if (!indices.defined()) {
      using E = Bare<Key<T>>;
      sort_lines<T, E>(stream, values, indices, x, dim, descending,
                       [](Key<T> key, uint64_t) { return E{key}; });
    } else if constexpr (sizeof(T) <= 4) {
      sort_lines<T, Packed>(stream, values, indices, x, dim, descending,
                            [](Key<T> key, uint64_t index) {
                              return Packed{static_cast<uint64_t>(key) << 32 | index};
                            });
    } else {
      sort_lines<T, Wide>(stream, values, indices, x, dim, descending,
                          [](Key<T> key, uint64_t index) {
                            return Wide{key, index};
                          });
    }
  });
  OA_REQUIRE(known, "sort: has no order for ", name_of(x.dtype()));
}

}  // namespace oneagent
