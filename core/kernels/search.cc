#include "core/kernels/search.h"

#include "core/kernels/copy.h"
#include "core/kernels/sort.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 4096;

// The number of elements before the place: halves the range without branches. For a NaN the whole
// length.
template <bool kRight, class T, class At>
int64_t place_of(T value, int64_t count, const At& at) {
  int64_t low = 0;
  while (count > 0) {
    const int64_t half = count / 2;
    const T middle = at(low + half);
    const bool beyond = kRight ? !(middle > value) : !(middle >= value);
    low = beyond ? low + half + 1 : low;
    count = beyond ? count - half - 1 : half;
  }
  return low;
}

template <class T, class R, bool kRight>
void search(Stream& stream, R* out, const T* sequence, const T* values, const int64_t* sorter,
            int64_t size, int64_t count, int64_t row) {
  stream.parallel_for(count, kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = row == 0 ? 0 : i / row * size;
      const T* line = sequence + first;
      const int64_t place =
          sorter == nullptr ? place_of<kRight>(values[i], size, [&](int64_t k) { return line[k]; })
                            : place_of<kRight>(values[i], size,
                                               [&](int64_t k) { return line[sorter[first + k]]; });
      out[i] = static_cast<R>(place);
    }
  });
}

constexpr int64_t kFew = 16;  // tests that are compared one by one

template <class T>
void compare_all(const T* in, bool* out, int64_t count, const T* tests, int64_t size, bool invert) {
  for (int64_t i = 0; i < count; ++i) out[i] = invert;
  for (int64_t t = 0; t < size; ++t) {
    const T test = tests[t];
    for (int64_t i = 0; i < count; ++i) out[i] = (in[i] == test) ? !invert : out[i];
  }
}

}  // namespace

void run_searchsorted(Stream& stream, const Tensor& out, const Tensor& sequence,
                      const Tensor& values, const Tensor& sorter, bool right) {
  const Tensor line = as_contiguous(stream, sequence), x = as_contiguous(stream, values);
  const Tensor order = sorter.defined() ? as_contiguous(stream, sorter) : sorter;
  if (x.numel() == 0) return;
  const int64_t size = line.sizes().back();
  const int64_t row = line.dim() == 1 ? 0 : x.sizes().back();
  const int64_t* places = order.defined() ? order.data_ptr<int64_t>() : nullptr;
  if (places != nullptr)
    for (const int64_t place : order.values<int64_t>())
      OA_REQUIRE(place >= 0 && place < size, "searchsorted: the sorter's index ", place,
                 " is out of range for ", size, " elements");
  const bool known = with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    const auto run = [&](auto* to) {
      const auto* from = static_cast<const T*>(line.data_ptr());
      const auto* wanted = static_cast<const T*>(x.data_ptr());
      using R = std::remove_pointer_t<decltype(to)>;
      right ? search<T, R, true>(stream, to, from, wanted, places, size, x.numel(), row)
            : search<T, R, false>(stream, to, from, wanted, places, size, x.numel(), row);
    };
    if (out.dtype() == DType::kInt32)
      run(out.data_ptr<int32_t>());
    else
      run(out.data_ptr<int64_t>());
  });
  OA_REQUIRE(known, "searchsorted: has no order for ", name_of(x.dtype()));
}

void run_isin(Stream& stream, const Tensor& out, const Tensor& elements, const Tensor& tests,
              bool invert) {
  const Tensor x = as_contiguous(stream, elements), set = as_contiguous(stream, tests);
  const int64_t size = set.numel();
  Tensor sorted = set;
  if (size > kFew) {
    TensorMeta flat = set.impl().meta;
    flat.sizes = {size};
    flat.strides = {1};
    sorted = empty_on(stream, {size}, set.dtype());
    run_sort(stream, sorted, Tensor(), alias_of(set, flat), 0, false);
  }
  bool* to = out.data_ptr<bool>();
  with_number_or_bool(x.dtype(), [&]<class T>(Type<T>) {
    const T* in = static_cast<const T*>(x.data_ptr());
    const T* line = static_cast<const T*>(sorted.data_ptr());
    stream.parallel_for(x.numel(), kGrain, [&](int64_t begin, int64_t end) {
      if (size <= kFew) return compare_all(in + begin, to + begin, end - begin, line, size, invert);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t place = place_of<false>(in[i], size, [&](int64_t k) { return line[k]; });
        to[i] = (place < size && line[place] == in[i]) != invert;
      }
    });
  });
}

}  // namespace oneagent
