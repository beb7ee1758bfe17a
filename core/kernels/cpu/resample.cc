#include "core/kernels/cpu/resample.h"

#include <immintrin.h>

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void any_along_width(const ResampleArgs& a, const T* row, int64_t begin, int64_t end, T* out) {
  const int64_t width = a.to[2];
  for (int64_t x = begin; x < end; ++x) {
    const int32_t* index = a.index[2] + x;
    const T* weight = static_cast<const T*>(a.weight[2]) + x;
    T sum = weight[0] * row[index[0]];
    for (int k = 1; k < a.taps[2]; ++k) sum = fma_(weight[k * width], row[index[k * width]], sum);
    out[x] = sum;
  }
}

// Results x .. x + 7: values are permuted within a window of eight for each tap.
inline void eight_along_width(const ResampleArgs& a, const float* row, int64_t x, float* out) {
  const int64_t width = a.to[2];
  const int32_t* index = a.index[2] + x;
  const float* weight = static_cast<const float*>(a.weight[2]) + x;
  const __m256i place = _mm256_sub_epi32(
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index)), _mm256_set1_epi32(index[0]));
  __m256 sum = _mm256_mul_ps(_mm256_loadu_ps(weight),
                             _mm256_permutevar8x32_ps(_mm256_loadu_ps(row + index[0]), place));
  for (int k = 1; k < a.taps[2]; ++k)
    sum = _mm256_fmadd_ps(_mm256_loadu_ps(weight + k * width),
                          _mm256_permutevar8x32_ps(_mm256_loadu_ps(row + index[k * width]), place),
                          sum);
  _mm256_storeu_ps(out, sum);
}

// sums[x] = the row under the taps of axis 2.
template <class T>
void along_width(const ResampleArgs& a, const T* row, T* out) {
  if constexpr (sizeof(T) == 4) {
    if (a.near != nullptr) {
      int64_t x = 0;
      for (; x + 8 <= a.to[2]; x += 8) {
        if (a.near[x / 8] != 0) {
          eight_along_width(a, row, x, out + x);
          continue;
        }
        any_along_width(a, row, x, x + 8, out);
      }
      any_along_width(a, row, x, a.to[2], out);
      return;
    }
  }
  const int64_t width = a.to[2];
  const int32_t* index = a.index[2];
  const T* weight = static_cast<const T*>(a.weight[2]);
  if (a.taps[2] == 1) {
#pragma GCC ivdep
    for (int64_t x = 0; x < width; ++x) out[x] = weight[x] * row[index[x]];
    return;
  }
#pragma GCC ivdep
  for (int64_t x = 0; x < width; ++x)
    out[x] = fma_(weight[width + x], row[index[width + x]], weight[x] * row[index[x]]);
  for (int k = 2; k < a.taps[2]; ++k) {
    const int32_t* at = index + k * width;
    const T* w = weight + k * width;
#pragma GCC ivdep
    for (int64_t x = 0; x < width; ++x) out[x] = fma_(w[x], row[at[x]], out[x]);
  }
}

// Rows joined two at a time; `first` overwrites.
template <class T>
struct Joiner {
  T* out;
  int64_t width;
  const T* waiting = nullptr;
  T waiting_weight = T(0);
  bool first = true;

  void add(const T* row, T weight) {
    if (waiting == nullptr) {
      waiting = row;
      waiting_weight = weight;
      return;
    }
    const T *a = waiting, *b = row;
    const T v = waiting_weight, w = weight;
    waiting = nullptr;
    if (first) {
#pragma GCC ivdep
      for (int64_t x = 0; x < width; ++x) out[x] = fma_(w, b[x], v * a[x]);
    } else {
#pragma GCC ivdep
      for (int64_t x = 0; x < width; ++x) out[x] = fma_(w, b[x], fma_(v, a[x], out[x]));
    }
    first = false;
  }
  void finish() {
    if (waiting == nullptr) return;
    const T* a = waiting;
    const T v = waiting_weight;
    if (first) {
#pragma GCC ivdep
      for (int64_t x = 0; x < width; ++x) out[x] = v * a[x];
    } else {
#pragma GCC ivdep
      for (int64_t x = 0; x < width; ++x) out[x] = fma_(v, a[x], out[x]);
    }
  }
};

// Calls body(row of the plane, weight) for the taps of axes 0 and 1 at z, y.
template <class T, class Body>
void each_tap(const ResampleArgs& a, int64_t z, int64_t y, const Body& body) {
  const T *wz = static_cast<const T*>(a.weight[0]) + z * a.taps[0],
          *wy = static_cast<const T*>(a.weight[1]) + y * a.taps[1];
  for (int i = 0; i < a.taps[0]; ++i)
    for (int j = 0; j < a.taps[1]; ++j)
      body(a.index[0][z * a.taps[0] + i] * a.from[1] + a.index[1][y * a.taps[1] + j],
           wz[i] * wy[j]);
}

