#include "core/kernels/cpu/pool.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int64_t kColumns = 256;  // of a row that are computed at once

template <int Bytes>
struct Place {
  using type = int64_t;
};
template <>
struct Place<4> {
  using type = int32_t;
};

template <class T>
T least() {
  if constexpr (static_cast<T>(0.5) != T(0))
    return static_cast<T>(-__builtin_inf());
  else if constexpr (static_cast<T>(-1) < T(0))
    return static_cast<T>(T(1) << (8 * sizeof(T) - 1));
  else
    return T(0);
}

// Calls body(row of the plane, taps along the row) for every row under the windows of one row of
// results, in order.
template <class Body>
void each_row(const PoolArgs& a, int64_t z, int64_t y, const Body& body) {
  for (int64_t kz = 0; kz < a.kernel[0]; ++kz) {
    const PoolTap& tz = a.taps[0][kz];
    if (z < tz.first || z >= tz.last) continue;
    const int64_t iz = tz.start + (z - tz.first) * a.stride[0];
    for (int64_t ky = 0; ky < a.kernel[1]; ++ky) {
      const PoolTap& ty = a.taps[1][ky];
      if (y < ty.first || y >= ty.last) continue;
      body(iz * a.size[1] + ty.start + (y - ty.first) * a.stride[1]);
    }
  }
}

// Calls body(result, place in the row) along `tap` for results begin..end-1 of the row; the step
// is a constant for the usual strides.
template <class Body>
void each_column(const PoolTap& tap, int64_t stride, int64_t begin, int64_t end, const Body& body) {
  const int64_t first = tap.first > begin ? tap.first : begin,
                last = tap.last < end ? tap.last : end;
  const int64_t start = tap.start + (first - tap.first) * stride, count = last - first;
  const int64_t at = first - begin;
  if (stride == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) body(at + i, start + i);
  } else if (stride == 2) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) body(at + i, start + 2 * i);
  } else {
    for (int64_t i = 0; i < count; ++i) body(at + i, start + stride * i);
  }
}

template <class T>
OA_INLINE T larger_of_two(T a, T b) {
  return (b > a) | (b != b) ? b : a;
}

// Are windows two wide, two apart and all inside, results begin..end-1 of a row?
bool in_pairs(const PoolArgs& a, int64_t end) {
  if (a.kernel[2] != 2 || a.stride[2] != 2) return false;
  const PoolTap &left = a.taps[2][0], &right = a.taps[2][1];
  return left.first == 0 && left.start == 0 && left.last >= end && right.first == 0 &&
         right.start == 1 && right.last >= end;
}

// Largest values of windows in pairs, without a buffer.
template <class T>
void max_pairs(const PoolArgs& a, const T* in, int64_t z, int64_t y, int64_t begin, int64_t count,
               T* out) {
  bool fresh = true;
  each_row(a, z, y, [&](int64_t row) {
    const T* x = in + row * a.size[2] + 2 * begin;
    if (fresh) {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) out[i] = larger_of_two(x[2 * i], x[2 * i + 1]);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i)
        out[i] = larger_of_two(out[i], larger_of_two(x[2 * i], x[2 * i + 1]));
    }
    fresh = false;
  });
  for (int64_t i = 0; i < count && fresh; ++i) out[i] = least<T>();
}

template <class T, bool Indices>
void max_rows(const PoolArgs& a) {
  using I = typename Place<sizeof(T)>::type;
  const int64_t plane_size = a.size[0] * a.size[1] * a.size[2];
  const T* in = static_cast<const T*>(a.in);
  T* out = static_cast<T*>(a.out);
  int64_t* index = a.index;
  T best[kColumns];
  I where[kColumns];
  for (int64_t plane = 0; plane < a.planes; ++plane, in += plane_size)
    for (int64_t z = 0; z < a.out_size[0]; ++z)
      for (int64_t y = 0; y < a.out_size[1]; ++y)
        for (int64_t begin = 0; begin < a.out_size[2]; begin += kColumns) {
          const int64_t end = a.out_size[2] - begin < kColumns ? a.out_size[2] : begin + kColumns;
          const int64_t count = end - begin;
          if (!Indices && in_pairs(a, end)) {
            max_pairs(a, in, z, y, begin, count, out);
            out += count;
            continue;
          }
          for (int64_t i = 0; i < count; ++i) best[i] = least<T>();
          if (Indices)
            for (int64_t i = 0; i < count; ++i) where[i] = -1;
          each_row(a, z, y, [&](int64_t row) {
            const T* x = in + row * a.size[2];
            const I base = static_cast<I>(row * a.size[2]);
            for (int64_t kx = 0; kx < a.kernel[2]; ++kx)
              each_column(a.taps[2][kx], a.stride[2], begin, end, [&](int64_t i, int64_t at) {
                const T value = x[at];
                if (Indices) {
                  const bool better = (value > best[i]) | (value != value) | (where[i] < I(0));
                  where[i] = better ? static_cast<I>(base + static_cast<I>(at)) : where[i];
                  best[i] = better ? value : best[i];
                } else {
                  best[i] = (value > best[i]) | (value != value) ? value : best[i];
                }
              });
          });
          for (int64_t i = 0; i < count; ++i) out[i] = best[i];
          out += count;
          if (!Indices) continue;
          for (int64_t i = 0; i < count; ++i) index[i] = static_cast<int64_t>(where[i]);
          index += count;
        }
}

