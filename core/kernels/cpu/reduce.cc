#include "core/kernels/cpu/reduce.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kLanes = 16;
constexpr int64_t kBlock = 2048;  // terms added straight; blocks are then added in order

template <class T>
struct Sum {
  static T start() { return T(0); }
  static T map(T x) { return x; }
  static T join(T a, T b) { return static_cast<T>(a + b); }
};
template <class T>
struct SumSquares {
  static T start() { return T(0); }
  static T map(T x) { return static_cast<T>(x * x); }
  static T join(T a, T b) { return static_cast<T>(a + b); }
};
template <class T>
struct Prod {
  static T start() { return T(1); }
  static T map(T x) { return x; }
  static T join(T a, T b) { return static_cast<T>(a * b); }
};
template <class T>
constexpr T lowest() {
  if constexpr (static_cast<T>(0.5) != T(0))
    return -static_cast<T>(__builtin_inf());
  else if constexpr (static_cast<T>(-1) > T(0))
    return T(0);
  else
    return static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 1));
}
template <class T>
constexpr T highest() {
  if constexpr (static_cast<T>(0.5) != T(0))
    return static_cast<T>(__builtin_inf());
  else
    return static_cast<T>(~lowest<T>());
}
template <class T>
struct Max {
  static T start() { return lowest<T>(); }
  static T map(T x) { return x; }
  static T join(T a, T b) { return (b > a) | (b != b) ? b : a; }
};
template <class T>
struct Min {
  static T start() { return highest<T>(); }
  static T map(T x) { return x; }
  static T join(T a, T b) { return (b < a) | (b != b) ? b : a; }
};

template <class T, template <class> class F>
T reduce_block(const T* in, int64_t count) {
  T lanes[kLanes];
  for (int i = 0; i < kLanes; ++i) lanes[i] = F<T>::start();
  int64_t at = 0;
  for (; at + kLanes <= count; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] = F<T>::join(lanes[i], F<T>::map(in[at + i]));
  for (int i = 0; at < count; ++at, ++i) lanes[i] = F<T>::join(lanes[i], F<T>::map(in[at]));
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] = F<T>::join(lanes[i], lanes[i + width]);
  return lanes[0];
}

template <class T, template <class> class F>
T reduce_run(const T* in, int64_t count) {
  if (count <= kBlock) return reduce_block<T, F>(in, count);
  T total = F<T>::start();
  for (int64_t at = 0; at < count; at += kBlock)
    total =
        F<T>::join(total, reduce_block<T, F>(in + at, count - at < kBlock ? count - at : kBlock));
  return total;
}

template <class T, template <class> class F>
void reduce_columns(const T* in, T* out, int64_t count, int64_t inner) {
  constexpr int64_t kColumns = 64;
  for (int64_t j = 0; j < inner; j += kColumns) {
    const int64_t columns = inner - j < kColumns ? inner - j : kColumns;
    T total[kColumns];
    for (int64_t c = 0; c < columns; ++c) total[c] = F<T>::start();
    for (int64_t block = 0; block < count; block += kBlock) {
      const int64_t end = count - block < kBlock ? count : block + kBlock;
      T part[kColumns];
      for (int64_t c = 0; c < columns; ++c) part[c] = F<T>::start();
      if (columns == kColumns) {
        for (int64_t i = block; i < end; ++i)
          for (int64_t c = 0; c < kColumns; ++c)
            part[c] = F<T>::join(part[c], F<T>::map(in[i * inner + j + c]));
      } else {
        for (int64_t i = block; i < end; ++i)
          for (int64_t c = 0; c < columns; ++c)
            part[c] = F<T>::join(part[c], F<T>::map(in[i * inner + j + c]));
      }
      for (int64_t c = 0; c < columns; ++c) total[c] = F<T>::join(total[c], part[c]);
    }
    for (int64_t c = 0; c < columns; ++c) out[j + c] = total[c];
  }
}

template <class T, template <class> class F>
bool run(const ReduceArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  for (int64_t o = 0; o < args.outer; ++o) {
    if (args.inner == 1)
      out[o] = reduce_run<T, F>(in + o * args.count, args.count);
    else
      reduce_columns<T, F>(in + o * args.count * args.inner, out + o * args.inner, args.count,
                           args.inner);
  }
  return true;
}

template <class T>
bool run_any_all(const ReduceArgs& args, bool any) {
  const T* in = static_cast<const T*>(args.in);
  uint8_t* out = static_cast<uint8_t*>(args.out);
  for (int64_t o = 0; o < args.outer; ++o)
    for (int64_t j = 0; j < args.inner; ++j) {
      bool seen = !any;
      for (int64_t i = 0; i < args.count && seen != any; ++i)
        seen = (in[(o * args.count + i) * args.inner + j] != T(0)) == any ? any : seen;
      out[o * args.inner + j] = seen;
    }
  return true;
}

template <template <class> class F>
bool numeric(DType dtype, const ReduceArgs& args) {
  return with_number_or_bool(dtype, [&]<class T>(Type<T>) { run<T, F>(args); });
}

template <class T>
bool run_arg(bool largest, const ReduceArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  int64_t* out = static_cast<int64_t*>(args.out);
  for (int64_t o = 0; o < args.outer; ++o)
    for (int64_t j = 0; j < args.inner; ++j) {
      const T* column = in + o * args.count * args.inner + j;
      int64_t best = 0;
      for (int64_t i = 1; i < args.count; ++i) {
        const T value = column[i * args.inner];
        const T now = column[best * args.inner];
        const bool better = largest ? value > now : value < now;
        if (better || (value != value && now == now)) best = i;
      }
      out[o * args.inner + j] = best;
    }
  return true;
}

template <class T>
bool run_cumsum(const ReduceArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  for (int64_t o = 0; o < args.outer; ++o)
    for (int64_t j = 0; j < args.inner; ++j) {
      T sum = T(0);
      for (int64_t i = 0; i < args.count; ++i) {
        const int64_t step = args.reversed ? args.count - 1 - i : i;
        const int64_t at = (o * args.count + step) * args.inner + j;
        sum = static_cast<T>(sum + in[at]);
        out[at] = sum;
      }
    }
  return true;
}

}  // namespace

bool reduce(Reduce function, DType dtype, const ReduceArgs& args) {
  const bool any = function == Reduce::kAny;
  switch (function) {
    case Reduce::kSum:
      return numeric<Sum>(dtype, args);
    case Reduce::kSumSquares:
      return numeric<SumSquares>(dtype, args);
    case Reduce::kProd:
      return numeric<Prod>(dtype, args);
    case Reduce::kMax:
      return numeric<Max>(dtype, args);
    case Reduce::kMin:
      return numeric<Min>(dtype, args);
    case Reduce::kAny:
    case Reduce::kAll:
      return with_number_or_bool(dtype, [&]<class T>(Type<T>) { run_any_all<T>(args, any); });
  }
  return false;
}

bool arg_reduce(bool largest, DType dtype, const ReduceArgs& args) {
  return with_number(dtype, [&]<class T>(Type<T>) { run_arg<T>(largest, args); });
}

bool cumsum(DType dtype, const ReduceArgs& args) {
  return with_number(dtype, [&]<class T>(Type<T>) { run_cumsum<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
