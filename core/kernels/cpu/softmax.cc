#include "core/kernels/cpu/softmax.h"

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kLanes = 8;

template <class T>
T row_max(const T* x, int64_t n) {
  T best = x[0];
  for (int64_t i = 1; i < n; ++i) best = (x[i] > best) | (x[i] != x[i]) ? x[i] : best;
  return best;
}

template <class T, class F>
T lane_sum(int64_t n, const F& term) {
  T lanes[kLanes] = {};
  int64_t at = 0;
  for (; at + kLanes <= n; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] += term(at + i);
  for (int i = 0; at < n; ++at, ++i) lanes[i] += term(at);
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

// Short rows, such as the logits of a few actions, are taken kRows at a time, one row per lane.
constexpr int kRows = 16;
constexpr int64_t kShort = 32;

template <class T>
struct ShortRows {
  T at[kShort][kRows];

  void load(const T* rows, int64_t count, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t r = 0; r < count; ++r) at[i][r] = rows[r * n + i];
      for (int64_t r = count; r < kRows; ++r) at[i][r] = T(0);
    }
  }
  void store(T* rows, int64_t count, int64_t n) const {
    for (int64_t r = 0; r < count; ++r)
      for (int64_t i = 0; i < n; ++i) rows[r * n + i] = at[i][r];
  }
};

template <class T>
void forward_short(const SoftmaxArgs& args) {
  ShortRows<T> x, y;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t count = args.rows - r < kRows ? args.rows - r : kRows;
    x.load(static_cast<const T*>(args.in) + r * args.n, count, args.n);
    T top[kRows], sum[kRows] = {};
    for (int l = 0; l < kRows; ++l) top[l] = x.at[0][l];
    for (int64_t i = 1; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l)
        top[l] = (x.at[i][l] > top[l]) | (x.at[i][l] != x.at[i][l]) ? x.at[i][l] : top[l];
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l) {
        y.at[i][l] = exp_(x.at[i][l] - top[l]);
        sum[l] += y.at[i][l];
      }
    if (args.log) {
      for (int l = 0; l < kRows; ++l) sum[l] = log_(sum[l]);
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) y.at[i][l] = (x.at[i][l] - top[l]) - sum[l];
    } else {
      for (int l = 0; l < kRows; ++l) sum[l] = T(1) / sum[l];
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) y.at[i][l] *= sum[l];
    }
    y.store(static_cast<T*>(args.out) + r * args.n, count, args.n);
  }
}

template <class T>
void backward_short(const SoftmaxArgs& args) {
  ShortRows<T> y, g;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t count = args.rows - r < kRows ? args.rows - r : kRows;
    y.load(static_cast<const T*>(args.in) + r * args.n, count, args.n);
    g.load(static_cast<const T*>(args.gradient) + r * args.n, count, args.n);
    T sum[kRows] = {};
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l) sum[l] += args.log ? g.at[i][l] : g.at[i][l] * y.at[i][l];
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l)
        g.at[i][l] =
            args.log ? g.at[i][l] - exp_(y.at[i][l]) * sum[l] : y.at[i][l] * (g.at[i][l] - sum[l]);
    g.store(static_cast<T*>(args.out) + r * args.n, count, args.n);
  }
}

// A row of -inf alone gives NaN, like PyTorch; logsumexp of it is -inf.
template <class T>
void forward(const SoftmaxArgs& args) {
  if (args.n <= kShort) return forward_short<T>(args);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = static_cast<const T*>(args.in) + r * args.n;
    T* y = static_cast<T*>(args.out) + r * args.n;
    const T top = row_max(x, args.n);
    for (int64_t i = 0; i < args.n; ++i) y[i] = exp_(x[i] - top);
    const T sum = lane_sum<T>(args.n, [&](int64_t i) { return y[i]; });
    if (args.log) {
      const T low = log_(sum);
      for (int64_t i = 0; i < args.n; ++i) y[i] = (x[i] - top) - low;
    } else {
      const T scale = T(1) / sum;
      for (int64_t i = 0; i < args.n; ++i) y[i] *= scale;
    }
  }
}

template <class T>
void backward(const SoftmaxArgs& args) {
  if (args.n <= kShort) return backward_short<T>(args);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* y = static_cast<const T*>(args.in) + r * args.n;
    const T* g = static_cast<const T*>(args.gradient) + r * args.n;
    T* out = static_cast<T*>(args.out) + r * args.n;
    if (args.log) {
      const T sum = lane_sum<T>(args.n, [&](int64_t i) { return g[i]; });
      for (int64_t i = 0; i < args.n; ++i) out[i] = g[i] - exp_(y[i]) * sum;
    } else {
      const T sum = lane_sum<T>(args.n, [&](int64_t i) { return g[i] * y[i]; });
      for (int64_t i = 0; i < args.n; ++i) out[i] = y[i] * (g[i] - sum);
    }
  }
}

template <class T>
void log_sum_exp(const SoftmaxArgs& args) {
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = static_cast<const T*>(args.in) + r * args.n;
    const T top = row_max(x, args.n);
    const T shift = abs_(top) == static_cast<T>(__builtin_inf()) ? T(0) : top;
    static_cast<T*>(args.out)[r] =
        shift + log_(lane_sum<T>(args.n, [&](int64_t i) { return exp_(x[i] - shift); }));
  }
}

}  // namespace

void softmax(DType dtype, const SoftmaxArgs& args) {
  if (dtype == DType::kFloat32)
    forward<float>(args);
  else
    forward<double>(args);
}

void softmax_backward(DType dtype, const SoftmaxArgs& args) {
  if (dtype == DType::kFloat32)
    backward<float>(args);
  else
    backward<double>(args);
}

void logsumexp(DType dtype, const SoftmaxArgs& args) {
  if (dtype == DType::kFloat32)
    log_sum_exp<float>(args);
  else
    log_sum_exp<double>(args);
}

}  // namespace oneagent::cpu::OA_ISA
