#include "core/kernels/cpu/matvec.h"

#include OA_ISA_VEC
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
constexpr int kLanes = static_cast<int>(128 / sizeof(T));

// The sum of the lanes; `lanes` holds kLanes values for each of `count` rows, lane by lane.
template <class T>
void join_lanes(T* lanes, int64_t count, int64_t stride, T* out) {
  for (int width = kLanes<T> / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) {
      T* to = lanes + i * stride;
      const T* from = lanes + (i + width) * stride;
#pragma GCC ivdep
      for (int64_t j = 0; j < count; ++j) to[j] += from[j];
    }
  for (int64_t j = 0; j < count; ++j) out[j] = lanes[j];
}

template <class T>
T join_lanes(T* lanes) {
  for (int width = kLanes<T> / 2; width > 0; width /= 2)
#pragma GCC ivdep
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

template <class T>
struct Ends {  // the elements behind the last whole group of lanes, zeros behind them
  int64_t whole;
  T x[kLanes<T>] = {};
  Ends(const T* values, int64_t k) : whole(k / kLanes<T> * kLanes<T>) {
    for (int64_t i = whole; i < k; ++i) x[i - whole] = values[i];
  }
};

// Rows dot x; all rows are read side by side.
template <class T, int Rows>
void dot_rows(const MatvecArgs& args, const Ends<T>& ends, int64_t row) {
  using V = Vec<T>;
  constexpr int kRegs = kLanes<T> / V::kWidth;
  const T* a = static_cast<const T*>(args.a) + row * args.stride;
  const T* x = static_cast<const T*>(args.x);
  typename V::Reg sum[Rows][kRegs];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) sum[r][j] = V::zero();
  for (int64_t i = 0; i < ends.whole; i += kLanes<T>) {
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) {
      const typename V::Reg part = V::load(x + i + j * V::kWidth);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r)
        sum[r][j] = V::fma(V::load(a + r * args.stride + i + j * V::kWidth), part, sum[r][j]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r) {
    T lanes[kLanes<T>];
    if (ends.whole < args.k) {
      T rest[kLanes<T>] = {};
      const T* from = a + r * args.stride;
      for (int64_t i = ends.whole; i < args.k; ++i) rest[i - ends.whole] = from[i];
#pragma GCC unroll 8
      for (int j = 0; j < kRegs; ++j)
        sum[r][j] =
            V::fma(V::load(rest + j * V::kWidth), V::load(ends.x + j * V::kWidth), sum[r][j]);
    }
#pragma GCC unroll 8
    for (int j = 0; j < kRegs; ++j) V::store(lanes + j * V::kWidth, sum[r][j]);
    static_cast<T*>(args.y)[row + r] = join_lanes(lanes);
  }
}

template <class T>
void by_rows(const MatvecArgs& args) {
  const Ends<T> ends(static_cast<const T*>(args.x), args.k);
  int64_t row = 0;
  for (; row + 2 <= args.m; row += 2) dot_rows<T, 2>(args, ends, row);
  if (row < args.m) dot_rows<T, 1>(args, ends, row);
}

// The lanes of a block of rows stay in the first cache while the columns pass.
template <class T>
void by_columns(const MatvecArgs& args) {
  constexpr int64_t kBlock = 4096 / kLanes<T>;
  const T* x = static_cast<const T*>(args.x);
  T lanes[kLanes<T> * kBlock];
  for (int64_t row = 0; row < args.m; row += kBlock) {
    const int64_t count = args.m - row < kBlock ? args.m - row : kBlock;
    for (int64_t i = 0; i < kLanes<T> * kBlock; ++i) lanes[i] = T(0);
    for (int64_t k = 0; k < args.k; ++k) {
      const T* a = static_cast<const T*>(args.a) + row + k * args.stride;
      T* sum = lanes + k % kLanes<T> * kBlock;
      const T value = x[k];
#pragma GCC ivdep
      for (int64_t i = 0; i < count; ++i) {
        if constexpr (sizeof(T) == 4)
          sum[i] = __builtin_fmaf(a[i], value, sum[i]);
        else
          sum[i] = __builtin_fma(a[i], value, sum[i]);
      }
    }
    join_lanes(lanes, count, kBlock, static_cast<T*>(args.y) + row);
  }
}

