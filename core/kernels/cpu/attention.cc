#include "core/kernels/cpu/attention.h"

#include "core/kernels/cpu/curve_math.h"
#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/pack.h"
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

// Reductions of lanes.h, with the same bits, whose lanes stay in registers.
template <class T>
struct RowLanes {
  static constexpr int kWidth = kPackBytes / static_cast<int>(sizeof(T)), kPacks = kLanes / kWidth;
  using V = Pack<T, kWidth>;
  V lanes[kPacks];

  template <class Join>
  void add(const T* x, const Join& join) {
#pragma GCC unroll 4
    for (int p = 0; p < kPacks; ++p) lanes[p] = join(lanes[p], load<kWidth>(x + p * kWidth));
  }
  template <class Join>
  T joined(const Join& join) {
#pragma GCC unroll 2
    for (int count = kPacks / 2; count > 0; count /= 2)
#pragma GCC unroll 2
      for (int p = 0; p < count; ++p) lanes[p] = join(lanes[p], lanes[p + count]);
    Pack<T, 4> four;
    if constexpr (kWidth == 8)
      four = join(__builtin_shufflevector(lanes[0], lanes[0], 0, 1, 2, 3),
                  __builtin_shufflevector(lanes[0], lanes[0], 4, 5, 6, 7));
    else
      four = lanes[0];
    return join(join(four[0], four[2]), join(four[1], four[3]));
  }
};

template <class T>
T largest(const T* x, int64_t n) {
  if (n < kLanes) return lane_max(x, n);
  const auto join = [](auto a, auto b) { return b > a ? b : a; };
  RowLanes<T> all;
#pragma GCC unroll 4
  for (int p = 0; p < all.kPacks; ++p) all.lanes[p] = load<RowLanes<T>::kWidth>(x + p * all.kWidth);
  int64_t i = kLanes;
  for (; i + kLanes <= n; i += kLanes) all.add(x + i, join);
  T best = all.joined(join);
  for (; i < n; ++i) best = larger_of(best, x[i]);
  return best;
}

template <class T>
T total(const T* x, int64_t n) {
  const int64_t whole = n / kLanes * kLanes;
  const auto join = [](auto a, auto b) { return a + b; };
  RowLanes<T> all = {};
  for (int64_t i = 0; i < whole; i += kLanes) all.add(x + i, join);
  if (whole < n) {
    T rest[kLanes] = {};  // adds nothing: sums of exponentials are not -0
    for (int64_t i = whole; i < n; ++i) rest[i - whole] = x[i];
    all.add(rest, join);
  }
  return all.joined(join);
}

// Step by step for all rows, so that no row waits for the reduction of the one before.
template <class T>
void online(const AttentionBlock& block, T* top, T* sum, T* factor) {
  for (int64_t r = 0; r < block.rows; ++r) {
    T* x = row_of<T>(block.scores, block.step, r);
    prepare(block, r, x);
    factor[r] = top[r];
    top[r] = larger_of(top[r], largest(x, block.cols));
  }
  const auto shift_of = [](T found) { return found == kNothing<T> ? T(0) : found; };
#pragma GCC ivdep
  for (int64_t r = 0; r < block.rows; ++r) factor[r] = low_exp_(factor[r] - shift_of(top[r]));
  for (int64_t r = 0; r < block.rows; ++r) {
    T* x = row_of<T>(block.scores, block.step, r);
    const T shift = shift_of(top[r]);
#pragma GCC ivdep
    for (int64_t i = 0; i < block.cols; ++i) x[i] = low_exp_(x[i] - shift);
    sum[r] = fma_(sum[r], factor[r], total(x, block.cols));
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
