#include "core/kernels/cpu/reduce.h"

#include "core/kernels/cpu/fold.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <bool kAdjacent, class F, class T>
typename F::Total reduce_run(const F& f, const T* in, int64_t count, int64_t stride) {
  using Total = typename F::Total;
  const int64_t step = kAdjacent ? 1 : stride;
  if (count <= kBlock) return static_cast<Total>(reduce_block<kAdjacent>(f, in, count, step));
  Total total = F::kStart;
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t terms = count - at < kBlock ? count - at : kBlock;
    total =
        F::join(total, static_cast<Total>(reduce_block<kAdjacent>(f, in + at * step, terms, step)));
  }
  return total;
}

// W packs of columns side by side.
template <int W, class F, class T>
void reduce_packs(const F& f, const T* in, typename F::Total* out, int64_t count, int64_t stride) {
  using Part = typename F::Part;
  using Total = typename F::Total;
  constexpr int kN = kWidth<F>;
  for (int64_t at = 0; at < count; at += kBlock) {
    const int64_t end = count - at < kBlock ? count : at + kBlock;
    Pack<Part, kN> sums[W];
    for (int w = 0; w < W; ++w) sums[w] = splat<kN>(Part(F::kStart));
    for (int64_t i = at; i < end; ++i)
#pragma GCC unroll 8
      for (int w = 0; w < W; ++w)
        sums[w] = F::join(sums[w], f.map(load<kN>(in + i * stride + w * kN)));
    for (int w = 0; w < W; ++w) {
      const Pack<Total, kN> sum = widen<Total>(sums[w]);
      const Pack<Total, kN> before = at == 0 ? splat<kN>(Total(F::kStart)) : load<kN>(out + w * kN);
      store(out + w * kN, F::join(before, sum));
    }
  }
}

template <class F, class T>
void reduce_columns(const F& f, const T* in, typename F::Total* out, int64_t count, int64_t inner,
                    int64_t stride) {
  constexpr int kN = kWidth<F>;
  int64_t j = 0;
  for (; j + 8 * kN <= inner; j += 8 * kN) reduce_packs<8>(f, in + j, out + j, count, stride);
  if (j + 4 * kN <= inner) {
    reduce_packs<4>(f, in + j, out + j, count, stride);
    j += 4 * kN;
  }
  if (j + 2 * kN <= inner) {
    reduce_packs<2>(f, in + j, out + j, count, stride);
    j += 2 * kN;
  }
  if (j + kN <= inner) {
    reduce_packs<1>(f, in + j, out + j, count, stride);
    j += kN;
  }
  for (; j < inner; ++j) out[j] = reduce_run<false>(f, in + j, count, stride);
}

// A few columns: kFold rows are taken as one, and the kFold results of a column are joined.
constexpr int64_t kFold = 8, kNarrow = 32;

template <class F, class T>
void reduce_narrow(const F& f, const T* in, typename F::Total* out, int64_t count, int64_t inner) {
  typename F::Total folded[kFold * kNarrow];
  const int64_t rows = count / kFold;
  reduce_columns(f, in, folded, rows, inner * kFold, inner * kFold);
  for (int64_t j = 0; j < inner; ++j) {
    for (int64_t width = kFold / 2; width > 0; width /= 2)
      for (int64_t i = 0; i < width; ++i)
        folded[i * inner + j] = F::join(folded[i * inner + j], folded[(i + width) * inner + j]);
    typename F::Part rest = F::kStart;
    for (int64_t i = rows * kFold; i < count; ++i)
      rest = F::join(rest, typename F::Part(f.map(in[i * inner + j])));
    out[j] = F::join(folded[j], static_cast<typename F::Total>(rest));
  }
}

// Short rows are taken a pack of rows at a time. As few terms are joined one by one, the order is
// that of a single row.
template <class F, class T>
int64_t reduce_short(const F& f, const ReduceArgs& args) {
  using Total = typename F::Total;
  constexpr int kN = kWidth<F>;
  if (args.count >= kFewPacks * kN) return 0;
  const T* in = static_cast<const T*>(args.in);
  auto* out = static_cast<Total*>(args.out);
  int64_t o = 0;
  for (; o + kN <= args.outer; o += kN) {
    const T* rows = in + o * args.outer_stride;
    Pack<typename F::Part, kN> sum = splat<kN>(typename F::Part(F::kStart));
    for (int64_t i = 0; i < args.count; ++i)
      sum = F::join(sum, f.map(take<kN, false>(rows + i * args.count_stride, args.outer_stride)));
    store(out + o, widen<Total>(sum));
  }
  return o;
}

