#include "core/kernels/cpu/fft.h"

#include "core/kernels/cpu/fft_passes.h"
#include "core/kernels/cpu/transpose.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// Where the lanes lie one behind the other, `step` numbers apart.
bool is_regular(const int64_t* starts, int64_t lanes, int64_t step) {
  for (int64_t l = 1; l < lanes; ++l)
    if (starts[l] != starts[0] + l * step) return false;
  return true;
}

template <class T>
class LineBlock {
 public:
  explicit LineBlock(const FftLines& lines)
      : lines_(lines), lanes_(lines.lanes), in_(static_cast<const T*>(lines.in)) {
    T* const work = static_cast<T*>(lines.workspace);
    const int64_t size = (lines.plan->size + 1) * lanes_;
    b_ = {work, work + size, work + 2 * size, work + 3 * size};
  }

  void run() {
    const bool even = lines_.n % 2 == 0;
    if (lines_.kind == FftKind::kComplex) {
      load(lines_.n);
      if (lines_.inverse) b_.conjugate();
      transform(*lines_.plan, b_, lanes_);
      if (lines_.inverse) b_.conjugate();
      store(lines_.n);
    } else if (lines_.kind == FftKind::kRealToComplex) {
      load_real(even);
      transform(*lines_.plan, b_, lanes_);
      if (even) unpack();
      store(lines_.n / 2 + 1);
      if (lines_.whole) store_mirrored();
    } else {
      load(lines_.n / 2 + 1);
      if (even)
        pack();
      else
        mirror();
      b_.conjugate();
      transform(*lines_.plan, b_, lanes_);
      b_.conjugate();
      store_real(even);
    }
  }

 private:
  void load(int64_t count) {
    if (is_regular(lines_.from, lanes_, 2)) {
      for (int64_t k = 0; k < count; ++k) {
        const T* x = in_ + lines_.from[0] + k * lines_.from_step;
        T *re = b_.re + k * lanes_, *im = b_.im + k * lanes_;
#pragma GCC ivdep
        for (int64_t l = 0; l < lanes_; ++l) {
          re[l] = x[2 * l];
          im[l] = x[2 * l + 1];
        }
      }
      return;
    }
    if (lines_.from_step == 2) return load_pairs(count);
    for (int64_t l = 0; l < lanes_; ++l) {
      const T* x = in_ + lines_.from[l];
      for (int64_t k = 0; k < count; ++k) {
        b_.re[k * lanes_ + l] = x[k * lines_.from_step];
        b_.im[k * lanes_ + l] = x[k * lines_.from_step + 1];
      }
    }
  }

