#include "core/kernels/cpu/grid_sample.h"

#include <cmath>

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kBlock = 64;  // points at a time

inline float floor_(float x) { return __builtin_floorf(x); }
inline double floor_(double x) { return __builtin_floor(x); }
inline float round_(float x) { return __builtin_nearbyintf(x); }
inline double round_(double x) { return __builtin_nearbyint(x); }
inline float trunc_(float x) { return __builtin_truncf(x); }
inline double trunc_(double x) { return __builtin_trunc(x); }
// The nearest integer; halves go to the even one in 2 dimensions and away from 0 in 3, as in
// libtorch.
template <class T>
T nearest(T x, int dims) {
  const T whole = trunc_(x), rest = x - whole;
  const T away = whole + (abs_(rest) >= T(0.5) ? (x < T(0) ? T(-1) : T(1)) : T(0));
  return dims == 2 ? round_(x) : away;
}

template <class T>
struct AxisTaps {
  int count = 0;
  int32_t at[4][kBlock];   // coordinate, -1 outside
  T weight[2][4][kBlock];  // of the axis' order and the next one
};

template <class T>
T within(T x, T low, T high) {  // NaN becomes low
  const T up = x > low ? x : low;
  return up < high ? up : high;
}

// Reflection between the edges low and low + span.
template <class T>
void reflect(T& x, T& slope, T low, T span) {
  if (span == T(0)) {
    x = T(0);
    slope = T(0);
    return;
  }
  const T distance = abs_(x - low), flips = floor_(distance / span);
  const T rest = distance - flips * span;
  const bool odd = flips != T(2) * floor_(flips * T(0.5));
  slope = (x < low) != odd ? -slope : slope;
  x = odd ? span - rest + low : rest + low;
}

template <class T>
void pad(const GridArgs& a, T size, T& x, T& slope) {
  if (a.padding == GridPadding::kZeros) return;
  if (a.padding == GridPadding::kReflection)
    reflect(x, slope, a.align_corners ? T(0) : T(-0.5), a.align_corners ? size - T(1) : size);
  slope = (x > T(0)) & (x < size - T(1)) ? slope : T(0);
  x = within(x, T(0), size - T(1));
}

// Cubic convolution with a = -0.75: the derivative of some order at distance t >= 0 on a side.
template <class T>
T cubic_near(T t, int order) {  // 0 <= t < 1
  const T a = T(-0.75);
  if (order == 0) return ((a + T(2)) * t - (a + T(3))) * t * t + T(1);
  if (order == 1) return (T(3) * (a + T(2)) * t - T(2) * (a + T(3))) * t;
  if (order == 2) return T(6) * (a + T(2)) * t - T(2) * (a + T(3));
  return order == 3 ? T(6) * (a + T(2)) : T(0);
}
template <class T>
T cubic_far(T t, int order) {  // 1 <= t < 2
  const T a = T(-0.75);
  if (order == 0) return ((a * t - T(5) * a) * t + T(8) * a) * t - T(4) * a;
  if (order == 1) return (T(3) * a * t - T(10) * a) * t + T(8) * a;
  if (order == 2) return T(6) * a * t - T(10) * a;
  return order == 3 ? T(6) * a : T(0);
}
template <class T>
T power(T x, int n) {
  T out = T(1);
  for (int i = 0; i < n; ++i) out *= x;
  return out;
}

// One place of cubic sampling, or of a derivative of linear sampling.
template <class T>
void high_order_taps(const GridArgs& a, T size, int order, T place, T slope, int64_t i,
                     AxisTaps<T>& taps) {
  const T low = T(-3), high = size + T(2);
  const T first = within(floor_(place), low, high), t = place - first;
  if (a.mode == GridMode::kLinear) {
    taps.at[0][i] = static_cast<int32_t>(first);
    taps.at[1][i] = static_cast<int32_t>(first) + 1;
    for (int next = 0; next < 2; ++next) {
      const T side = order + next == 1 ? slope : T(0);  // order 0 does not come here
      taps.weight[next][0][i] = -side;
      taps.weight[next][1][i] = side;
    }
    return;
  }
  for (int tap = 0; tap < 4; ++tap) {
    T at = first + static_cast<T>(tap - 1), unused = T(0);
    pad(a, size, at, unused);
    taps.at[tap][i] = static_cast<int32_t>(within(at, low, high));
  }
  for (int next = 0; next < 2; ++next) {
    const int k = order + next;
    const T factor = power(slope, k), back = k % 2 == 0 ? factor : -factor;
    taps.weight[next][0][i] = factor * cubic_far(t + T(1), k);
    taps.weight[next][1][i] = factor * cubic_near(t, k);
    taps.weight[next][2][i] = back * cubic_near(T(1) - t, k);
    taps.weight[next][3][i] = back * cubic_far(T(2) - t, k);
  }
}

