#include "core/kernels/cpu/scan.h"

#include "core/kernels/cpu/fold.h"
#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
using State = std::conditional_t<is_real<T>, double, T>;

// Each scan is a state per line: start, and a step that takes the next element (and factor) and
// gives the next result.
template <class T>
struct SumScan {
  State<T> sum = 0;
  T next(T x, T) {
    sum = static_cast<State<T>>(sum + x);
    return static_cast<T>(sum);
  }
};
template <class T>
struct ProdScan {
  State<T> product = 1;
  T next(T x, T) {
    product = static_cast<State<T>>(product * x);
    return static_cast<T>(product);
  }
};
template <class T>
struct ExclusiveProdScan {
  State<T> product = 1;
  T next(T x, T) {
    const T before = static_cast<T>(product);
    product = static_cast<State<T>>(product * x);
    return before;
  }
};
template <class T>
struct LinearScan {
  State<T> y = 0;
  T next(T x, T factor) {
    y = static_cast<State<T>>(x + static_cast<State<T>>(factor) * y);
    return static_cast<T>(y);
  }
};
// The largest element so far, and the sum of exponentials around it.
template <class T>
struct LogSumExpScan {
  T top = lowest<T>();
  T sum = 0;
  T next(T x, T) {
    const bool up = (x > top) | (x != x);
    const T high = up ? x : top, low = up ? top : x;
    const T ratio = low == high ? T(1) : exp_(low - high);
    sum = up ? sum * ratio + T(1) : sum + ratio;
    sum = high == lowest<T>() ? T(1) : sum;
    top = high;
    return top + log_(sum);
  }
};

// kLanes lines at once; line l begins at `at[l]`, its elements are `step` apart.
template <int kLanes, class S, class T>
void scan_lanes(S* state, const T* in, const T* factor, T* out, const int64_t* at, int64_t count,
                int64_t step) {
  S s[kLanes];
  for (int l = 0; l < kLanes; ++l) s[l] = state[l];
  for (int64_t i = 0; i < count; ++i)
#pragma GCC unroll 8
    for (int l = 0; l < kLanes; ++l) {
      const int64_t place = at[l] + i * step;
      out[place] = s[l].next(in[place], factor == nullptr ? T(0) : factor[place]);
    }
  for (int l = 0; l < kLanes; ++l) state[l] = s[l];
}

// Columns side by side.
constexpr int kColumns = 32;

template <class S, class T>
void scan_columns(const T* in, const T* factor, T* out, int64_t count, int64_t step,
                  int64_t columns) {
  S state[kColumns];
  const auto row = [&](int64_t i, int64_t width) {
    const T* x = in + i * step;
    const T* f = factor + i * step;
    T* y = out + i * step;
    if (factor == nullptr) {
#pragma GCC ivdep
      for (int64_t c = 0; c < width; ++c) y[c] = state[c].next(x[c], T(0));
    } else {
#pragma GCC ivdep
      for (int64_t c = 0; c < width; ++c) y[c] = state[c].next(x[c], f[c]);
    }
  };
  if (columns == kColumns)
    for (int64_t i = 0; i < count; ++i) row(i, kColumns);
  else
    for (int64_t i = 0; i < count; ++i) row(i, columns);
}

// A long row of sums is cut into kSegments, each from the sum of those before it, so that as many
// additions are under way.
constexpr int kSegments = 4;
constexpr int64_t kLong = 256;

template <class T>
void scan_long_sum(const T* in, T* out, int64_t begin, int64_t count, int64_t step) {
  SumScan<T> states[kSegments];
  int64_t at[kSegments];
  const int64_t part = count / kSegments;
  for (int s = 0; s < kSegments; ++s) at[s] = begin + s * part * step;
  for (int s = 1; s < kSegments; ++s) {
    const T* x = in + at[s - 1];
    State<T> lanes[8] = {};
    int64_t i = 0;
    for (; i + 8 <= part; i += 8)
      for (int l = 0; l < 8; ++l) lanes[l] += x[(i + l) * step];
    for (; i < part; ++i) lanes[0] += x[i * step];
    for (int width = 4; width > 0; width /= 2)
      for (int l = 0; l < width; ++l) lanes[l] += lanes[l + width];
    states[s].sum = static_cast<State<T>>(states[s - 1].sum + lanes[0]);
  }
  scan_lanes<kSegments>(states, in, static_cast<const T*>(nullptr), out, at, part, step);
  const int64_t rest = begin + kSegments * part * step;
  scan_lanes<1>(&states[kSegments - 1], in, static_cast<const T*>(nullptr), out, &rest,
                count - kSegments * part, step);
}

template <template <class> class S, class T>
void run(const ScanArgs& args) {
  constexpr int kLanes = 8;
  const Lines& lines = args.lines;
  const auto* in = static_cast<const T*>(args.in);
  const auto* factor = static_cast<const T*>(args.factor);
  auto* out = static_cast<T*>(args.out);
  const int64_t first = args.reversed ? (lines.count - 1) * lines.step : 0;
  const int64_t step = args.reversed ? -lines.step : lines.step;
  if (lines.count == 0) return;
  if (lines.inner > 1) {
    for (int64_t o = 0; o < lines.outer; ++o)
      for (int64_t j = 0; j < lines.inner; j += kColumns) {
        const int64_t place = o * lines.jump + first + j;
        scan_columns<S<T>>(in + place, factor == nullptr ? nullptr : factor + place, out + place,
                           lines.count, step,
                           lines.inner - j < kColumns ? lines.inner - j : kColumns);
      }
    return;
  }
  int64_t o = 0;
  for (; o + kLanes <= lines.outer; o += kLanes) {
    S<T> states[kLanes];
    int64_t at[kLanes];
    for (int l = 0; l < kLanes; ++l) at[l] = (o + l) * lines.jump + first;
    scan_lanes<kLanes>(states, in, factor, out, at, lines.count, step);
  }
  for (; o < lines.outer; ++o) {
    const int64_t at = o * lines.jump + first;
    if constexpr (__is_same(S<T>, SumScan<T>)) {
      if (lines.count >= kLong) {
        scan_long_sum(in, out, at, lines.count, step);
        continue;
      }
    }
    S<T> state;
    scan_lanes<1>(&state, in, factor, out, &at, lines.count, step);
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
