#include "core/kernels/cpu/attention.h"

#include "core/kernels/cpu/curve_math.h"
#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/philox_lanes.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
constexpr T kNothing = -static_cast<T>(__builtin_inf());

int64_t visible_of(const AttentionBlock& block, int64_t r) {
  if (!block.causal) return block.cols;
  const int64_t count = block.visible + r;
  return count < 0 ? 0 : count < block.cols ? count : block.cols;
}

template <class T>
T* row_of(void* data, int64_t step, int64_t r) {
  return static_cast<T*>(data) + r * step;
}

// Scales and masks one row of scores in place.
template <class T>
void prepare(const AttentionBlock& block, int64_t r, T* x) {
  const T scale = static_cast<T>(block.scale);
  const int64_t n = visible_of(block, r), step = block.mask_col;
  if (block.mask == nullptr) {
    for (int64_t i = 0; i < n; ++i) x[i] *= scale;
  } else if (block.mask_is_bool) {
    const uint8_t* mask = static_cast<const uint8_t*>(block.mask) + r * block.mask_row;
    if (step == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) x[i] = mask[i] != 0 ? x[i] * scale : kNothing<T>;
    } else {
      for (int64_t i = 0; i < n; ++i) x[i] = mask[i * step] != 0 ? x[i] * scale : kNothing<T>;
    }
  } else {
    const T* mask = static_cast<const T*>(block.mask) + r * block.mask_row;
    if (step == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < n; ++i) x[i] = fma_(x[i], scale, mask[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) x[i] = fma_(x[i], scale, mask[i * step]);
    }
  }
  for (int64_t i = n; i < block.cols; ++i) x[i] = kNothing<T>;
}

template <class T>
void drop(const AttentionBlock& block, int64_t r, const T* in, T* out) {
  const uint32_t limit = keep_limit(block.keep);
  const T scale = static_cast<T>(block.keep > 0 ? 1 / block.keep : 0);
  const uint64_t counter = block.counter + static_cast<uint64_t>(r) * block.counter_row;
  uint32_t bits[kPhiloxLanes];
  for (int64_t at = 0; at < block.cols; at += kPhiloxLanes) {
    philox_lanes(block.seed, block.stream, counter + static_cast<uint64_t>(at), bits);
    const int64_t left = block.cols - at;
    const int count = left < kPhiloxLanes ? static_cast<int>(left) : kPhiloxLanes;
    for (int i = 0; i < count; ++i)
      out[at + i] = (bits[i] >> 8) < limit ? in[at + i] * scale : T(0);
  }
}

template <class T>
void online(const AttentionBlock& block, T* top, T* sum, T* factor) {
  for (int64_t r = 0; r < block.rows; ++r) {
    T* x = row_of<T>(block.scores, block.step, r);
    prepare(block, r, x);
    const T found = lane_max(x, block.cols);
    const T now = larger_of(top[r], found);
    const T shift = now == kNothing<T> ? T(0) : now;
    factor[r] = low_exp_(top[r] - shift);
    const T added =
        lane_sum<T>(block.cols, [&](int64_t i) { return x[i] = low_exp_(x[i] - shift); });
    sum[r] = fma_(sum[r], factor[r], added);
    top[r] = now;
    if (block.keep < 1) drop(block, r, x, x);
  }
}

template <class T>
void probabilities(const AttentionBlock& block, const T* low, T* dropped) {
  for (int64_t r = 0; r < block.rows; ++r) {
    T* x = row_of<T>(block.scores, block.step, r);
    prepare(block, r, x);
    const T shift = low[r];
#pragma GCC ivdep
    for (int64_t i = 0; i < block.cols; ++i) x[i] = low_exp_(x[i] - shift);
    if (block.keep < 1) drop(block, r, x, dropped + r * block.step);
  }
}

template <class T>
void gradient_of(const AttentionBlock& block, T* gradient, const T* shift, T* to_mask) {
  const T scale = static_cast<T>(block.scale);
  for (int64_t r = 0; r < block.rows; ++r) {
    const T* p = row_of<T>(block.scores, block.step, r);
    T* g = gradient + r * block.step;
    if (block.keep < 1) drop(block, r, g, g);
    const T low = shift[r];
    if (to_mask == nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < block.cols; ++i) g[i] = p[i] * (g[i] - low) * scale;
      continue;
    }
    T* out = to_mask + r * block.mask_row;
    for (int64_t i = 0; i < block.cols; ++i) {
      const T d = p[i] * (g[i] - low);
      out[i * block.mask_col] += d;
      g[i] = d * scale;
    }
  }
}

template <class T>
void rescale(T* out, int64_t step, int64_t rows, int64_t n, const T* factor, bool divide) {
  for (int64_t r = 0; r < rows; ++r) {
    const T by = divide ? T(1) / factor[r] : factor[r];
    if (by == T(1)) continue;
    T* row = out + r * step;
    for (int64_t i = 0; i < n; ++i) row[i] *= by;
  }
}

}  // namespace

void attention_online(DType dtype, const AttentionBlock& block, void* top, void* sum,
                      void* factor) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    online(block, static_cast<T*>(top), static_cast<T*>(sum), static_cast<T*>(factor));
  });
}
void attention_rescale(DType dtype, void* out, int64_t step, int64_t rows, int64_t n,
                       const void* factor, bool divide) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    rescale(static_cast<T*>(out), step, rows, n, static_cast<const T*>(factor), divide);
  });
}
void attention_logarithm(DType dtype, int64_t rows, const void* top, const void* sum, void* low) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    for (int64_t r = 0; r < rows; ++r)
      static_cast<T*>(low)[r] = static_cast<const T*>(top)[r] + log_(static_cast<const T*>(sum)[r]);
  });
}
void attention_probabilities(DType dtype, const AttentionBlock& block, const void* low,
                             void* dropped) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    probabilities(block, static_cast<const T*>(low), static_cast<T*>(dropped));
  });
}
void attention_gradient(DType dtype, const AttentionBlock& block, void* gradient, const void* shift,
                        void* to_mask) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    gradient_of(block, static_cast<T*>(gradient), static_cast<const T*>(shift),
                static_cast<T*>(to_mask));
  });
}
void row_products(DType dtype, const void* a, int64_t a_step, const void* b, int64_t b_step,
                  int64_t rows, int64_t n, void* out) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    for (int64_t r = 0; r < rows; ++r) {
      const T* x = static_cast<const T*>(a) + r * a_step;
      const T* y = static_cast<const T*>(b) + r * b_step;
      static_cast<T*>(out)[r] = lane_sum<T>(n, [&](int64_t i) { return x[i] * y[i]; });
    }
  });
}

}  // namespace oneagent::cpu::OA_ISA
