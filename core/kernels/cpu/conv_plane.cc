// Planes of core/kernels/cpu/conv.h.
#include "core/kernels/cpu/conv.h"
#include "core/kernels/cpu/halved_plane.h"
#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/vec_256.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void zero(T* to, int64_t count) {
  if (count < 8) {  // written out, as a call for an edge of one or two elements is dear
    for (int64_t i = 0; i < count; ++i) {
      to[i] = T(0);
      asm volatile("" ::: "memory");
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) to[i] = T(0);
}

// Elements 0, 2, ... of x to `even`, 1, 3, ... to `odd`.
template <class T>
void split_row(const T* x, int64_t count, T* even, T* odd) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    for (; i + 16 <= count; i += 16) {
      const __m256 a = _mm256_loadu_ps(x + i), b = _mm256_loadu_ps(x + i + 8);
      const auto ordered = [](__m256 v) {
        return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(v), 0xd8));
      };
      _mm256_storeu_ps(even + i / 2, ordered(_mm256_shuffle_ps(a, b, 0x88)));
      _mm256_storeu_ps(odd + i / 2, ordered(_mm256_shuffle_ps(a, b, 0xdd)));
    }
    for (; i + 8 <= count; i += 8) {
      const __m128 a = _mm_loadu_ps(x + i), b = _mm_loadu_ps(x + i + 4);
      _mm_storeu_ps(even + i / 2, _mm_shuffle_ps(a, b, 0x88));
      _mm_storeu_ps(odd + i / 2, _mm_shuffle_ps(a, b, 0xdd));
    }
    if (i + 4 <= count) {
      const __m128 a = _mm_loadu_ps(x + i), ordered = _mm_shuffle_ps(a, a, 0xd8);
      _mm_storel_pi(reinterpret_cast<__m64*>(even + i / 2), ordered);
      _mm_storeh_pi(reinterpret_cast<__m64*>(odd + i / 2), ordered);
      i += 4;
    }
  }
  for (; i + 2 <= count; i += 2) {
    even[i / 2] = x[i];
    odd[i / 2] = x[i + 1];
  }
  if (i < count) even[i / 2] = x[i];
}

// One row of the image in all phases; `to` is its padded row in the first one.
template <class T>
void prepare_row(const ConvPlane& s, const T* x, T* to) {
  const int64_t step = s.stride[2], width = s.size[2], before = s.padding[2];
  if (step == 1) {
    zero(to, before);
    T* inside = to + before;
#pragma GCC ivdep
    for (int64_t i = 0; i < width; ++i) inside[i] = x[i];
    zero(inside + width, s.row - before - width);
    return;
  }
  for (int64_t p = 0; p < step; ++p, to += s.rows * s.row) {  // columns p, p + step, ...
    int64_t first = p;
    while (first < before) first += step;
    const int64_t start = first / step;
    const int64_t count = first - before < width ? (width + before - first + step - 1) / step : 0;
    zero(to, start < s.row ? start : s.row);
    const T* from = x + first - before;
    T* inside = to + start;
    for (int64_t i = 0; i < count; ++i) inside[i] = from[i * step];
    if (start + count < s.row) zero(to + start + count, s.row - start - count);
  }
}

// Two phases: what lies outside the image first, so that nothing is left to do at the ends of rows.
template <class T>
void prepare_halves(const ConvPlane& s, const T* x, T* out) {
  const int64_t before = s.padding[2], width = s.size[2], row = s.row, phase = s.rows * row;
  zero(out, 2 * phase);
  const int64_t odd = before % 2;
  T* even_to = out + odd * phase + before / 2;
  T* odd_to = out + (1 - odd) * phase + (before + 1) / 2;
  for (int64_t z = 0; z < s.size[0]; ++z) {
    const int64_t plane = (z + s.padding[0]) * (s.size[1] + 2 * s.padding[1]) + s.padding[1];
    for (int64_t y = 0; y < s.size[1]; ++y, x += width)
      split_row(x, width, even_to + (plane + y) * row, odd_to + (plane + y) * row);
  }
}

template <class T>
void prepare(const ConvPlane& s, const T* x, T* out) {
  if (s.stride[2] == 2) return prepare_halves(s, x, out);
  const int64_t height = s.size[1] + 2 * s.padding[1], depth = s.size[0] + 2 * s.padding[0];
  for (int64_t z = 0; z < depth; ++z)
    for (int64_t y = 0; y < height; ++y, out += s.row) {
      const int64_t iz = z - s.padding[0], iy = y - s.padding[1];
      if (iz >= 0 && iz < s.size[0] && iy >= 0 && iy < s.size[1]) {
        prepare_row(s, x, out);
        x += s.size[2];
        continue;
      }
      for (int64_t p = 0; p < s.stride[2]; ++p) zero(out + p * s.rows * s.row, s.row);
    }
}

