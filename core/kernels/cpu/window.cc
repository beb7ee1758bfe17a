// Pooling over windows of any place and size (core/kernels/cpu/pool.h): the rows under a row of
// windows are joined first, along their width, and windows are then taken out of that row.
#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/pack.h"
#include "core/kernels/cpu/pool.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int64_t kWidth = 1024;  // of planes whose rows are joined in a buffer

template <class T>
inline constexpr int kPackLanes = kPackBytes / static_cast<int>(sizeof(T));

template <class T>
T sum_of(const T* x, int64_t count) {
  using V = Pack<T, kPackLanes<T>>;
  V sums[4] = {};
  int64_t i = 0;
  for (; i + 4 * kPackLanes<T> <= count; i += 4 * kPackLanes<T>)
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u) sums[u] += load<kPackLanes<T>>(x + i + u * kPackLanes<T>);
  for (; i + kPackLanes<T> <= count; i += kPackLanes<T>) sums[0] += load<kPackLanes<T>>(x + i);
  T rest = T(0);
  for (; i < count; ++i) rest += x[i];
  const V all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int l = 0; l < kPackLanes<T>; ++l) rest += all[l];
  return rest;
}

// Calls body(first row, last row) ranges as rows z, y of the plane under windows z, y.
template <class Body>
void each_row(const WindowArgs& a, int64_t z, int64_t y, const Body& body) {
  for (int64_t iz = a.begin[0][z]; iz < a.end[0][z]; ++iz)
    for (int64_t iy = a.begin[1][y]; iy < a.end[1][y]; ++iy) body(iz * a.size[1] + iy);
}
template <class Body>
void each_row_of_windows(const WindowArgs& a, const Body& body) {
  for (int64_t z = 0; z < a.out_size[0]; ++z)
    for (int64_t y = 0; y < a.out_size[1]; ++y) body(z, y);
}
int64_t rows_under(const WindowArgs& a, int64_t z, int64_t y) {
  return int64_t{a.end[0][z] - a.begin[0][z]} * (a.end[1][y] - a.begin[1][y]);
}

template <class T>
void average(const WindowArgs& a) {
  const int64_t plane = a.size[0] * a.size[1] * a.size[2], width = a.size[2];
  T* out = static_cast<T*>(a.out);
  for (int64_t p = 0; p < a.planes; ++p) {
    const T* in = static_cast<const T*>(a.in) + p * plane;
    if (a.out_size[0] * a.out_size[1] * a.out_size[2] == 1) {
      *out++ = sum_of(in, plane) / static_cast<T>(plane);
      continue;
    }
    each_row_of_windows(a, [&](int64_t z, int64_t y) {
      const int64_t rows = rows_under(a, z, y);
      if (a.size[0] * a.size[1] == 1) {  // one row: nothing to join
        for (int64_t o = 0; o < a.out_size[2]; ++o) {
          const int64_t begin = a.begin[2][o], end = a.end[2][o];
          *out++ = sum_of(in + begin, end - begin) / static_cast<T>(end - begin);
        }
        return;
      }
      T joined[kWidth];
      if (width <= kWidth) {
        for (int64_t x = 0; x < width; ++x) joined[x] = T(0);
        each_row(a, z, y, [&](int64_t row) {
          const T* from = in + row * width;
#pragma GCC ivdep
          for (int64_t x = 0; x < width; ++x) joined[x] += from[x];
        });
      }
      for (int64_t o = 0; o < a.out_size[2]; ++o) {
        const int64_t begin = a.begin[2][o], end = a.end[2][o];
        T sum = T(0);
        if (width <= kWidth)
          sum = sum_of(joined + begin, end - begin);
        else
          each_row(a, z, y,
                   [&](int64_t row) { sum += sum_of(in + row * width + begin, end - begin); });
        *out++ = sum / static_cast<T>(rows * (end - begin));
      }
    });
  }
}

