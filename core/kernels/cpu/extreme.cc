#include "core/kernels/cpu/extreme.h"

#include "core/kernels/cpu/fold.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <bool Largest, class T>
bool better(T value, T best) {
  return Largest ? value > best : value < best;
}

template <class T>
int64_t first_of(const T* in, int64_t begin, T value) {
  if (value != value)
    while (in[begin] == in[begin]) ++begin;
  else
    while (in[begin] != value) ++begin;
  return begin;
}

// A block is folded at full speed and looked at again only when it holds something better.
template <bool Largest, class T>
int64_t extreme_of_row(const T* in, int64_t count) {
  constexpr int64_t kShort = 24, kSpan = 512;
  int64_t best = 0;
  if (count <= kShort) {
    T top = in[0];
    bool odd = top != top;
    for (int64_t i = 1; i < count; ++i) {
      top = better<Largest>(in[i], top) ? in[i] : top;
      odd |= in[i] != in[i];
    }
    if (odd) {
      for (best = 0; in[best] == in[best];) ++best;
      return best;
    }
    best = count - 1;
    for (int64_t i = count - 1; i-- > 0;) best = in[i] == top ? i : best;
    return best;
  }
  if (in[0] != in[0]) return 0;
  std::conditional_t<Largest, Max<T>, Min<T>> f;
  for (int64_t at = 0; at < count; at += kSpan) {
    const T top = reduce_block(f, in + at, count - at < kSpan ? count - at : kSpan);
    if (top != top) return first_of(in, at, top);
    if (better<Largest>(top, in[best])) best = first_of(in, at, top);
  }
  return best;
}

constexpr int64_t kColumns = 64;

template <bool Largest, class T>
void extreme_of_columns(const T* in, T* values, int64_t* indices, int64_t count, int64_t step,
                        int64_t columns) {
  using Index = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  T best[kColumns];
  Index where[kColumns];
  for (int64_t c = 0; c < kColumns; ++c) {
    best[c] = c < columns ? in[c] : T(0);
    where[c] = 0;
  }
  const auto visit = [&](int64_t i, int64_t width) {
    const T* row = in + i * step;
    for (int64_t c = 0; c < width; ++c) {
      const T x = row[c], now = best[c];
      const bool take = better<Largest>(x, now) | ((x != x) & (now == now));
      best[c] = take ? x : now;
      where[c] = take ? static_cast<Index>(i) : where[c];
    }
  };
  if (columns == kColumns)
    for (int64_t i = 1; i < count; ++i) visit(i, kColumns);
  else
    for (int64_t i = 1; i < count; ++i) visit(i, columns);
  for (int64_t c = 0; c < columns; ++c) {
    indices[c] = where[c];
    if (values != nullptr) values[c] = best[c];
  }
}

template <bool Largest, class T>
void run(const ExtremeArgs& args) {
  const Lines& lines = args.lines;
  for (int64_t o = 0; o < lines.outer; ++o) {
    const T* in = static_cast<const T*>(args.in) + o * lines.jump;
    T* values = args.values == nullptr ? nullptr : static_cast<T*>(args.values) + o * lines.inner;
    int64_t* indices = args.indices + o * lines.inner;
    if (lines.inner == 1 && lines.step == 1) {
      indices[0] = extreme_of_row<Largest>(in, lines.count);
      if (values != nullptr) values[0] = in[indices[0]];
      continue;
    }
    for (int64_t j = 0; j < lines.inner; j += kColumns)
      extreme_of_columns<Largest>(in + j, values == nullptr ? nullptr : values + j, indices + j,
                                  lines.count, lines.step,
                                  lines.inner - j < kColumns ? lines.inner - j : kColumns);
  }
}

}  // namespace

bool extreme(bool largest, DType dtype, const ExtremeArgs& args) {
  return with_number_or_bool(dtype, [&]<class T>(Type<T>) {
    if (largest)
      run<true, T>(args);
    else
      run<false, T>(args);
  });
}

}  // namespace oneagent::cpu::OA_ISA
