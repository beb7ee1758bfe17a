#include "core/kernels/cpu/scan.h"

#include "core/kernels/cpu/fold.h"
#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
using State = std::conditional_t<is_real<T>, double, T>;

constexpr int kLanes = 32;

// Each scan holds the states of kLanes lines and takes the next element of `width` of them.
template <class T>
struct SumScan {
  State<T> sum[kLanes] = {};
  void next(const T* x, const T*, T* y, int width) {
    for (int l = 0; l < width; ++l) {
      sum[l] = static_cast<State<T>>(sum[l] + x[l]);
      y[l] = static_cast<T>(sum[l]);
    }
  }
};
template <class T>
struct ProdScan {
  State<T> product[kLanes];
  ProdScan() {
    for (State<T>& p : product) p = 1;
  }
  void next(const T* x, const T*, T* y, int width) {
    for (int l = 0; l < width; ++l) {
      product[l] = static_cast<State<T>>(product[l] * x[l]);
      y[l] = static_cast<T>(product[l]);
    }
  }
};
template <class T>
struct ExclusiveProdScan : ProdScan<T> {
  void next(const T* x, const T*, T* y, int width) {
    for (int l = 0; l < width; ++l) {
      const T before = static_cast<T>(this->product[l]);
      this->product[l] = static_cast<State<T>>(this->product[l] * x[l]);
      y[l] = before;
    }
  }
};
template <class T>
struct LinearScan {
  State<T> sum[kLanes] = {};
  void next(const T* x, const T* factor, T* y, int width) {
    for (int l = 0; l < width; ++l) {
      sum[l] = static_cast<State<T>>(x[l] + static_cast<State<T>>(factor[l]) * sum[l]);
      y[l] = static_cast<T>(sum[l]);
    }
  }
};
// The largest element so far, and the sum of exponentials around it.
template <class T>
struct LogSumExpScan {
  T top[kLanes];
  T sum[kLanes] = {};
  LogSumExpScan() {
    for (T& t : top) t = lowest<T>();
  }
  void next(const T* x, const T*, T* y, int width) {
    for (int l = 0; l < width; ++l) {
      const T now = x[l], before = top[l];
      const bool up = (now > before) | (now != now);
      const T high = up ? now : before, low = up ? before : now;
      const T ratio = exp_(low - high);
      const T grown = up ? sum[l] * ratio + T(1) : sum[l] + ratio;
      // Equal infinities have no difference: -inf so far is log(0 + ...), inf stays.
      sum[l] = low == high ? sum[l] + T(1) : grown;
      top[l] = high;
      y[l] = high + log_(sum[l]);
    }
  }
};

// Columns side by side.
template <class S, class T>
void scan_columns(const T* in, const T* factor, T* out, int64_t count, int64_t step, int width) {
  S state;
  const auto at = [&](int64_t i) { return factor == nullptr ? nullptr : factor + i * step; };
  if (width == kLanes)
    for (int64_t i = 0; i < count; ++i) state.next(in + i * step, at(i), out + i * step, kLanes);
  else
    for (int64_t i = 0; i < count; ++i) state.next(in + i * step, at(i), out + i * step, width);
}

// kRows rows at once, in tiles that are turned around.
constexpr int kRows = 8, kTile = 16;

template <class S, class T>
void scan_rows(const T* in, const T* factor, T* out, int64_t count, int64_t step, int64_t jump) {
  S state;
  T x[kTile][kRows], f[kTile][kRows], y[kTile][kRows];
  for (int64_t at = 0; at < count; at += kTile) {
    const int tile = static_cast<int>(count - at < kTile ? count - at : kTile);
    const int64_t base = at * step;
    for (int r = 0; r < kRows; ++r)
      for (int i = 0; i < tile; ++i) x[i][r] = in[r * jump + base + i * step];
    if (factor != nullptr)
      for (int r = 0; r < kRows; ++r)
        for (int i = 0; i < tile; ++i) f[i][r] = factor[r * jump + base + i * step];
    for (int i = 0; i < tile; ++i) state.next(x[i], f[i], y[i], kRows);
    for (int r = 0; r < kRows; ++r)
      for (int i = 0; i < tile; ++i) out[r * jump + base + i * step] = y[i][r];
  }
}

template <class S, class T>
void scan_row(const T* in, const T* factor, T* out, int64_t count, int64_t step) {
  S state;
  for (int64_t i = 0; i < count; ++i)
    state.next(in + i * step, factor == nullptr ? nullptr : factor + i * step, out + i * step, 1);
}

// Short rows lie close together, and the processor works on several of them.
constexpr int64_t kShort = 16;

template <bool Product, class T>
void scan_short_rows(const T* in, T* out, int64_t rows, int64_t count, int64_t jump) {
  for (int64_t r = 0; r < rows; ++r, in += jump, out += jump) {
    State<T> state = Product ? 1 : 0;
    for (int64_t i = 0; i < count; ++i) {
      state = static_cast<State<T>>(Product ? state * in[i] : state + in[i]);
      out[i] = static_cast<T>(state);
    }
  }
}

// A long row of sums is cut into kSegments, each from the sum of those before it, so that as many
// additions are under way.
constexpr int kSegments = 4;
constexpr int64_t kLong = 256;

