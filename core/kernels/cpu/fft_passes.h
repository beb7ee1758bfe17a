// Transforms of buffers of lanes: passes of radix 2, 3, 4, 5 and any odd prime (in the order of
// Stockham, as each writes to the other pair of buffers), lengths in two factors, and the way of
// Bluestein for primes.
#pragma once

#include OA_ISA_VEC

#include "core/kernels/cpu/fft.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
struct Buffers {  // the values, and as much room beside them
  T *re, *im, *other_re, *other_im;
  void exchange() {
    T* const r = re;
    T* const i = im;
    re = other_re;
    im = other_im;
    other_re = r;
    other_im = i;
  }
  void conjugate() {  // exchanging both parts before and after turns a transform into its inverse
    T* const r = re;
    re = im;
    im = r;
    T* const other = other_re;
    other_re = other_im;
    other_im = other;
  }
};

// One pass over x[q + count (p + m j)] to y[q + count (r p + j)], q < count, p < m.
template <class T>
struct Pass {
  const T *re, *im;
  T *to_re, *to_im;
  int64_t m, count;
  const T* twiddles;
};

template <class T>
void radix2(const Pass<T>& pass) {
  const int64_t n = pass.count;
  for (int64_t p = 0; p < pass.m; ++p) {
    const T wr = pass.twiddles[2 * p], wi = pass.twiddles[2 * p + 1];
    const T *ar = pass.re + p * n, *ai = pass.im + p * n;
    const T *br = ar + pass.m * n, *bi = ai + pass.m * n;
    T *yr = pass.to_re + 2 * p * n, *yi = pass.to_im + 2 * p * n;
#pragma GCC ivdep
    for (int64_t q = 0; q < n; ++q) {
      const T dr = ar[q] - br[q], di = ai[q] - bi[q];
      yr[q] = ar[q] + br[q];
      yi[q] = ai[q] + bi[q];
      yr[n + q] = dr * wr - di * wi;
      yi[n + q] = dr * wi + di * wr;
    }
  }
}

template <class T>
void radix3(const Pass<T>& pass) {
  constexpr T kSine = T(0.86602540378443864676);
  const int64_t n = pass.count, step = pass.m * n;
  for (int64_t p = 0; p < pass.m; ++p) {
    const T* w = pass.twiddles + 4 * p;
    const T w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3];
    const T *ar = pass.re + p * n, *ai = pass.im + p * n;
    const T *br = ar + step, *bi = ai + step, *cr = br + step, *ci = bi + step;
    T *yr = pass.to_re + 3 * p * n, *yi = pass.to_im + 3 * p * n;
#pragma GCC ivdep
    for (int64_t q = 0; q < n; ++q) {
      const T sr = br[q] + cr[q], si = bi[q] + ci[q];
      const T dr = (br[q] - cr[q]) * kSine, di = (bi[q] - ci[q]) * kSine;
      const T mr = ar[q] - T(0.5) * sr, mi = ai[q] - T(0.5) * si;
      yr[q] = ar[q] + sr;
      yi[q] = ai[q] + si;
      const T ur = mr + di, ui = mi - dr, vr = mr - di, vi = mi + dr;
      yr[n + q] = ur * w1r - ui * w1i;
      yi[n + q] = ur * w1i + ui * w1r;
      yr[2 * n + q] = vr * w2r - vi * w2i;
      yi[2 * n + q] = vr * w2i + vi * w2r;
    }
  }
}

