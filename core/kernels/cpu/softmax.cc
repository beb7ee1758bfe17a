#include "core/kernels/cpu/softmax.h"

#include "core/kernels/cpu/curve_math.h"
#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/transpose.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// Short rows, such as the logits of a few actions, are taken kRows at a time, one row per lane.
constexpr int kRows = 16;
constexpr int64_t kShort = 32;

template <class T>
struct ShortRows {
  T at[kShort][kRows];

  void load(const T* rows, int64_t count, int64_t n) {
    constexpr int kBlock = kTransposed<T>;
    if (count == kRows && n % kBlock == 0) {
      for (int64_t i = 0; i < n; i += kBlock)
        for (int64_t r = 0; r < kRows; r += kBlock)
          transpose_block(rows + r * n + i, n, &at[i][r], kRows);
      return;
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t r = 0; r < count; ++r) at[i][r] = rows[r * n + i];
      for (int64_t r = count; r < kRows; ++r) at[i][r] = T(0);
    }
  }
  void store(T* rows, int64_t count, int64_t n) const {
    constexpr int kBlock = kTransposed<T>;
    if (count == kRows && n % kBlock == 0) {
      for (int64_t r = 0; r < kRows; r += kBlock)
        for (int64_t i = 0; i < n; i += kBlock)
          transpose_block(&at[i][r], kRows, rows + r * n + i, n);
      return;
    }
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
      for (int l = 0; l < kRows; ++l) top[l] = larger_of(top[l], x.at[i][l]);
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l) {
        y.at[i][l] = low_exp_(x.at[i][l] - top[l]);
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
    if (args.log) {
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) sum[l] += g.at[i][l];
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) g.at[i][l] -= low_exp_(y.at[i][l]) * sum[l];
    } else {
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) sum[l] += g.at[i][l] * y.at[i][l];
      for (int64_t i = 0; i < args.n; ++i)
        for (int l = 0; l < kRows; ++l) g.at[i][l] = y.at[i][l] * (g.at[i][l] - sum[l]);
    }
    g.store(static_cast<T*>(args.out) + r * args.n, count, args.n);
  }
}

// n columns of kWide lanes each, `stride` apart: one softmax per lane.
constexpr int kWide = 64;

template <class T>
void forward_wide(const T* x, T* y, int64_t n, int64_t stride, int width, bool log) {
  T top[kWide], sum[kWide] = {};
  for (int l = 0; l < width; ++l) top[l] = x[l];
  for (int64_t i = 1; i < n; ++i)
    for (int l = 0; l < width; ++l) top[l] = larger_of(top[l], x[i * stride + l]);
  for (int64_t i = 0; i < n; ++i) {
    const T* from = x + i * stride;
    T* to = y + i * stride;
#pragma GCC ivdep
    for (int l = 0; l < width; ++l) {
      const T e = low_exp_(from[l] - top[l]);
      if (!log) to[l] = e;
      sum[l] += e;
    }
  }
  for (int l = 0; l < width; ++l) sum[l] = log ? log_(sum[l]) : T(1) / sum[l];
  for (int64_t i = 0; i < n; ++i) {
    const T* from = x + i * stride;
    T* to = y + i * stride;
    if (log) {
#pragma GCC ivdep
      for (int l = 0; l < width; ++l) to[l] = (from[l] - top[l]) - sum[l];
    } else {
#pragma GCC ivdep
      for (int l = 0; l < width; ++l) to[l] *= sum[l];
    }
  }
}

template <class T>
void backward_wide(const T* y, const T* g, T* out, int64_t n, int64_t stride, int width, bool log) {
  T sum[kWide] = {};
  for (int64_t i = 0; i < n; ++i) {
    const T *yi = y + i * stride, *gi = g + i * stride;
    for (int l = 0; l < width; ++l) sum[l] += log ? gi[l] : gi[l] * yi[l];
  }
  for (int64_t i = 0; i < n; ++i) {
    const T *yi = y + i * stride, *gi = g + i * stride;
    T* to = out + i * stride;
    if (log) {
#pragma GCC ivdep
      for (int l = 0; l < width; ++l) to[l] = gi[l] - low_exp_(yi[l]) * sum[l];
    } else {
#pragma GCC ivdep
      for (int l = 0; l < width; ++l) to[l] = yi[l] * (gi[l] - sum[l]);
    }
  }
}