template <class T>
void make_taps(const GridArgs& a, int axis, const T* grid, int64_t count, AxisTaps<T>& taps) {
  const T size = static_cast<T>(a.size[axis]);
  const T scale = (a.align_corners ? size - T(1) : size) * T(0.5);
  const int order = a.orders[axis];
  T place[kBlock], slope[kBlock];
  for (int64_t i = 0; i < count; ++i) {
    const T x = grid[i * a.dims + axis];
    place[i] = a.align_corners ? (x + T(1)) * scale : ((x + T(1)) * size - T(1)) * T(0.5);
    slope[i] = scale;
  }
  if (a.mode != GridMode::kCubic)
    for (int64_t i = 0; i < count; ++i) pad(a, size, place[i], slope[i]);
  const T low = T(-3), high = size + T(2);  // outside in any case
  if (a.mode == GridMode::kNearest) {
    taps.count = 1;
    for (int64_t i = 0; i < count; ++i) {
      taps.at[0][i] = static_cast<int32_t>(within(nearest(place[i], a.dims), low, high));
      taps.weight[0][0][i] = order == 0 ? T(1) : T(0);
      taps.weight[1][0][i] = T(0);
    }
  } else if (a.mode == GridMode::kLinear && order == 0) {
    taps.count = 2;
    for (int64_t i = 0; i < count; ++i) {
      const T first = within(floor_(place[i]), low, high), t = place[i] - first;
      const int32_t at = static_cast<int32_t>(first);
      taps.at[0][i] = at;
      taps.at[1][i] = at + 1;
      taps.weight[0][0][i] = T(1) - t;
      taps.weight[0][1][i] = t;
      taps.weight[1][0][i] = -slope[i];
      taps.weight[1][1][i] = slope[i];
    }
  } else {
    taps.count = a.mode == GridMode::kLinear ? 2 : 4;
    for (int64_t i = 0; i < count; ++i)
      high_order_taps(a, size, order, place[i], slope[i], i, taps);
  }
  const int32_t last = static_cast<int32_t>(a.size[axis]) - 1;
  for (int tap = 0; tap < taps.count; ++tap)
    for (int64_t i = 0; i < count; ++i) {
      const int32_t at = taps.at[tap][i];
      const bool inside = (at >= 0) & (at <= last);
      taps.at[tap][i] = inside ? at : -1;
      taps.weight[0][tap][i] = inside ? taps.weight[0][tap][i] : T(0);
      taps.weight[1][tap][i] = inside ? taps.weight[1][tap][i] : T(0);
    }
}

template <class T>
struct Points {
  AxisTaps<T> axis[3];
  int64_t count = 0;

  void make(const GridArgs& a, int64_t first) {
    count = a.points - first < kBlock ? a.points - first : kBlock;
    for (int d = 0; d < a.dims; ++d)
      make_taps(a, d, static_cast<const T*>(a.grid) + first * a.dims, count, axis[d]);
  }
  // Calls body(places in the plane or -1, weights, weights whose axis d is one order higher) for
  // each combination of taps; `slopes`: the latter are wanted.
  template <class Body>
  void each(const GridArgs& a, bool slopes, const Body& body) const {
    const int depth = a.dims == 3 ? axis[2].count : 1;
    int32_t at[kBlock];
    T weight[kBlock], slope[3][kBlock];
    const auto width = static_cast<int32_t>(a.size[0]);
    const auto plane = static_cast<int32_t>(a.size[0] * a.size[1]);
    for (int z = 0; z < depth; ++z)
      for (int y = 0; y < axis[1].count; ++y)
        for (int x = 0; x < axis[0].count; ++x) {
          const int32_t *ax = axis[0].at[x], *ay = axis[1].at[y], *az = axis[2].at[z];
          const T *wx = axis[0].weight[0][x], *wy = axis[1].weight[0][y],
                  *wz = axis[2].weight[0][z];
          const T *sx = axis[0].weight[1][x], *sy = axis[1].weight[1][y],
                  *sz = axis[2].weight[1][z];
          if (a.dims == 2) {
            for (int64_t i = 0; i < count; ++i) {
              at[i] = (ax[i] | ay[i]) < 0 ? -1 : ay[i] * width + ax[i];
              weight[i] = wx[i] * wy[i];
            }
            if (slopes)
              for (int64_t i = 0; i < count; ++i) {
                slope[0][i] = sx[i] * wy[i];
                slope[1][i] = wx[i] * sy[i];
              }
          } else {
            for (int64_t i = 0; i < count; ++i) {
              at[i] = (ax[i] | ay[i] | az[i]) < 0 ? -1 : az[i] * plane + ay[i] * width + ax[i];
              weight[i] = wx[i] * wy[i] * wz[i];
            }
            if (slopes)
              for (int64_t i = 0; i < count; ++i) {
                slope[0][i] = sx[i] * wy[i] * wz[i];
                slope[1][i] = wx[i] * sy[i] * wz[i];
                slope[2][i] = wx[i] * wy[i] * sz[i];
              }
          }
          body(at, weight, slope);
        }
  }
};