// kCount vectors of a row of results, the last one of `part` elements unless that is 0.
template <class T, int kCount, bool kPart, bool kSlack = false>
void row_block(const ConvPlane& s, T* y, const T* x, const T* w, bool accumulate, int64_t part) {
  using V = Vec256<T>;
  constexpr int kLast = kPart ? kCount - 1 : kCount;
  typename V::Reg sum[kCount];
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) {
    if (!accumulate)
      sum[i] = V::zero();
    else
      sum[i] = i < kLast ? V::load(y + i * V::kWidth) : V::load_part(y + i * V::kWidth, part);
  }
  for (int64_t t = 0; t < s.taps; ++t) {
    const typename V::Reg weight = V::splat(w[t]);
    const T* from = x + s.offsets[t];
#pragma GCC unroll 4
    for (int i = 0; i < kCount; ++i)
      sum[i] = V::fma(i < kLast || kSlack ? V::load(from + i * V::kWidth)
                                          : V::load_part(from + i * V::kWidth, part),
                      weight, sum[i]);
  }
#pragma GCC unroll 4
  for (int i = 0; i < kCount; ++i) {
    if (i < kLast)
      V::store(y + i * V::kWidth, sum[i]);
    else
      V::store_part(y + i * V::kWidth, sum[i], part);
  }
}

template <class T>
void product(const ConvPlane& s, T* y, const T* prepared, const T* w, bool accumulate) {
  constexpr int64_t kWidth = Vec256<T>::kWidth;
  const int64_t height = s.size[1] + 2 * s.padding[1], width = s.out[2];
  for (int64_t oz = 0; oz < s.out[0]; ++oz)
    for (int64_t oy = 0; oy < s.out[1]; ++oy, y += width) {
      const T* x = prepared + (oz * s.stride[0] * height + oy * s.stride[1]) * s.row;
      int64_t at = 0;
      for (; at + 4 * kWidth <= width; at += 4 * kWidth)
        row_block<T, 4, false>(s, y + at, x + at, w, accumulate, 0);
      const int64_t left = width - at, part = left % kWidth;
      const auto rest = [&]<int kCount>() {
        if (part == 0)
          row_block<T, kCount, false>(s, y + at, x + at, w, accumulate, 0);
        else if (s.has_slack)
          row_block<T, kCount, true, true>(s, y + at, x + at, w, accumulate, part);
        else
          row_block<T, kCount, true>(s, y + at, x + at, w, accumulate, part);
      };
      const int64_t vectors = (left + kWidth - 1) / kWidth;
      if (vectors == 1) rest.template operator()<1>();
      if (vectors == 2) rest.template operator()<2>();
      if (vectors == 3) rest.template operator()<3>();
      if (vectors == 4) rest.template operator()<4>();
    }
}

constexpr int kTaps = 12;  // sums in registers

template <class T, int kCount>
void weight_sums(const ConvPlane& s, const int64_t* offsets, T* dw, const T* dy,
                 const T* prepared) {
  using V = Vec256<T>;
  const int64_t height = s.size[1] + 2 * s.padding[1], width = s.out[2];
  typename V::Reg sum[kCount];
#pragma GCC unroll 12
  for (int t = 0; t < kCount; ++t) sum[t] = V::zero();
  for (int64_t oz = 0; oz < s.out[0]; ++oz)
    for (int64_t oy = 0; oy < s.out[1]; ++oy, dy += width) {
      const T* x = prepared + (oz * s.stride[0] * height + oy * s.stride[1]) * s.row;
      int64_t at = 0;
      for (; at + V::kWidth <= width; at += V::kWidth) {
        const typename V::Reg g = V::load(dy + at);
#pragma GCC unroll 12
        for (int t = 0; t < kCount; ++t) sum[t] = V::fma(g, V::load(x + at + offsets[t]), sum[t]);
      }
      if (at == width) continue;
      const typename V::Reg g = V::load_part(dy + at, width - at);
#pragma GCC unroll 12
      for (int t = 0; t < kCount; ++t)
        sum[t] = V::fma(g, V::load_part(x + at + offsets[t], width - at), sum[t]);
    }
#pragma GCC unroll 12
  for (int t = 0; t < kCount; ++t) dw[t] += lanes_sum<T>(sum[t]);
}

template <class T, int kCount = kTaps>
void weight_part(int64_t count, const ConvPlane& s, const int64_t* offsets, T* dw, const T* dy,
                 const T* prepared) {
  if (count == kCount) return weight_sums<T, kCount>(s, offsets, dw, dy, prepared);
  if constexpr (kCount > 1) weight_part<T, kCount - 1>(count, s, offsets, dw, dy, prepared);
}

template <class T>
void backward_weight(const ConvPlane& s, T* dw, const T* dy, const T* prepared) {
  const int64_t parts = (s.taps + kTaps - 1) / kTaps;
  const int64_t step = parts == 0 ? 1 : (s.taps + parts - 1) / parts;
  for (int64_t t = 0; t < s.taps; t += step)
    weight_part<T>(s.taps - t < step ? s.taps - t : step, s, s.offsets + t, dw + t, dy, prepared);
}