template <class T>
void radix4(const Pass<T>& pass) {
  const int64_t n = pass.count, step = pass.m * n;
  for (int64_t p = 0; p < pass.m; ++p) {
    const T* w = pass.twiddles + 6 * p;
    const T w1r = w[0], w1i = w[1], w2r = w[2], w2i = w[3], w3r = w[4], w3i = w[5];
    const T *ar = pass.re + p * n, *ai = pass.im + p * n;
    const T *br = ar + step, *bi = ai + step, *cr = br + step, *ci = bi + step;
    const T *dr = cr + step, *di = ci + step;
    T *yr = pass.to_re + 4 * p * n, *yi = pass.to_im + 4 * p * n;
#pragma GCC ivdep
    for (int64_t q = 0; q < n; ++q) {
      const T s0r = ar[q] + cr[q], s0i = ai[q] + ci[q];
      const T d0r = ar[q] - cr[q], d0i = ai[q] - ci[q];
      const T s1r = br[q] + dr[q], s1i = bi[q] + di[q];
      const T d1r = br[q] - dr[q], d1i = bi[q] - di[q];
      yr[q] = s0r + s1r;
      yi[q] = s0i + s1i;
      const T ur = d0r + d1i, ui = d0i - d1r;  // d0 - i d1
      yr[n + q] = ur * w1r - ui * w1i;
      yi[n + q] = ur * w1i + ui * w1r;
      const T vr = s0r - s1r, vi = s0i - s1i;
      yr[2 * n + q] = vr * w2r - vi * w2i;
      yi[2 * n + q] = vr * w2i + vi * w2r;
      const T xr = d0r - d1i, xi = d0i + d1r;
      yr[3 * n + q] = xr * w3r - xi * w3i;
      yi[3 * n + q] = xr * w3i + xi * w3r;
    }
  }
}

template <class T>
void radix5(const Pass<T>& pass) {
  constexpr T kC1 = T(0.30901699437494742410), kC2 = T(-0.80901699437494742410);
  constexpr T kS1 = T(0.95105651629515357212), kS2 = T(0.58778525229247312917);
  const int64_t n = pass.count, step = pass.m * n;
  for (int64_t p = 0; p < pass.m; ++p) {
    const T* w = pass.twiddles + 8 * p;
    const T *xr = pass.re + p * n, *xi = pass.im + p * n;
    T *yr = pass.to_re + 5 * p * n, *yi = pass.to_im + 5 * p * n;
#pragma GCC ivdep
    for (int64_t q = 0; q < n; ++q) {
      const T ar = xr[q], ai = xi[q];
      const T s1r = xr[step + q] + xr[4 * step + q], s1i = xi[step + q] + xi[4 * step + q];
      const T d1r = xr[step + q] - xr[4 * step + q], d1i = xi[step + q] - xi[4 * step + q];
      const T s2r = xr[2 * step + q] + xr[3 * step + q], s2i = xi[2 * step + q] + xi[3 * step + q];
      const T d2r = xr[2 * step + q] - xr[3 * step + q], d2i = xi[2 * step + q] - xi[3 * step + q];
      yr[q] = ar + s1r + s2r;
      yi[q] = ai + s1i + s2i;
      const T m1r = ar + kC1 * s1r + kC2 * s2r, m1i = ai + kC1 * s1i + kC2 * s2i;
      const T m2r = ar + kC2 * s1r + kC1 * s2r, m2i = ai + kC2 * s1i + kC1 * s2i;
      const T n1r = kS1 * d1r + kS2 * d2r, n1i = kS1 * d1i + kS2 * d2i;
      const T n2r = kS2 * d1r - kS1 * d2r, n2i = kS2 * d1i - kS1 * d2i;
      const T b1r = m1r + n1i, b1i = m1i - n1r, b4r = m1r - n1i, b4i = m1i + n1r;
      const T b2r = m2r + n2i, b2i = m2i - n2r, b3r = m2r - n2i, b3i = m2i + n2r;
      yr[n + q] = b1r * w[0] - b1i * w[1];
      yi[n + q] = b1r * w[1] + b1i * w[0];
      yr[2 * n + q] = b2r * w[2] - b2i * w[3];
      yi[2 * n + q] = b2r * w[3] + b2i * w[2];
      yr[3 * n + q] = b3r * w[4] - b3i * w[5];
      yi[3 * n + q] = b3r * w[5] + b3i * w[4];
      yr[4 * n + q] = b4r * w[6] - b4i * w[7];
      yi[4 * n + q] = b4r * w[7] + b4i * w[6];
    }
  }
}

// What the results of an odd prime are made of: with s = x[j] + x[radix - j] and
// d = x[j] - x[radix - j], those of k and radix - k are a +- i b, a = x[0] + sum s cos,
// b = -sum d sin.
template <class V>
struct OddSums {
  static constexpr int kMost = 12;  // (23 + 1) / 2
  V real, imag;                     // of x[0]
  V sr[kMost], si[kMost], dr[kMost], di[kMost];
};

template <class V, class T>
OA_INLINE V load_as(const T* from) {
  V v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}
template <class V, class T>
OA_INLINE void store_as(T* to, V v) {
  __builtin_memcpy(to, &v, sizeof v);
}