template <class T>
void multiply_integers(const IntegerProduct& args) {
  const T* a = static_cast<const T*>(args.a);
  for (int64_t i = 0; i < args.m; ++i) {
    T* c = static_cast<T*>(args.c) + i * args.c_row;
    if (!args.accumulate)
      for (int64_t j = 0; j < args.n; ++j) c[j] = T(0);
    for (int64_t k = 0; k < args.k; ++k) {
      const T value = a[i * args.a_row + k * args.a_col];
      const T* b = static_cast<const T*>(args.b) + k * args.b_row;
#pragma GCC ivdep
      for (int64_t j = 0; j < args.n; ++j) c[j] = static_cast<T>(c[j] + value * b[j]);
    }
  }
}

template <class T>
void integer_matvec(const MatvecArgs& args) {
  const T* x = static_cast<const T*>(args.x);
  const int64_t row = args.by_columns ? 1 : args.stride, column = args.by_columns ? args.stride : 1;
  for (int64_t i = 0; i < args.m; ++i) {
    const T* a = static_cast<const T*>(args.a) + i * row;
    T sum = T(0);
    for (int64_t k = 0; k < args.k; ++k) sum = static_cast<T>(sum + a[k * column] * x[k]);
    static_cast<T*>(args.y)[i] = sum;
  }
}

template <class T>
struct ScaledSum {
  T first, second;
  explicit ScaledSum(const Params& params)
      : first(param<T>(params, 0)), second(param<T>(params, 1)) {}
  T operator()(T x, T y) const { return static_cast<T>(first * x + second * y); }
};

template <class T>
void scaled_product_row(int64_t n, char* const* data, const int64_t* strides,
                        const Params& params) {
  const T first = param<T>(params, 0), second = param<T>(params, 1);
  constexpr int64_t kStep = sizeof(T);
  T* out = reinterpret_cast<T*>(data[0]);
  const T* y = reinterpret_cast<const T*>(data[1]);
  const T* u = reinterpret_cast<const T*>(data[2]);
  const T* v = reinterpret_cast<const T*>(data[3]);
  if (strides[0] == kStep && strides[1] == kStep && strides[2] == 0 && strides[3] == kStep) {
    const T scaled = static_cast<T>(first * *u);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(second * y[i] + scaled * v[i]);
    return;
  }
  const auto at = [](const T* p, int64_t bytes) {
    return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(p) + bytes);
  };
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(data[0] + i * strides[0]) =
        static_cast<T>(second * at(y, i * strides[1]) +
                       static_cast<T>(first * at(u, i * strides[2])) * at(v, i * strides[3]));
}

}  // namespace

bool matvec(DType dtype, const MatvecArgs& args) {
  return with_floating(dtype,
                       [&]<class T>(Type<T>) {
                         if (args.by_columns)
                           by_columns<T>(args);
                         else
                           by_rows<T>(args);
                       }) ||
         with_integral(dtype, [&]<class T>(Type<T>) { integer_matvec<T>(args); });
}

bool integer_product(DType dtype, const IntegerProduct& args) {
  return with_integral(dtype, [&]<class T>(Type<T>) { multiply_integers<T>(args); });
}

Inner scaled_sum(DType dtype) {
  Inner inner = nullptr;
  with_number(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, ScaledSum<T>>; });
  return inner;
}

Inner scaled_product_sum(DType dtype) {
  Inner inner = nullptr;
  with_number(dtype, [&]<class T>(Type<T>) { inner = scaled_product_row<T>; });
  return inner;
}

}  // namespace oneagent::cpu::OA_ISA