template <class F, class T>
void run(const F& f, const ReduceArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  auto* out = static_cast<typename F::Total*>(args.out);
  int64_t o = args.inner == 1 ? reduce_short<F, T>(f, args) : 0;
  in += o * args.outer_stride;
  out += o;
  for (; o < args.outer; ++o, in += args.outer_stride, out += args.inner) {
    if (args.inner > 1 && args.inner < kNarrow && args.count >= 4 * kFold &&
        args.count_stride == args.inner)
      reduce_narrow(f, in, out, args.count, args.inner);
    else if (args.inner > 1)
      reduce_columns(f, in, out, args.count, args.inner, args.count_stride);
    else if (args.count_stride == 1)
      *out = reduce_run<true>(f, in, args.count, 1);
    else
      *out = reduce_run<false>(f, in, args.count, args.count_stride);
  }
}

// Is there an element of the row that is zero (or that is not)?
template <bool Zero, class T>
bool seen_in_row(const T* in, int64_t count, int64_t stride) {
  constexpr int kN = kPackBytes / static_cast<int>(sizeof(T));
  using V = Pack<T, kN>;
  int64_t at = 0;
  if (stride == 1) {
    for (; at + kN * kUnroll <= count; at += kN * kUnroll) {
      decltype(V{} == V{}) seen{};
#pragma GCC unroll 8
      for (int u = 0; u < kUnroll; ++u) {
        const V x = load<kN>(in + at + u * kN);
        seen |= Zero ? x == V{} : x != V{};
      }
      int64_t words[kPackBytes / 8];
      store(words, seen);
      if ((words[0] | words[1] | words[2] | words[3]) != 0) return true;
    }
  }
  for (; at < count; ++at)
    if ((in[at * stride] == T(0)) == Zero) return true;
  return false;
}

template <class T>
void run_any_all(const ReduceArgs& args, bool any) {
  const T* in = static_cast<const T*>(args.in);
  auto* out = static_cast<uint8_t*>(args.out);
  for (int64_t o = 0; o < args.outer; ++o, in += args.outer_stride, out += args.inner) {
    if (args.inner == 1) {
      *out = any ? seen_in_row<false>(in, args.count, args.count_stride)
                 : !seen_in_row<true>(in, args.count, args.count_stride);
      continue;
    }
    constexpr int64_t kColumns = 128;
    for (int64_t j = 0; j < args.inner; j += kColumns) {
      const int64_t columns = args.inner - j < kColumns ? args.inner - j : kColumns;
      uint8_t seen[kColumns] = {};
      for (int64_t i = 0; i < args.count; ++i) {
        const T* row = in + i * args.count_stride + j;
        for (int64_t c = 0; c < columns; ++c) seen[c] |= (row[c] == T(0)) != any;
      }
      for (int64_t c = 0; c < columns; ++c) out[j + c] = (seen[c] != 0) == any;
    }
  }
}

// Both extremes of adjacent terms in one look; false where a term is NaN.
template <class T>
bool extremes_of_numbers(const T* in, int64_t count, T& least, T& most) {
  constexpr int kN = kWidth<Min<T>>, kPacks = 4;
  Pack<T, kN> lows[kPacks], highs[kPacks];
  for (int u = 0; u < kPacks; ++u) {
    lows[u] = splat<kN>(T(Min<T>::kStart));
    highs[u] = splat<kN>(T(Max<T>::kStart));
  }
  auto unordered = lows[0] != lows[0];
  int64_t at = 0;
  for (; at + kN * kPacks <= count; at += kN * kPacks)
#pragma GCC unroll 4
    for (int u = 0; u < kPacks; ++u) {
      const Pack<T, kN> terms = load<kN>(in + at + u * kN);
      lows[u] = Min<T>::join_numbers(lows[u], terms);
      highs[u] = Max<T>::join_numbers(highs[u], terms);
      unordered |= terms != terms;
    }
  bool numbers = true;
  for (int u = 0; u < kPacks; ++u) {
    least = Min<T>::join(least, across<Min<T>>(lows[u]));
    most = Max<T>::join(most, across<Max<T>>(highs[u]));
  }
  for (int i = 0; i < kN; ++i) numbers &= unordered[i] == 0;
  for (; at < count; ++at) {
    numbers &= in[at] == in[at];
    least = Min<T>::join(least, in[at]);
    most = Max<T>::join(most, in[at]);
  }
  return numbers;
}