  // Lanes whose numbers lie one behind the other, eight lanes and four numbers at a time.
  void load_pairs(int64_t count) {
    int64_t l = 0;
    if constexpr (sizeof(T) == 4)
      for (; l + 8 <= lanes_; l += 8)
        for (int64_t k = 0; k + 4 <= count; k += 4) {
          __m256 r[8];
          for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(in_ + lines_.from[l + i] + 2 * k);
          transpose_registers(r);
          for (int i = 0; i < 4; ++i) {
            _mm256_storeu_ps(b_.re + (k + i) * lanes_ + l, r[2 * i]);
            _mm256_storeu_ps(b_.im + (k + i) * lanes_ + l, r[2 * i + 1]);
          }
        }
    const int64_t done = count / 4 * 4;  // of the lanes before l
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const T* x = in_ + lines_.from[lane];
      for (int64_t k = lane < l ? done : 0; k < count; ++k) {
        b_.re[k * lanes_ + lane] = x[2 * k];
        b_.im[k * lanes_ + lane] = x[2 * k + 1];
      }
    }
  }
  void store_pairs(int64_t count) {
    const T scale = static_cast<T>(lines_.scale);
    T* const out = static_cast<T*>(lines_.out);
    int64_t l = 0;
    if constexpr (sizeof(T) == 4)
      for (; l + 8 <= lanes_; l += 8)
        for (int64_t k = 0; k + 4 <= count; k += 4) {
          __m256 r[8];
          const __m256 factor = _mm256_set1_ps(scale);
          for (int i = 0; i < 4; ++i) {
            r[2 * i] = _mm256_mul_ps(_mm256_loadu_ps(b_.re + (k + i) * lanes_ + l), factor);
            r[2 * i + 1] = _mm256_mul_ps(_mm256_loadu_ps(b_.im + (k + i) * lanes_ + l), factor);
          }
          transpose_registers(r);
          for (int i = 0; i < 8; ++i) _mm256_storeu_ps(out + lines_.to[l + i] + 2 * k, r[i]);
        }
    const int64_t done = count / 4 * 4;
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      T* y = out + lines_.to[lane];
      for (int64_t k = lane < l ? done : 0; k < count; ++k) {
        y[2 * k] = b_.re[k * lanes_ + lane] * scale;
        y[2 * k + 1] = b_.im[k * lanes_ + lane] * scale;
      }
    }
  }

  void store(int64_t count) {
    const T scale = static_cast<T>(lines_.scale);
    T* const out = static_cast<T*>(lines_.out);
    if (is_regular(lines_.to, lanes_, 2)) {
      for (int64_t k = 0; k < count; ++k) {
        T* y = out + lines_.to[0] + k * lines_.to_step;
        const T *re = b_.re + k * lanes_, *im = b_.im + k * lanes_;
#pragma GCC ivdep
        for (int64_t l = 0; l < lanes_; ++l) {
          y[2 * l] = re[l] * scale;
          y[2 * l + 1] = im[l] * scale;
        }
      }
      return;
    }
    if (lines_.to_step == 2) return store_pairs(count);
    for (int64_t l = 0; l < lanes_; ++l) {
      T* y = out + lines_.to[l];
      for (int64_t k = 0; k < count; ++k) {
        y[k * lines_.to_step] = b_.re[k * lanes_ + l] * scale;
        y[k * lines_.to_step + 1] = b_.im[k * lanes_ + l] * scale;
      }
    }
  }

  // The second half of the spectrum of real lines.
  void store_mirrored() {
    const T scale = static_cast<T>(lines_.scale);
    T* const out = static_cast<T*>(lines_.out);
    for (int64_t l = 0; l < lanes_; ++l)
      for (int64_t k = lines_.n / 2 + 1; k < lines_.n; ++k) {
        T* y = out + lines_.to[l] + k * lines_.to_step;
        const int64_t at = (lines_.n - k) * lanes_ + l;
        y[0] = b_.re[at] * scale;
        y[1] = -b_.im[at] * scale;
      }
  }

  // Even lengths: neighbours become the two parts of one number.
  void load_real(bool even) {
    const int64_t count = even ? lines_.n / 2 : lines_.n;
    const int64_t step = lines_.from_step * (even ? 2 : 1);
    if (even && lines_.from_step == 1) return load_pairs(count);
    const bool regular = is_regular(lines_.from, lanes_, 1);
    for (int64_t k = 0; k < count; ++k) {
      T *re = b_.re + k * lanes_, *im = b_.im + k * lanes_;
      for (int64_t l = 0; l < lanes_; ++l) {
        const T* x = in_ + (regular ? lines_.from[0] + l : lines_.from[l]) + k * step;
        re[l] = x[0];
        im[l] = even ? x[lines_.from_step] : T(0);
      }
    }
  }
  void store_real(bool even) {
    const T scale = static_cast<T>(lines_.scale);
    const int64_t count = even ? lines_.n / 2 : lines_.n;
    const int64_t step = lines_.to_step * (even ? 2 : 1);
    if (even && lines_.to_step == 1) return store_pairs(count);
    T* const out = static_cast<T*>(lines_.out);
    for (int64_t k = 0; k < count; ++k) {
      const T *re = b_.re + k * lanes_, *im = b_.im + k * lanes_;
      for (int64_t l = 0; l < lanes_; ++l) {
        T* y = out + lines_.to[l] + k * step;
        y[0] = re[l] * scale;
        if (even) y[lines_.to_step] = im[l] * scale;
      }
    }
  }

  // From Z = E + i O, the transforms of the even and odd elements: X[k] = E[k] + w^k O[k], k <= h.
  void unpack() {
    const int64_t h = lines_.n / 2;
    const T* roots = static_cast<const T*>(lines_.roots);
    for (int64_t k = 0; k <= h / 2; ++k) {
      const int64_t other = h - k;
      const T wr = roots[2 * k], wi = roots[2 * k + 1];
      const int64_t source = (other == h ? 0 : other) * lanes_;
      T *ar = b_.re + k * lanes_, *ai = b_.im + k * lanes_;
      T *br = b_.re + source, *bi = b_.im + source;
      T *cr = b_.re + other * lanes_, *ci = b_.im + other * lanes_;
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes_; ++l) {
        const T er = T(0.5) * (ar[l] + br[l]), ei = T(0.5) * (ai[l] - bi[l]);
        const T odd_r = T(0.5) * (ai[l] + bi[l]), odd_i = T(0.5) * (br[l] - ar[l]);
        const T pr = odd_r * wr - odd_i * wi, pi = odd_r * wi + odd_i * wr;
        ar[l] = er + pr;
        ai[l] = ei + pi;
        cr[l] = er - pr;
        ci[l] = pi - ei;
      }
    }
  }

  // The other way round, times two.
  void pack() {
    const int64_t h = lines_.n / 2;
    const T* roots = static_cast<const T*>(lines_.roots);
    for (int64_t l = 0; l < lanes_; ++l) b_.im[l] = b_.im[h * lanes_ + l] = T(0);
    for (int64_t k = 0; k <= h / 2; ++k) {
      const T wr = roots[2 * k], wi = -roots[2 * k + 1];
      T *ar = b_.re + k * lanes_, *ai = b_.im + k * lanes_;
      T *br = b_.re + (h - k) * lanes_, *bi = b_.im + (h - k) * lanes_;
#pragma GCC ivdep
      for (int64_t l = 0; l < lanes_; ++l) {
        const T er = ar[l] + br[l], ei = ai[l] - bi[l];
        const T dr = ar[l] - br[l], di = ai[l] + bi[l];
        const T odd_r = dr * wr - di * wi, odd_i = dr * wi + di * wr;
        ar[l] = er - odd_i;
        ai[l] = ei + odd_r;
        br[l] = er + odd_i;
        bi[l] = odd_r - ei;
      }
    }
  }

  // Odd lengths: the whole spectrum from its first half.
  void mirror() {
    for (int64_t l = 0; l < lanes_; ++l) b_.im[l] = T(0);
    for (int64_t k = lines_.n / 2 + 1; k < lines_.n; ++k)
      for (int64_t l = 0; l < lanes_; ++l) {
        b_.re[k * lanes_ + l] = b_.re[(lines_.n - k) * lanes_ + l];
        b_.im[k * lanes_ + l] = -b_.im[(lines_.n - k) * lanes_ + l];
      }
  }

  const FftLines& lines_;
  int64_t lanes_;
  const T* in_;
  Buffers<T> b_;
};

template <class T>
void transform_line(const FftPlan& plan, T* work) {
  Buffers<T> b{work, work + plan.size, work + 2 * plan.size, work + 3 * plan.size};
  transform(plan, b, 1);
  if (b.re == work) return;
  for (int64_t i = 0; i < 2 * plan.size; ++i) work[i] = b.re[i];
}

}  // namespace

void fft_lines(DType dtype, const FftLines& lines) {
  if (dtype == DType::kFloat32)
    LineBlock<float>(lines).run();
  else
    LineBlock<double>(lines).run();
}

void fft_line(DType dtype, const FftPlan& plan, void* workspace) {
  if (dtype == DType::kFloat32)
    transform_line(plan, static_cast<float*>(workspace));
  else
    transform_line(plan, static_cast<double*>(workspace));
}

}  // namespace oneagent::cpu::OA_ISA