// x * *factor + sum, rounded once
template <class T>
OA_INLINE typename Vec<T>::Reg plus_product(typename Vec<T>::Reg x, const T* factor,
                                            typename Vec<T>::Reg sum) {
  return Vec<T>::fma(x, Vec<T>::broadcast(factor), sum);
}
OA_INLINE float plus_product(float x, const float* factor, float sum) {
  return __builtin_fmaf(x, *factor, sum);
}
OA_INLINE double plus_product(double x, const double* factor, double sum) {
  return __builtin_fma(x, *factor, sum);
}

// Results first .. first + kSums - 1, and radix less those, of the q of one V.
template <int kSums, class V, class T>
OA_INLINE void odd_results(const OddSums<V>& x, int radix, int first, const T* roots,
                           const T* twiddles, T* yr, T* yi, int64_t n) {
  V ar[kSums], ai[kSums], br[kSums] = {}, bi[kSums] = {};
  int at[kSums] = {};
  for (int s = 0; s < kSums; ++s) ar[s] = x.real, ai[s] = x.imag;
  for (int j = 1; j <= radix / 2; ++j) {
    const V sr = x.sr[j - 1], si = x.si[j - 1], dr = x.dr[j - 1], di = x.di[j - 1];
    for (int s = 0; s < kSums; ++s) {
      at[s] += first + s;
      at[s] = at[s] < radix ? at[s] : at[s] - radix;
      const T *cosine = roots + 2 * at[s], *sine = cosine + 1;
      ar[s] = plus_product(sr, cosine, ar[s]);
      ai[s] = plus_product(si, cosine, ai[s]);
      br[s] = plus_product(dr, sine, br[s]);
      bi[s] = plus_product(di, sine, bi[s]);
    }
  }
  for (int s = 0; s < kSums; ++s) {
    const int k = first + s;
    const T* w = twiddles + 2 * (k - 1);
    const T* v = twiddles + 2 * (radix - k - 1);
    const V r = ar[s] - bi[s], i = ai[s] + br[s], mr = ar[s] + bi[s], mi = ai[s] - br[s];
    store_as<V>(yr + k * n, r * w[0] - i * w[1]);
    store_as<V>(yi + k * n, r * w[1] + i * w[0]);
    store_as<V>(yr + (radix - k) * n, mr * v[0] - mi * v[1]);
    store_as<V>(yi + (radix - k) * n, mr * v[1] + mi * v[0]);
  }
}

// Any odd prime, the q of one V at a time; two results share what they read.
template <class V, class T>
void odd_block(const Pass<T>& pass, int radix, const T* roots, const T* twiddles, const T* xr,
               const T* xi, T* yr, T* yi) {
  const int64_t n = pass.count, step = pass.m * n;
  const int half = radix / 2;
  OddSums<V> x;
  x.real = load_as<V>(xr);
  x.imag = load_as<V>(xi);
  V total_r = x.real, total_i = x.imag;
  for (int j = 1; j <= half; ++j) {
    const V ar = load_as<V>(xr + j * step), ai = load_as<V>(xi + j * step);
    const V br = load_as<V>(xr + (radix - j) * step), bi = load_as<V>(xi + (radix - j) * step);
    x.sr[j - 1] = ar + br;
    x.si[j - 1] = ai + bi;
    x.dr[j - 1] = ar - br;
    x.di[j - 1] = ai - bi;
    total_r += x.sr[j - 1];
    total_i += x.si[j - 1];
  }
  int k = 1;
  for (; k < half; k += 2) odd_results<2>(x, radix, k, roots, twiddles, yr, yi, n);
  if (k == half) odd_results<1>(x, radix, k, roots, twiddles, yr, yi, n);
  store_as<V>(yr, total_r);
  store_as<V>(yi, total_i);
}

template <class T>
void radix_any(const Pass<T>& pass, int radix, const T* roots) {
  using V = typename Vec<T>::Reg;
  constexpr int64_t kWidth = Vec<T>::kWidth;
  const int64_t n = pass.count;
  for (int64_t p = 0; p < pass.m; ++p) {
    const T* w = pass.twiddles + 2 * (radix - 1) * p;
    const T *xr = pass.re + p * n, *xi = pass.im + p * n;
    T *yr = pass.to_re + radix * p * n, *yi = pass.to_im + radix * p * n;
    int64_t q = 0;
    for (; q + kWidth <= n; q += kWidth)
      odd_block<V>(pass, radix, roots, w, xr + q, xi + q, yr + q, yi + q);
    for (; q < n; ++q) odd_block<T>(pass, radix, roots, w, xr + q, xi + q, yr + q, yi + q);
  }
}