template <class T>
void forward(const ResampleArgs& a) {
  const int64_t rows = a.from[0] * a.from[1], width = a.to[2];
  T* const made_rows = static_cast<T*>(a.rows);
  T* out = static_cast<T*>(a.out);
  for (int64_t p = 0; p < a.planes; ++p) {
    const T* in = static_cast<const T*>(a.in) + p * rows * a.from[2];
    for (int64_t r = 0; r < rows; ++r) a.made[r] = 0;
    for (int64_t z = 0; z < a.to[0]; ++z)
      for (int64_t y = 0; y < a.to[1]; ++y, out += width) {
        Joiner<T> joiner{out, width};
        each_tap<T>(a, z, y, [&](int64_t row, T weight) {
          T* made = made_rows + row * width;
          if (a.made[row] == 0) along_width(a, in + row * a.from[2], made);
          a.made[row] = 1;
          joiner.add(made, weight);
        });
        joiner.finish();
      }
  }
}

template <class T>
void backward(const ResampleArgs& a) {
  const int64_t rows = a.from[0] * a.from[1], width = a.to[2];
  T* const sums = static_cast<T*>(a.rows);
  const T* gradient = static_cast<const T*>(a.in);
  for (int64_t p = 0; p < a.planes; ++p) {
    for (int64_t r = 0; r < rows; ++r) a.made[r] = 0;
    for (int64_t z = 0; z < a.to[0]; ++z)
      for (int64_t y = 0; y < a.to[1]; ++y, gradient += width)
        each_tap<T>(a, z, y, [&](int64_t row, T weight) {
          T* sum = sums + row * width;
          if (a.made[row] == 0) {
#pragma GCC ivdep
            for (int64_t x = 0; x < width; ++x) sum[x] = weight * gradient[x];
          } else {
#pragma GCC ivdep
            for (int64_t x = 0; x < width; ++x) sum[x] = fma_(weight, gradient[x], sum[x]);
          }
          a.made[row] = 1;
        });
    for (int64_t r = 0; r < rows; ++r) {
      T* out = static_cast<T*>(a.out) + (p * rows + r) * a.from[2];
      for (int64_t x = 0; x < a.from[2]; ++x) out[x] = T(0);
      if (a.made[r] == 0) continue;
      const T* sum = sums + r * width;
      for (int k = 0; k < a.taps[2]; ++k) {
        const int32_t* index = a.index[2] + k * width;
        const T* weight = static_cast<const T*>(a.weight[2]) + k * width;
        for (int64_t x = 0; x < width; ++x) out[index[x]] = fma_(weight[x], sum[x], out[index[x]]);
      }
    }
  }
}

template <class T>
void nearest(const ResampleArgs& a) {
  const int64_t rows = a.from[0] * a.from[1], width = a.to[2];
  const int32_t* index = a.index[2];
  T* out = static_cast<T*>(a.out);
  const bool same = a.from[2] == width && (width == 0 || index[width - 1] == width - 1);
  for (int64_t p = 0; p < a.planes; ++p) {
    const T* in = static_cast<const T*>(a.in) + p * rows * a.from[2];
    int64_t before = -1;
    for (int64_t z = 0; z < a.to[0]; ++z)
      for (int64_t y = 0; y < a.to[1]; ++y, out += width) {
        const int64_t row = a.index[0][z] * a.from[1] + a.index[1][y];
        const T* source = in + row * a.from[2];
        if (row == before) {
          __builtin_memcpy(out, out - width, static_cast<size_t>(width) * sizeof(T));
        } else if (same) {
          __builtin_memcpy(out, source, static_cast<size_t>(width) * sizeof(T));
        } else {
#pragma GCC ivdep
          for (int64_t x = 0; x < width; ++x) out[x] = source[index[x]];
        }
        before = row;
      }
  }
}

}  // namespace

void resample(DType dtype, const ResampleArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { forward<T>(args); });
}
void resample_backward(DType dtype, const ResampleArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { backward<T>(args); });
}
void resample_nearest(DType dtype, const ResampleArgs& args) {
  const auto run = [&]<class T>(Type<T>) { nearest<T>(args); };
  if (dtype == DType::kFloat32) return run(Type<float>());
  if (dtype == DType::kFloat64 || dtype == DType::kInt64) return run(Type<uint64_t>());
  if (dtype == DType::kInt32) return run(Type<uint32_t>());
  if (dtype == DType::kUInt8 || dtype == DType::kInt8 || dtype == DType::kBool)
    return run(Type<uint8_t>());
  run(Type<uint16_t>());
}

}  // namespace oneagent::cpu::OA_ISA