template <class F>
void each_wide(const SoftmaxArgs& args, const F& run) {
  for (int64_t r = 0; r < args.rows; ++r)
    for (int64_t c = 0; c < args.inner; c += kWide) {
      const int64_t left = args.inner - c;
      run(r * args.n * args.inner + c, left < kWide ? static_cast<int>(left) : kWide);
    }
}

// A row of -inf alone gives NaN, like PyTorch; logsumexp of it is -inf.
template <class T>
void forward(const SoftmaxArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  if (args.inner > 1)
    return each_wide(args, [&](int64_t at, int width) {
      if (width == kWide)
        forward_wide(in + at, out + at, args.n, args.inner, kWide, args.log);
      else
        forward_wide(in + at, out + at, args.n, args.inner, width, args.log);
    });
  if (args.n <= kShort) return forward_short<T>(args);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = in + r * args.n;
    T* y = out + r * args.n;
    const T top = lane_max(x, args.n);
    if (args.log) {
      const T low = log_(lane_sum<T>(args.n, [&](int64_t i) { return low_exp_(x[i] - top); }));
#pragma GCC ivdep
      for (int64_t i = 0; i < args.n; ++i) y[i] = (x[i] - top) - low;
    } else {
      const T scale =
          T(1) / lane_sum<T>(args.n, [&](int64_t i) { return y[i] = low_exp_(x[i] - top); });
      for (int64_t i = 0; i < args.n; ++i) y[i] *= scale;
    }
  }
}

template <class T>
void backward(const SoftmaxArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  const T* gradient = static_cast<const T*>(args.gradient);
  T* result = static_cast<T*>(args.out);
  if (args.inner > 1)
    return each_wide(args, [&](int64_t at, int width) {
      backward_wide(in + at, gradient + at, result + at, args.n, args.inner, width, args.log);
    });
  if (args.n <= kShort) return backward_short<T>(args);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* y = in + r * args.n;
    const T* g = gradient + r * args.n;
    T* out = result + r * args.n;
    if (args.log) {
      const T sum = lane_sum<T>(args.n, [&](int64_t i) { return g[i]; });
#pragma GCC ivdep
      for (int64_t i = 0; i < args.n; ++i) out[i] = g[i] - low_exp_(y[i]) * sum;
    } else {
      const T sum = lane_sum<T>(args.n, [&](int64_t i) { return g[i] * y[i]; });
#pragma GCC ivdep
      for (int64_t i = 0; i < args.n; ++i) out[i] = y[i] * (g[i] - sum);
    }
  }
}

template <class T>
T finite_or_zero(T top) {
  return abs_(top) == static_cast<T>(__builtin_inf()) ? T(0) : top;
}

// An infinite value is the sum, whatever is beside it.
template <class T>
T unless_infinite(T top, T sum) {
  return top == static_cast<T>(__builtin_inf()) ? top : sum;
}

template <class T>
void log_sum_exp_short(const SoftmaxArgs& args) {
  ShortRows<T> x;
  for (int64_t r = 0; r < args.rows; r += kRows) {
    const int64_t count = args.rows - r < kRows ? args.rows - r : kRows;
    x.load(static_cast<const T*>(args.in) + r * args.n, count, args.n);
    T top[kRows], sum[kRows] = {};
    for (int l = 0; l < kRows; ++l) top[l] = x.at[0][l];
    for (int64_t i = 1; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l) top[l] = larger_of(top[l], x.at[i][l]);
    T shift[kRows];
    for (int l = 0; l < kRows; ++l) shift[l] = finite_or_zero(top[l]);
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < kRows; ++l) sum[l] += low_exp_(x.at[i][l] - shift[l]);
    for (int l = 0; l < kRows; ++l) sum[l] = unless_infinite(top[l], shift[l] + log_(sum[l]));
    for (int64_t l = 0; l < count; ++l) static_cast<T*>(args.out)[r + l] = sum[l];
  }
}