template <class T>
void run_passes(const FftPlan& plan, Buffers<T>& b, int64_t lanes) {
  const T* twiddles = static_cast<const T*>(plan.twiddles);
  int64_t m = plan.n, count = lanes;
  for (int i = 0; i < plan.passes; ++i) {
    const int radix = plan.radices[i];
    m /= radix;
    const T* roots = twiddles;
    if (radix > 5) twiddles += 2 * radix;
    const Pass<T> pass{b.re, b.im, b.other_re, b.other_im, m, count, twiddles};
    if (radix == 4)
      radix4(pass);
    else if (radix == 2)
      radix2(pass);
    else if (radix == 3)
      radix3(pass);
    else if (radix == 5)
      radix5(pass);
    else
      radix_any(pass, radix, roots);
    twiddles += 2 * (radix - 1) * m;
    count *= radix;
    b.exchange();
  }
}

// [rows][columns][lanes] -> [columns][rows][lanes]
template <class T>
void exchange_dims(const T* from, T* to, int64_t rows, int64_t columns, int64_t lanes) {
  constexpr int64_t kTile = 16;
  if (lanes > 1) {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const T* source = from + (r * columns + c) * lanes;
        T* target = to + (c * rows + r) * lanes;
        for (int64_t l = 0; l < lanes; ++l) target[l] = source[l];
      }
    return;
  }
  for (int64_t c = 0; c < columns; c += kTile)
    for (int64_t r = 0; r < rows; r += kTile) {
      const int64_t last_row = rows < r + kTile ? rows : r + kTile;
      const int64_t last_column = columns < c + kTile ? columns : c + kTile;
      for (int64_t i = c; i < last_column; ++i)
        for (int64_t j = r; j < last_row; ++j) to[i * rows + j] = from[j * columns + i];
    }
}

template <class T>
void multiply_numbers(T* re, T* im, const T* numbers, int64_t count, int64_t lanes) {
  if (lanes == 1) {
#pragma GCC ivdep
    for (int64_t i = 0; i < count; ++i) {
      const T r = re[i], j = im[i], wr = numbers[2 * i], wi = numbers[2 * i + 1];
      re[i] = r * wr - j * wi;
      im[i] = r * wi + j * wr;
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    const T wr = numbers[2 * i], wi = numbers[2 * i + 1];
    T *x = re + i * lanes, *y = im + i * lanes;
#pragma GCC ivdep
    for (int64_t l = 0; l < lanes; ++l) {
      const T r = x[l], j = y[l];
      x[l] = r * wr - j * wi;
      y[l] = r * wi + j * wr;
    }
  }
}

// The transform of b.re and b.im [n][lanes]; they may lie in the other pair of buffers afterwards.
template <class T>
void transform(const FftPlan& plan, Buffers<T>& b, int64_t lanes) {
  if (plan.padded != nullptr) {
    const T* chirp = static_cast<const T*>(plan.chirp);
    multiply_numbers(b.re, b.im, chirp, plan.n, lanes);
    for (int64_t i = plan.n * lanes; i < plan.padded->n * lanes; ++i) b.re[i] = b.im[i] = T(0);
    transform(*plan.padded, b, lanes);
    multiply_numbers(b.re, b.im, static_cast<const T*>(plan.spectrum), plan.padded->n, lanes);
    b.conjugate();
    transform(*plan.padded, b, lanes);
    b.conjugate();
    return multiply_numbers(b.re, b.im, chirp, plan.n, lanes);
  }
  if (plan.first == nullptr || lanes >= 8) return run_passes(plan, b, lanes);
  const int64_t rows = plan.first->n, columns = plan.second->n;
  run_passes(*plan.first, b, columns * lanes);
  multiply_numbers(b.re, b.im, static_cast<const T*>(plan.cross), plan.n, lanes);
  exchange_dims(b.re, b.other_re, rows, columns, lanes);
  exchange_dims(b.im, b.other_im, rows, columns, lanes);
  b.exchange();
  run_passes(*plan.second, b, rows * lanes);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