// Both extremes of spans that stay in the cache for the second look.
template <class T>
void run_min_max(const ReduceArgs& args, T* most) {
  constexpr int64_t kTerms = 4096;
  constexpr int64_t kColumns = 128;
  const Min<T> min{};
  const Max<T> max{};
  T* least = static_cast<T*>(args.out);
  const auto join = [](T& least_so_far, T& most_so_far, T low, T high) {
    least_so_far = Min<T>::join(least_so_far, low);
    most_so_far = Max<T>::join(most_so_far, high);
  };
  for (int64_t o = 0; o < args.outer; ++o, least += args.inner, most += args.inner) {
    const T* in = static_cast<const T*>(args.in) + o * args.outer_stride;
    for (int64_t j = 0; j < args.inner; j += kColumns) {
      const int64_t width = args.inner - j < kColumns ? args.inner - j : kColumns;
      for (int64_t c = 0; c < width; ++c) {
        least[j + c] = Min<T>::kStart;
        most[j + c] = Max<T>::kStart;
      }
      const int64_t rows = kTerms / width;
      for (int64_t i = 0; i < args.count; i += rows) {
        const int64_t terms = args.count - i < rows ? args.count - i : rows;
        const T* from = in + i * args.count_stride + j;
        if (width == 1 && args.count_stride == 1) {
          if constexpr (is_real<T>) {
            T low = least[j], high = most[j];
            if (extremes_of_numbers(from, terms, low, high)) {
              least[j] = low;
              most[j] = high;
              continue;
            }
          }
          join(least[j], most[j], reduce_run<true>(min, from, terms, 1),
               reduce_run<true>(max, from, terms, 1));
          continue;
        }
        T low[kColumns], high[kColumns];
        reduce_columns(min, from, low, terms, width, args.count_stride);
        reduce_columns(max, from, high, terms, width, args.count_stride);
        for (int64_t c = 0; c < width; ++c) join(least[j + c], most[j + c], low[c], high[c]);
      }
    }
  }
}

template <template <class> class F>
bool numeric(DType dtype, const ReduceArgs& args) {
  return with_number_or_bool(dtype, [&]<class T>(Type<T>) {
    F<T> f;
    f.power = args.power;
    run<F<T>, T>(f, args);
  });
}

}  // namespace

bool reduce(Reduce function, DType dtype, const ReduceArgs& args) {
  const bool any = function == Reduce::kAny;
  switch (function) {
    case Reduce::kSum:
      return numeric<Sum>(dtype, args);
    case Reduce::kNanSum:
      return numeric<NanSum>(dtype, args);
    case Reduce::kProd:
      return numeric<Prod>(dtype, args);
    case Reduce::kMax:
      return numeric<Max>(dtype, args);
    case Reduce::kMin:
      return numeric<Min>(dtype, args);
    case Reduce::kCount:
      return numeric<Count>(dtype, args);
    case Reduce::kSumSquares:
      return numeric<SumSquares>(dtype, args);
    case Reduce::kSumAbs:
      return numeric<SumAbs>(dtype, args);
    case Reduce::kMaxAbs:
      return numeric<MaxAbs>(dtype, args);
    case Reduce::kMinAbs:
      return numeric<MinAbs>(dtype, args);
    case Reduce::kSumPower:
      return with_floating(dtype, [&]<class T>(Type<T>) {
        if (args.power == 3) return run<SumCubes<T>, T>(SumCubes<T>(), args);
        SumPower<T> f;
        f.power = args.power;
        run<SumPower<T>, T>(f, args);
      });
    case Reduce::kAny:
    case Reduce::kAll:
      return with_number_or_bool(dtype, [&]<class T>(Type<T>) { run_any_all<T>(args, any); });
  }
  return false;
}

bool min_max(DType dtype, const ReduceArgs& args, void* most) {
  return with_number_or_bool(
      dtype, [&]<class T>(Type<T>) { run_min_max<T>(args, static_cast<T*>(most)); });
}

}  // namespace oneagent::cpu::OA_ISA