template <class T>
void log_sum_exp(const SoftmaxArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  if (args.n == 0) {
    for (int64_t i = 0; i < args.rows * args.inner; ++i) out[i] = -static_cast<T>(__builtin_inf());
    return;
  }
  if (args.inner == 1 && args.n <= kShort) return log_sum_exp_short<T>(args);
  if (args.inner == 1) {
    for (int64_t r = 0; r < args.rows; ++r, in += args.n) {
      const T top = lane_max(in, args.n), shift = finite_or_zero(top);
      const T sum = lane_sum<T>(args.n, [&](int64_t i) { return low_exp_(in[i] - shift); });
      *out++ = unless_infinite(top, shift + log_(sum));
    }
    return;
  }
  each_wide(args, [&](int64_t at, int width) {
    T top[kWide], shift[kWide], sum[kWide] = {};
    const T* x = in + at;
    for (int l = 0; l < width; ++l) top[l] = x[l];
    for (int64_t i = 1; i < args.n; ++i)
      for (int l = 0; l < width; ++l) top[l] = larger_of(top[l], x[i * args.inner + l]);
    for (int l = 0; l < width; ++l) shift[l] = finite_or_zero(top[l]);
    for (int64_t i = 0; i < args.n; ++i)
      for (int l = 0; l < width; ++l) sum[l] += low_exp_(x[i * args.inner + l] - shift[l]);
    T* to = out + at / (args.n * args.inner) * args.inner + at % args.inner;
    for (int l = 0; l < width; ++l) to[l] = unless_infinite(top[l], shift[l] + log_(sum[l]));
  });
}

template <class T>
void log_sum_exp_backward(const SoftmaxGradArgs& args) {
  const T* x = static_cast<const T*>(args.x);
  const T* shift = static_cast<const T*>(args.shift);
  const T* scale = static_cast<const T*>(args.scale);
  T* out = static_cast<T*>(args.out);
  if (args.inner == 1 && args.n <= kShort) {  // one long row: the factors are spread over it first
    constexpr int64_t kPart = 64;
    T shifts[kPart * kShort], scales[kPart * kShort];
    for (int64_t r = 0; r < args.rows; r += kPart) {
      const int64_t count = args.rows - r < kPart ? args.rows - r : kPart;
      for (int64_t l = 0; l < count; ++l)
        for (int64_t i = 0; i < args.n; ++i) {
          shifts[l * args.n + i] = shift[r + l];
          scales[l * args.n + i] = scale[r + l];
        }
      const int64_t at = r * args.n;
#pragma GCC ivdep
      for (int64_t i = 0; i < count * args.n; ++i)
        out[at + i] = low_exp_(x[at + i] - shifts[i]) * scales[i];
    }
    return;
  }
  for (int64_t r = 0; r < args.rows && args.inner == 1; ++r) {
    const T low = shift[r], factor = scale[r];
    const int64_t at = r * args.n;
#pragma GCC ivdep
    for (int64_t k = 0; k < args.n; ++k) out[at + k] = low_exp_(x[at + k] - low) * factor;
  }
  for (int64_t i = 0; i < args.rows * args.n && args.inner > 1; ++i) {
    const int64_t at = i * args.inner, row = i / args.n * args.inner;
#pragma GCC ivdep
    for (int64_t k = 0; k < args.inner; ++k)
      out[at + k] = low_exp_(x[at + k] - shift[row + k]) * scale[row + k];
  }
}

}  // namespace

void logsumexp_backward(DType dtype, const SoftmaxGradArgs& args) {
  if (dtype == DType::kFloat32)
    log_sum_exp_backward<float>(args);
  else
    log_sum_exp_backward<double>(args);
}

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
