#include "core/kernels/masked.h"

#include <cstring>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

// Calls visit(i) for each true byte. Eight false ones are passed at once.
template <class Visit>
void each_true(const uint8_t* mask, int64_t n, const Visit& visit) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, mask + i, 8);
    while (eight != 0) {
      const int64_t byte = __builtin_ctzll(eight) / 8;
      visit(i + byte);
      eight &= ~(uint64_t{0xff} << (8 * byte));
    }
  }
  for (; i < n; ++i)
    if (mask[i] != 0) visit(i);
}

const uint8_t* bytes_of(const Tensor& mask) { return static_cast<const uint8_t*>(mask.data_ptr()); }

}  // namespace

int64_t count_true(Stream& stream, const Tensor& mask) {
  const Tensor flat = as_contiguous(stream, mask);
  const uint8_t* bytes = bytes_of(flat);
  int64_t count = 0;
  for (int64_t i = 0; i < flat.numel(); ++i) count += bytes[i] != 0;
  return count;
}

void run_masked_select(Stream& stream, const Tensor& out, const Tensor& in, const Tensor& mask) {
  if (out.numel() == 0) return;
  const Tensor values = as_contiguous(stream, in), flat = as_contiguous(stream, mask);
  const uint8_t* bytes = bytes_of(flat);
  const int64_t n = flat.numel(), count = out.numel();
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    T* to = static_cast<T*>(out.data_ptr());
    const T* from = static_cast<const T*>(values.data_ptr());
    int64_t at = 0;
    if (count * 8 < n) return each_true(bytes, n, [&](int64_t i) { to[at++] = from[i]; });
    for (int64_t i = 0; at < count; ++i) {  // every element is written, only true ones are kept
      to[at] = from[i];
      at += bytes[i] != 0;
    }
  });
}

void run_masked_scatter(Stream& stream, const Tensor& out, const Tensor& mask,
                        const Tensor& source) {
  if (!out.is_contiguous()) {
    const Tensor copy = contiguous_copy(stream, out);
    run_masked_scatter(stream, copy, mask, source);
    return copy_into(stream, out, copy);
  }
  const Tensor flat = as_contiguous(stream, mask);
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    T* to = static_cast<T*>(out.data_ptr());
    const T* from = static_cast<const T*>(source.data_ptr());
    each_true(bytes_of(flat), flat.numel(), [&](int64_t i) { to[i] = *from++; });
  });
}

std::vector<Tensor> mask_to_indices(Stream& stream, const Tensor& mask) {
  const Tensor flat = as_contiguous(stream, mask);
  const int64_t count = count_true(stream, flat);
  std::vector<Tensor> out;
  std::array<int64_t*, Shape::kMaxRank> at{};
  const size_t rank = mask.sizes().size();
  for (size_t d = 0; d < rank; ++d) {
    out.push_back(empty_on(stream, {count}, DType::kInt64));
    at[d] = out.back().data_ptr<int64_t>();
  }
  if (rank == 1) {
    each_true(bytes_of(flat), flat.numel(), [&](int64_t i) { *at[0]++ = i; });
    return out;
  }
  if (count == 0) return out;
  const int64_t row = mask.sizes().back();
  std::array<int64_t, Shape::kMaxRank> index{};
  for (int64_t first = 0; first < flat.numel(); first += row) {
    each_true(bytes_of(flat) + first, row, [&](int64_t i) {
      for (size_t d = 0; d + 1 < rank; ++d) *at[d]++ = index[d];
      *at[rank - 1]++ = i;
    });
    for (size_t d = rank - 1; d-- > 0;) {
      if (++index[d] < mask.sizes()[d]) break;
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace oneagent