// What the sums of one row of results are divided by.
template <class T>
void divisors(const PoolArgs& a, int64_t z, int64_t y, int64_t begin, int64_t count, T* out) {
  const int64_t rows = int64_t{a.counts[0][z]} * a.counts[1][y];
  for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(rows * a.counts[2][begin + i]);
}

template <class T>
void average_rows(const PoolArgs& a) {
  const int64_t plane_size = a.size[0] * a.size[1] * a.size[2];
  const T* in = static_cast<const T*>(a.in);
  T* out = static_cast<T*>(a.out);
  T sum[kColumns], divisor[kColumns];
  for (int64_t plane = 0; plane < a.planes; ++plane, in += plane_size)
    for (int64_t z = 0; z < a.out_size[0]; ++z)
      for (int64_t y = 0; y < a.out_size[1]; ++y)
        for (int64_t begin = 0; begin < a.out_size[2]; begin += kColumns) {
          const int64_t end = a.out_size[2] - begin < kColumns ? a.out_size[2] : begin + kColumns;
          const int64_t count = end - begin;
          for (int64_t i = 0; i < count; ++i) sum[i] = T(0);
          each_row(a, z, y, [&](int64_t row) {
            const T* x = in + row * a.size[2];
            for (int64_t kx = 0; kx < a.kernel[2]; ++kx)
              each_column(a.taps[2][kx], a.stride[2], begin, end,
                          [&](int64_t i, int64_t at) { sum[i] = static_cast<T>(sum[i] + x[at]); });
          });
          if (a.divisor != 0) {
            const T all = static_cast<T>(a.divisor);
            for (int64_t i = 0; i < count; ++i) out[i] = static_cast<T>(sum[i] / all);
          } else {
            divisors(a, z, y, begin, count, divisor);
            for (int64_t i = 0; i < count; ++i)  // a window outside of the plane has no count
              out[i] = divisor[i] == T(0) ? T(0) : static_cast<T>(sum[i] / divisor[i]);
          }
          out += count;
        }
}

template <class T>
void average_rows_backward(const PoolArgs& a) {
  const int64_t plane_size = a.size[0] * a.size[1] * a.size[2];
  const T* gradient = static_cast<const T*>(a.in);
  T* out = static_cast<T*>(a.out);
  for (int64_t i = 0; i < a.planes * plane_size; ++i) out[i] = T(0);
  T share[kColumns], divisor[kColumns];
  for (int64_t plane = 0; plane < a.planes; ++plane, out += plane_size)
    for (int64_t z = 0; z < a.out_size[0]; ++z)
      for (int64_t y = 0; y < a.out_size[1]; ++y)
        for (int64_t begin = 0; begin < a.out_size[2]; begin += kColumns) {
          const int64_t end = a.out_size[2] - begin < kColumns ? a.out_size[2] : begin + kColumns;
          const int64_t count = end - begin;
          if (a.divisor != 0)
            for (int64_t i = 0; i < count; ++i) divisor[i] = static_cast<T>(a.divisor);
          else
            divisors(a, z, y, begin, count, divisor);
          for (int64_t i = 0; i < count; ++i)
            share[i] = divisor[i] == T(0) ? T(0) : static_cast<T>(gradient[i] / divisor[i]);
          each_row(a, z, y, [&](int64_t row) {
            T* dx = out + row * a.size[2];
            for (int64_t kx = 0; kx < a.kernel[2]; ++kx)
              each_column(a.taps[2][kx], a.stride[2], begin, end, [&](int64_t i, int64_t at) {
                dx[at] = static_cast<T>(dx[at] + share[i]);
              });
          });
          gradient += count;
        }
}

}  // namespace

bool max_pool(DType dtype, const PoolArgs& args) {
  return with_number(dtype, [&]<class T>(Type<T>) {
    if (args.index != nullptr)
      max_rows<T, true>(args);
    else
      max_rows<T, false>(args);
  });
}
bool avg_pool(DType dtype, const PoolArgs& args) {
  return with_number(dtype, [&]<class T>(Type<T>) { average_rows<T>(args); });
}
bool avg_pool_backward(DType dtype, const PoolArgs& args) {
  return with_floating(dtype, [&]<class T>(Type<T>) { average_rows_backward<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