// Results first..last-1 of an axis whose tap k lies inside the image.
struct Range {
  int64_t first, last;
  int64_t start;  // image coordinate of `first`
  Range(const ConvPlane& s, int axis, int64_t k) {
    const int64_t shift = k * s.dilation[axis] - s.padding[axis], stride = s.stride[axis];
    first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t end = s.size[axis] - 1 - shift;
    last = end < 0 ? 0 : end / stride + 1;
    if (last > s.out[axis]) last = s.out[axis];
    if (first > last) first = last;
    start = first * stride + shift;
  }
};

template <class T>
void backward_input(const ConvPlane& s, T* dx, const T* dy, const T* w) {
  if (s.stride[2] == 2) {
    HalvedPlane<T> halved(s);
    if (halved.serves()) return halved.add_to(dx, dy, w);
  }
  const int64_t step = s.stride[2];
  for (int64_t kz = 0; kz < s.kernel[0]; ++kz)
    for (int64_t ky = 0; ky < s.kernel[1]; ++ky)
      for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
        const T weight = *w++;
        const Range z(s, 0, kz), y(s, 1, ky), x(s, 2, kx);
        const int64_t count = x.last - x.first;
        for (int64_t oz = z.first; oz < z.last; ++oz)
          for (int64_t oy = y.first; oy < y.last; ++oy) {
            const int64_t iz = z.start + (oz - z.first) * s.stride[0],
                          iy = y.start + (oy - y.first) * s.stride[1];
            const T* g = dy + (oz * s.out[1] + oy) * s.out[2] + x.first;
            T* to = dx + (iz * s.size[1] + iy) * s.size[2] + x.start;
            if (step == 1) {
#pragma GCC ivdep
              for (int64_t i = 0; i < count; ++i) to[i] = fma_(g[i], weight, to[i]);
            } else {
              for (int64_t i = 0; i < count; ++i) to[i * step] = fma_(g[i], weight, to[i * step]);
            }
          }
      }
}

template <class T>
void add_columns(const ConvPlane& s, const ConvColumns& c, T* dx) {
  const T* columns = static_cast<const T*>(c.columns);
  const int64_t step = s.stride[2], width = s.out[2];
  for (int64_t channel = 0; channel < c.channels;
       ++channel, dx += s.size[0] * s.size[1] * s.size[2])
    for (int64_t kz = 0; kz < s.kernel[0]; ++kz)
      for (int64_t ky = 0; ky < s.kernel[1]; ++ky)
        for (int64_t kx = 0; kx < s.kernel[2]; ++kx) {
          const Range x(s, 2, kx);
          const int64_t count = x.last - x.first;
          for (int64_t r = c.first_row; r < c.first_row + c.row_count; ++r, columns += width) {
            const int64_t iz = r / s.out[1] * s.stride[0] + kz * s.dilation[0] - s.padding[0],
                          iy = r % s.out[1] * s.stride[1] + ky * s.dilation[1] - s.padding[1];
            if (iz < 0 || iz >= s.size[0] || iy < 0 || iy >= s.size[1]) continue;
            T* to = dx + (iz * s.size[1] + iy) * s.size[2] + x.start;
            const T* from = columns + x.first;
            if (step == 1) {
#pragma GCC ivdep
              for (int64_t i = 0; i < count; ++i) to[i] += from[i];
            } else if (step == 2) {
              for (int64_t i = 0; i < count; ++i) to[2 * i] += from[i];
            } else {
              for (int64_t i = 0; i < count; ++i) to[step * i] += from[i];
            }
          }
        }
}

}  // namespace

void conv_add_columns(DType dtype, const ConvPlane& shape, const ConvColumns& columns, void* dx) {
  with_floating(dtype, [&]<class T>(Type<T>) { add_columns(shape, columns, static_cast<T*>(dx)); });
}
void conv_plane_prepare(DType dtype, const ConvPlane& shape, const void* x, void* prepared) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    prepare(shape, static_cast<const T*>(x), static_cast<T*>(prepared));
  });
}
void conv_plane(DType dtype, const ConvPlane& shape, void* y, const void* prepared, const void* w,
                bool accumulate) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    product(shape, static_cast<T*>(y), static_cast<const T*>(prepared), static_cast<const T*>(w),
            accumulate);
  });
}
void conv_plane_backward_weight(DType dtype, const ConvPlane& shape, void* dw, const void* dy,
                                const void* prepared) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    backward_weight(shape, static_cast<T*>(dw), static_cast<const T*>(dy),
                    static_cast<const T*>(prepared));
  });
}
void conv_plane_backward_input(DType dtype, const ConvPlane& shape, void* dx, const void* dy,
                               const void* w) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    backward_input(shape, static_cast<T*>(dx), static_cast<const T*>(dy), static_cast<const T*>(w));
  });
}

}  // namespace oneagent::cpu::OA_ISA