template <class T>
void scan_long_sum(const T* in, T* out, int64_t count, int64_t step) {
  State<T> sums[kSegments] = {};
  const int64_t part = count / kSegments;
  for (int s = 1; s < kSegments; ++s) {
    const T* x = in + (s - 1) * part * step;
    State<T> lanes[8] = {};
    int64_t i = 0;
    for (; i + 8 <= part; i += 8)
      for (int l = 0; l < 8; ++l) lanes[l] = static_cast<State<T>>(lanes[l] + x[(i + l) * step]);
    for (; i < part; ++i) lanes[0] = static_cast<State<T>>(lanes[0] + x[i * step]);
    for (int width = 4; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) lanes[l] = static_cast<State<T>>(lanes[l] + lanes[l + width]);
    sums[s] = static_cast<State<T>>(sums[s - 1] + lanes[0]);
  }
  const auto add = [&](int s, int64_t i) {
    sums[s] = static_cast<State<T>>(sums[s] + in[i * step]);
    out[i * step] = static_cast<T>(sums[s]);
  };
  for (int64_t i = 0; i < part; ++i)
#pragma GCC unroll 4
    for (int s = 0; s < kSegments; ++s) add(s, s * part + i);
  for (int64_t i = kSegments * part; i < count; ++i) add(kSegments - 1, i);
}

// Which form a line takes depends on its length only, not on its neighbours.
template <template <class> class S, class T>
void run(const ScanArgs& args) {
  const Lines& lines = args.lines;
  if (lines.count == 0) return;
  const int64_t first = args.reversed ? (lines.count - 1) * lines.step : 0;
  const int64_t step = args.reversed ? -lines.step : lines.step;
  const T* in = static_cast<const T*>(args.in) + first;
  T* out = static_cast<T*>(args.out) + first;
  const T* factor = static_cast<const T*>(args.factor);
  const auto factor_at = [&](int64_t i) {
    return factor == nullptr ? nullptr : factor + first + i;
  };
  int64_t o = 0;
  if (lines.inner > 1) {
    for (; o < lines.outer; ++o)
      for (int64_t j = 0; j < lines.inner; j += kLanes) {
        const int64_t at = o * lines.jump + j;
        const int64_t width = lines.inner - j < kLanes ? lines.inner - j : kLanes;
        scan_columns<S<T>>(in + at, factor_at(at), out + at, lines.count, step,
                           static_cast<int>(width));
      }
    return;
  }
  constexpr bool kSum = __is_same(S<T>, SumScan<T>), kProduct = __is_same(S<T>, ProdScan<T>);
  if ((kSum || kProduct) && lines.count <= kShort && step == 1)
    return scan_short_rows<kProduct>(in, out, lines.outer, lines.count, lines.jump);
  if (kSum && lines.count >= kLong) {
    for (; o < lines.outer; ++o)
      scan_long_sum(in + o * lines.jump, out + o * lines.jump, lines.count, step);
    return;
  }
  for (; o + kRows <= lines.outer; o += kRows) {
    const int64_t at = o * lines.jump;
    scan_rows<S<T>>(in + at, factor_at(at), out + at, lines.count, step, lines.jump);
  }
  for (; o < lines.outer; ++o) {
    const int64_t at = o * lines.jump;
    scan_row<S<T>>(in + at, factor_at(at), out + at, lines.count, step);
  }
}

template <bool Largest, class T>
void run_extreme(const RunningExtremeArgs& args) {
  const Lines& lines = args.lines;
  for (int64_t o = 0; o < lines.outer; ++o) {
    const int64_t base = o * lines.jump;
    const T* in = static_cast<const T*>(args.in) + base;
    T* values = static_cast<T*>(args.values) + base;
    int64_t* indices = args.indices + base;
    if (lines.inner == 1) {
      T best = lines.count > 0 ? in[0] : T(0);
      int64_t where = 0;
      for (int64_t i = 0; i < lines.count; ++i) {
        const T x = in[i * lines.step];
        if ((Largest ? x >= best : x <= best) || x != x) {  // false beside a NaN
          best = x;
          where = i;
        }
        values[i * lines.step] = best;
        indices[i * lines.step] = where;
      }
      continue;
    }
    for (int64_t j = 0; j < lines.inner && lines.count > 0; ++j) {
      values[j] = in[j];
      indices[j] = 0;
    }
    for (int64_t i = 1; i < lines.count; ++i) {
      const T *x = in + i * lines.step, *before = values + (i - 1) * lines.step;
      const int64_t* place = indices + (i - 1) * lines.step;
      T* value = values + i * lines.step;
      int64_t* index = indices + i * lines.step;
#pragma GCC ivdep
      for (int64_t j = 0; j < lines.inner; ++j) {
        const bool take = (x[j] != x[j]) | ((before[j] == before[j]) &
                                            (Largest ? x[j] >= before[j] : x[j] <= before[j]));
        value[j] = take ? x[j] : before[j];
        index[j] = take ? i : place[j];
      }
    }
  }
}

}  // namespace

bool scan(Scan function, DType dtype, const ScanArgs& args) {
  switch (function) {
    case Scan::kSum:
      return with_number(dtype, [&]<class T>(Type<T>) { run<SumScan, T>(args); });
    case Scan::kProd:
      return with_number(dtype, [&]<class T>(Type<T>) {
        if (args.exclusive)
          run<ExclusiveProdScan, T>(args);
        else
          run<ProdScan, T>(args);
      });
    case Scan::kLogSumExp:
      return with_floating(dtype, [&]<class T>(Type<T>) { run<LogSumExpScan, T>(args); });
    case Scan::kLinear:
      return with_floating(dtype, [&]<class T>(Type<T>) { run<LinearScan, T>(args); });
  }
  return false;
}

bool running_extreme(bool largest, DType dtype, const RunningExtremeArgs& args) {
  return with_number_or_bool(dtype, [&]<class T>(Type<T>) {
    if (largest)
      run_extreme<true, T>(args);
    else
      run_extreme<false, T>(args);
  });
}

}  // namespace oneagent::cpu::OA_ISA