template <class T>
T value_at(const T* plane, int32_t at) {
  const T value = plane[at < 0 ? 0 : at];
  return at < 0 ? T(0) : value;
}

template <class T>
void forward(const GridArgs& a) {
  const int64_t plane = a.size[0] * a.size[1] * a.size[2];
  Points<T> points;
  for (int64_t first = 0; first < a.points; first += kBlock) {
    points.make(a, first);
    const int64_t count = points.count;
    T* out = static_cast<T*>(a.out) + first;
    for (int64_t c = 0; c < a.channels; ++c)
      for (int64_t i = 0; i < count; ++i) out[c * a.points + i] = T(0);
    points.each(a, false, [&](const int32_t* at, const T* weight, const auto&) {
      for (int64_t c = 0; c < a.channels; ++c) {
        const T* image = static_cast<const T*>(a.image) + c * plane;
        T* to = out + c * a.points;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i) to[i] = fma_(weight[i], value_at(image, at[i]), to[i]);
      }
    });
  }
}

template <class T>
void backward(const GridArgs& a) {
  const int64_t plane = a.size[0] * a.size[1] * a.size[2];
  const bool slopes = a.dgrid != nullptr && a.mode != GridMode::kNearest;
  if (a.dgrid != nullptr && !slopes)
    for (int64_t i = 0; i < a.points * a.dims; ++i) static_cast<T*>(a.dgrid)[i] = T(0);
  if (!slopes && a.dimage == nullptr) return;
  Points<T> points;
  for (int64_t first = 0; first < a.points; first += kBlock) {
    points.make(a, first);
    const int64_t count = points.count;
    const T* gradient = static_cast<const T*>(a.gradient) + first;
    T sums[3][kBlock] = {};
    points.each(a, slopes, [&](const int32_t* at, const T* weight, const auto& slope) {
      if (a.dimage != nullptr)
        for (int64_t c = 0; c < a.channels; ++c) {
          T* to = static_cast<T*>(a.dimage) + c * plane;
          const T* g = gradient + c * a.points;
          for (int64_t i = 0; i < count; ++i)
            if (at[i] >= 0) to[at[i]] = fma_(weight[i], g[i], to[at[i]]);
        }
      if (!slopes) return;
      T joined[kBlock] = {};  // over channels
      for (int64_t c = 0; c < a.channels; ++c) {
        const T* image = static_cast<const T*>(a.image) + c * plane;
        const T* g = gradient + c * a.points;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i)
          joined[i] = fma_(g[i], value_at(image, at[i]), joined[i]);
      }
      for (int d = 0; d < a.dims; ++d)
        for (int64_t i = 0; i < count; ++i) sums[d][i] = fma_(slope[d][i], joined[i], sums[d][i]);
    });
    if (!slopes) continue;
    for (int64_t i = 0; i < count; ++i)
      for (int d = 0; d < a.dims; ++d)
        static_cast<T*>(a.dgrid)[(first + i) * a.dims + d] = sums[d][i];
  }
}

}  // namespace

void grid_sample(DType dtype, const GridArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { forward<T>(args); });
}
void grid_sample_backward(DType dtype, const GridArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { backward<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