template <class T>
void average_backward(const WindowArgs& a) {
  const int64_t plane = a.size[0] * a.size[1] * a.size[2], width = a.size[2];
  const T* gradient = static_cast<const T*>(a.in);
  for (int64_t p = 0; p < a.planes; ++p) {
    T* out = static_cast<T*>(a.out) + p * plane;
    if (a.out_size[0] * a.out_size[1] * a.out_size[2] == 1) {
      const T share = *gradient++ / static_cast<T>(plane);
      for (int64_t i = 0; i < plane; ++i) out[i] = share;
      continue;
    }
    for (int64_t i = 0; i < plane; ++i) out[i] = T(0);
    each_row_of_windows(a, [&](int64_t z, int64_t y) {
      const int64_t rows = rows_under(a, z, y);
      if (a.size[0] * a.size[1] == 1) {
        for (int64_t o = 0; o < a.out_size[2]; ++o) {
          const int64_t begin = a.begin[2][o], end = a.end[2][o];
          const T share = *gradient++ / static_cast<T>(end - begin);
          for (int64_t x = begin; x < end; ++x) out[x] += share;
        }
        return;
      }
      T shares[kWidth];
      if (width <= kWidth)
        for (int64_t x = 0; x < width; ++x) shares[x] = T(0);
      for (int64_t o = 0; o < a.out_size[2]; ++o) {
        const int64_t begin = a.begin[2][o], end = a.end[2][o];
        const T share = *gradient++ / static_cast<T>(rows * (end - begin));
        if (width <= kWidth)
          for (int64_t x = begin; x < end; ++x) shares[x] += share;
        else
          each_row(a, z, y, [&](int64_t row) {
            for (int64_t x = begin; x < end; ++x) out[row * width + x] += share;
          });
      }
      if (width <= kWidth)
        each_row(a, z, y, [&](int64_t row) {
          T* to = out + row * width;
#pragma GCC ivdep
          for (int64_t x = 0; x < width; ++x) to[x] += shares[x];
        });
    });
  }
}

template <int Bytes>
struct Place {
  using type = int64_t;
};
template <>
struct Place<4> {
  using type = int32_t;
};

// NaN wins, the last one; of equal values the first.
template <class T, class I>
bool better(T value, I at, T best, I where) {
  if (value != value) return best == best || at > where;
  return value > best || (value == best && at < where);
}

// Where the largest of n > 0 values in a row is.
template <class T>
int64_t place_of_largest(const T* x, int64_t n) {
  int32_t unknown = 0;
  for (int64_t i = 0; i < n; ++i) unknown |= x[i] != x[i] ? 1 : 0;
  int64_t at = unknown != 0 ? n - 1 : 0;
  if (unknown != 0) {
    while (x[at] == x[at]) --at;
    return at;
  }
  const T top = lane_max(x, n);
  while (x[at] != top) ++at;
  return at;
}

template <class T>
void largest(const WindowArgs& a) {
  using I = typename Place<sizeof(T)>::type;
  const int64_t plane = a.size[0] * a.size[1] * a.size[2], width = a.size[2];
  T* out = static_cast<T*>(a.out);
  int64_t* index = a.index;
  for (int64_t p = 0; p < a.planes; ++p) {
    const T* in = static_cast<const T*>(a.in) + p * plane;
    if (a.size[0] * a.size[1] == 1) {
      for (int64_t o = 0; o < a.out_size[2]; ++o) {
        const int64_t begin = a.begin[2][o];
        const int64_t place = begin + place_of_largest(in + begin, a.end[2][o] - begin);
        *out++ = in[place];
        *index++ = place;
      }
      continue;
    }
    each_row_of_windows(a, [&](int64_t z, int64_t y) {
      T best[kWidth];
      I where[kWidth];  // row of the plane that the best value of a column is in
      if (width <= kWidth) {
        bool first = true;
        each_row(a, z, y, [&](int64_t row) {
          const T* from = in + row * width;
          const I at = static_cast<I>(row);
          if (first) {
            for (int64_t x = 0; x < width; ++x) best[x] = from[x], where[x] = at;
          } else {
#pragma GCC ivdep
            for (int64_t x = 0; x < width; ++x) {
              const bool take = (from[x] > best[x]) | (from[x] != from[x]);
              where[x] = take ? at : where[x];
              best[x] = take ? from[x] : best[x];
            }
          }
          first = false;
        });
      }
      for (int64_t o = 0; o < a.out_size[2]; ++o) {
        const int64_t begin = a.begin[2][o], end = a.end[2][o];
        T top;
        int64_t place;
        if (width <= kWidth) {
          top = best[begin];
          place = int64_t{where[begin]} * width + begin;
          for (int64_t x = begin + 1; x < end; ++x) {
            const int64_t at = int64_t{where[x]} * width + x;
            const bool take = better(best[x], at, top, place);
            top = take ? best[x] : top;
            place = take ? at : place;
          }
        } else {
          const int64_t start = (a.begin[0][z] * a.size[1] + a.begin[1][y]) * width + begin;
          top = in[start];
          place = start;
          each_row(a, z, y, [&](int64_t row) {
            for (int64_t at = row * width + begin; at < row * width + end; ++at)
              if (better(in[at], at, top, place)) top = in[at], place = at;
          });
        }
        *out++ = top;
        *index++ = place;
      }
    });
  }
}

}  // namespace

void window_average(DType dtype, const WindowArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { average<T>(args); });
}
void window_average_backward(DType dtype, const WindowArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { average_backward<T>(args); });
}
void window_max(DType dtype, const WindowArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { largest<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
