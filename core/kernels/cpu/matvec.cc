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

// The sum of a register's lanes: halves are added to halves.
inline float across(__m256 x) {
  __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
  half = _mm_add_ps(half, _mm_movehl_ps(half, half));
  return _mm_cvtss_f32(_mm_add_ss(half, _mm_shuffle_ps(half, half, 1)));
}
inline double across(__m256d x) {
  const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(x), _mm256_extractf128_pd(x, 1));
  return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
#ifdef __AVX512F__
inline float across(__m512 x) {
  return across(_mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, x, 0),
                              _mm512_maskz_extractf32x8_ps(0xff, x, 1)));
}
inline double across(__m512d x) {
  return across(_mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xff, x, 0),
                              _mm512_maskz_extractf64x4_pd(0xff, x, 1)));
}
#endif

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
    if (ends.whole < args.k) {
      T rest[kLanes<T>] = {};
      const T* from = a + r * args.stride;
      for (int64_t i = ends.whole; i < args.k; ++i) rest[i - ends.whole] = from[i];
#pragma GCC unroll 8
      for (int j = 0; j < kRegs; ++j)
        sum[r][j] =
            V::fma(V::load(rest + j * V::kWidth), V::load(ends.x + j * V::kWidth), sum[r][j]);
    }
#pragma GCC unroll 4
    for (int half = kRegs / 2; half > 0; half /= 2)
#pragma GCC unroll 4
      for (int j = 0; j < half; ++j) sum[r][j] = sum[r][j] + sum[r][j + half];
    static_cast<T*>(args.y)[row + r] = across(sum[r][0]);
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

// Products of 32 bits are exact in 64, and processors have an instruction for them.
bool all_are_short(const int64_t* x, int64_t rows, int64_t columns, int64_t row, int64_t column) {
  int64_t wide = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      const int64_t value = x[i * row + j * column];
      wide |= value ^ static_cast<int32_t>(value);
    }
  return wide == 0;
}

// kRegs registers of a row of c; a and b hold numbers of 32 bits.
template <int kRegs>
void short_block(const IntegerProduct& args, const int64_t* a, const int64_t* b, int64_t* c) {
  __m256i sum[kRegs];
  const auto at = [](int64_t* p, int i) { return reinterpret_cast<__m256i*>(p + 4 * i); };
#pragma GCC unroll 4
  for (int i = 0; i < kRegs; ++i)
    sum[i] = args.accumulate ? _mm256_loadu_si256(at(c, i)) : _mm256_setzero_si256();
  for (int64_t k = 0; k < args.k; ++k, b += args.b_row) {
    const __m256i value = _mm256_set1_epi64x(a[k * args.a_col]);
#pragma GCC unroll 4
    for (int i = 0; i < kRegs; ++i)
      sum[i] = _mm256_add_epi64(
          sum[i],
          _mm256_mul_epi32(value, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + 4 * i))));
  }
#pragma GCC unroll 4
  for (int i = 0; i < kRegs; ++i) _mm256_storeu_si256(at(c, i), sum[i]);
}

void multiply_short(const IntegerProduct& args) {
  for (int64_t i = 0; i < args.m; ++i) {
    const int64_t* a = static_cast<const int64_t*>(args.a) + i * args.a_row;
    const int64_t* b = static_cast<const int64_t*>(args.b);
    int64_t* c = static_cast<int64_t*>(args.c) + i * args.c_row;
    int64_t j = 0;
    for (; j + 16 <= args.n; j += 16) short_block<4>(args, a, b + j, c + j);
    for (; j + 4 <= args.n; j += 4) short_block<1>(args, a, b + j, c + j);
    for (; j < args.n; ++j) {
      int64_t sum = args.accumulate ? c[j] : 0;
      for (int64_t k = 0; k < args.k; ++k) sum += a[k * args.a_col] * b[k * args.b_row + j];
      c[j] = sum;
    }
  }
}

template <class T>
void multiply_integers(const IntegerProduct& args) {
  const T* a = static_cast<const T*>(args.a);
  if constexpr (sizeof(T) == 8)
    if (all_are_short(a, args.m, args.k, args.a_row, args.a_col) &&
        all_are_short(static_cast<const T*>(args.b), args.k, args.n, args.b_row, 1))
      return multiply_short(args);
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
