#include "core/kernels/cpu/norm.h"

#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/pack.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kPacks = 4;       // in flight
constexpr int64_t kRun = 4096;  // values of a block: 16 to 32 kB
constexpr int64_t kColumns = 64;

template <class T>
inline constexpr int kLanes = kPackBytes / static_cast<int>(sizeof(T));

// Two sums over any number of runs. term(read, a, b) adds what it makes of the elements that
// read(p) = p[i] gives, as a pack or as one value.
template <class T>
class PairOfSums {
 public:
  template <class Term>
  void add(int64_t count, const Term& term) {
    constexpr int kAll = kPacks * kLanes<T>;
    int64_t i = 0;
    for (; i + kAll <= count; i += kAll)
#pragma GCC unroll 4
      for (int u = 0; u < kPacks; ++u)
        term([&](const T* p) { return load<kLanes<T>>(p + i + u * kLanes<T>); }, first_[u],
             second_[u]);
    for (; i + kLanes<T> <= count; i += kLanes<T>)
      term([&](const T* p) { return load<kLanes<T>>(p + i); }, first_[0], second_[0]);
    for (; i < count; ++i) term([&](const T* p) { return p[i]; }, first_rest_, second_rest_);
  }
  T first() const { return total(first_, first_rest_); }
  T second() const { return total(second_, second_rest_); }

 private:
  using V = Pack<T, kLanes<T>>;
  static T total(const V* packs, T rest) {
    const V all = (packs[0] + packs[1]) + (packs[2] + packs[3]);
    T out = all[0] + all[kLanes<T> / 2];
    for (int i = 1; i < kLanes<T> / 2; ++i) out += all[i] + all[i + kLanes<T> / 2];
    return out + rest;
  }
  V first_[kPacks] = {}, second_[kPacks] = {};
  T first_rest_ = T(0), second_rest_ = T(0);
};

struct Moments {
  double count = 0, mean = 0, squares = 0;  // squares: of differences from the mean

  void join(const Moments& other) {
    if (other.count == 0) return;
    if (count == 0) {
      *this = other;
      return;
    }
    const double all = count + other.count, gap = other.mean - mean;
    mean += gap * (other.count / all);
    squares += other.squares + gap * gap * (count * (other.count / all));
    count = all;
  }
  double rstd(double eps) const { return 1.0 / __builtin_sqrt(squares / count + eps); }
};

// `rows` runs of `count` values, `row` apart, which fit into cache together.
template <class T>
Moments moments_of_runs(const T* x, int64_t rows, int64_t row, int64_t count) {
  PairOfSums<T> plain;
  for (int64_t r = 0; r < rows; ++r) {
    const T* run = x + r * row;
    plain.add(count, [&](const auto& read, auto& a, auto&) { a += read(run); });
  }
  const double size = static_cast<double>(rows * count);
  const T centre = plain.first() / static_cast<T>(size);
  PairOfSums<T> around;
  for (int64_t r = 0; r < rows; ++r) {
    const T* run = x + r * row;
    around.add(count, [&](const auto& read, auto& a, auto& b) {
      const auto d = read(run) - centre;
      a += d;
      b += d * d;
    });
  }
  const double sum = static_cast<double>(around.first()), rest = sum / size;
  const double squares = static_cast<double>(around.second()) - rest * sum;
  return {size, static_cast<double>(centre) + rest, squares < 0 ? 0 : squares};
}

template <class T>
void add_run(const T* x, int64_t count, Moments& moments) {
  for (int64_t at = 0; at < count; at += kRun)
    moments.join(moments_of_runs(x + at, 1, 0, count - at < kRun ? count - at : kRun));
}

// Channels side by side: [images, channels].
template <class T>
void moments_of_columns(const NormShape& s, const T* x, double eps, T* mean, T* rstd) {
  constexpr int64_t kRows = 128;  // of a block
  for (int64_t c = s.begin; c < s.end; c += kColumns) {
    const int64_t columns = s.end - c < kColumns ? s.end - c : kColumns;
    Moments moments[kColumns];
    for (int64_t r = 0; r < s.images; r += kRows) {
      const int64_t rows = s.images - r < kRows ? s.images - r : kRows;
      const T* block = x + r * s.channels + c;
      T centre[kColumns] = {}, first[kColumns] = {}, second[kColumns] = {};
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) centre[j] += block[i * s.channels + j];
      for (int64_t j = 0; j < columns; ++j) centre[j] /= static_cast<T>(rows);
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const T d = block[i * s.channels + j] - centre[j];
          first[j] += d;
          second[j] += d * d;
        }
      for (int64_t j = 0; j < columns; ++j) {
        const double size = static_cast<double>(rows), sum = static_cast<double>(first[j]);
        const double squares = static_cast<double>(second[j]) - sum * sum / size;
        moments[j].join(
            {size, static_cast<double>(centre[j]) + sum / size, squares < 0 ? 0 : squares});
      }
    }
    for (int64_t j = 0; j < columns; ++j) {
      mean[c + j] = static_cast<T>(moments[j].count == 0 ? __builtin_nan("") : moments[j].mean);
      rstd[c + j] = static_cast<T>(moments[j].rstd(eps));
    }
  }
}

template <class T>
void moments_of_channels(const NormShape& s, const T* x, double eps, T* mean, T* rstd) {
  if (s.size == 1) return moments_of_columns(s, x, eps, mean, rstd);
  for (int64_t c = s.begin; c < s.end; ++c) {
    Moments moments;
    const T* first = x + c * s.size;
    const int64_t row = s.channels * s.size, block = s.size == 0 ? 0 : kRun / s.size;
    if (block < 2) {
      for (int64_t i = 0; i < s.images; ++i) add_run(first + i * row, s.size, moments);
    } else {
      for (int64_t i = 0; i < s.images; i += block)
        moments.join(moments_of_runs(first + i * row, s.images - i < block ? s.images - i : block,
                                     row, s.size));
    }
    mean[c] = static_cast<T>(moments.count == 0 ? __builtin_nan("") : moments.mean);
    rstd[c] = static_cast<T>(moments.rstd(eps));
  }
}

template <class T>
void sums_of_columns(const NormShape& s, const T* g, const T* x, const T* mean, T* sum,
                     T* product) {
  constexpr int64_t kRows = 128;
  for (int64_t c = s.begin; c < s.end; c += kColumns) {
    const int64_t columns = s.end - c < kColumns ? s.end - c : kColumns;
    double sums[kColumns] = {}, products[kColumns] = {};
    for (int64_t r = 0; r < s.images; r += kRows) {
      const int64_t rows = s.images - r < kRows ? s.images - r : kRows;
      T first[kColumns] = {}, second[kColumns] = {};
      for (int64_t i = r; i < r + rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const int64_t at = i * s.channels + c + j;
          first[j] += g[at];
          second[j] += g[at] * (x[at] - mean[c + j]);
        }
      for (int64_t j = 0; j < columns; ++j) {
        sums[j] += static_cast<double>(first[j]);
        products[j] += static_cast<double>(second[j]);
      }
    }
    for (int64_t j = 0; j < columns; ++j) {
      sum[c + j] = static_cast<T>(sums[j]);
      product[c + j] = static_cast<T>(products[j]);
    }
  }
}

template <class T>
void sums_of_channels(const NormShape& s, const T* g, const T* x, const T* mean, T* sum,
                      T* product) {
  if (s.size == 1 && s.images > 1) return sums_of_columns(s, g, x, mean, sum, product);
  const int64_t block =
      s.size > 0 && s.size < kRun ? kRun / s.size : 1;  // images that are summed in one go
  for (int64_t c = s.begin; c < s.end; ++c) {
    double sums = 0, products = 0;
    const T centre = mean[c];
    for (int64_t i = 0; i < s.images; i += block)
      for (int64_t at = 0; at < s.size; at += kRun) {
        const int64_t n = s.size - at < kRun ? s.size - at : kRun;
        const int64_t last = i + block < s.images ? i + block : s.images;
        PairOfSums<T> out;
        for (int64_t image = i; image < last; ++image) {
          const int64_t first = (image * s.channels + c) * s.size + at;
          out.add(n, [&](const auto& read, auto& a, auto& b) {
            const auto gradient = read(g + first);
            a += gradient;
            b += gradient * (read(x + first) - centre);
          });
        }
        sums += static_cast<double>(out.first());
        products += static_cast<double>(out.second());
      }
    sum[c] = static_cast<T>(sums);
    product[c] = static_cast<T>(products);
  }
}

// Calls columns(first, count) for rows of channels side by side or plane(first, count, channel).
template <class Columns, class Plane>
void each_part(const NormShape& s, const Columns& columns, const Plane& plane) {
  for (int64_t i = s.begin; i < s.end; ++i) {
    if (s.size == 1) {
      columns(i * s.channels, s.channels);
      continue;
    }
    for (int64_t c = 0; c < s.channels; ++c) plane((i * s.channels + c) * s.size, s.size, c);
  }
}

template <class T>
void scale_channels(const NormShape& s, const T* x, const T* mean, const T* scale, const T* shift,
                    T* y) {
  each_part(
      s,
      [&](int64_t first, int64_t count) {
        const T* in = x + first;
        T* out = y + first;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[i] - mean[i], scale[i], shift[i]);
      },
      [&](int64_t first, int64_t count, int64_t c) {
        const T m = mean[c], a = scale[c], b = shift[c];
        const T* in = x + first;
        T* out = y + first;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i) out[i] = fma_(in[i] - m, a, b);
      });
}

template <class T>
void combine_channels(const NormShape& s, const T* g, const T* x, const T* mean, const T* scale,
                      const T* slope, const T* shift, T* dx) {
  each_part(
      s,
      [&](int64_t first, int64_t count) {
        const T *gradient = g + first, *in = x + first;
        T* out = dx + first;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i)
          out[i] = fma_(gradient[i], scale[i], fma_(in[i] - mean[i], slope[i], shift[i]));
      },
      [&](int64_t first, int64_t count, int64_t c) {
        const T m = mean[c], a = scale[c], k = slope[c], b = shift[c];
        const T *gradient = g + first, *in = x + first;
        T* out = dx + first;
#pragma GCC ivdep
        for (int64_t i = 0; i < count; ++i) out[i] = fma_(gradient[i], a, fma_(in[i] - m, k, b));
      });
}

template <class T>
void layer_norm_typed(const LayerNorm& args) {
  const T *weight = static_cast<const T*>(args.weight), *bias = static_cast<const T*>(args.bias);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T* x = static_cast<const T*>(args.x) + r * args.size;
    T* y = static_cast<T*>(args.y) + r * args.size;
    Moments moments;
    add_run(x, args.size, moments);
    const T mean = static_cast<T>(moments.count == 0 ? __builtin_nan("") : moments.mean);
    const T rstd = static_cast<T>(moments.rstd(args.eps));
    static_cast<T*>(args.mean)[r] = mean;
    static_cast<T*>(args.rstd)[r] = rstd;
    if (weight != nullptr && bias != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) y[i] = fma_((x[i] - mean) * rstd, weight[i], bias[i]);
    } else if (weight != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) y[i] = (x[i] - mean) * rstd * weight[i];
    } else if (bias != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) y[i] = fma_(x[i] - mean, rstd, bias[i]);
    } else {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) y[i] = (x[i] - mean) * rstd;
    }
  }
}

// With h = g w and n = (x - mean) rstd: dx = rstd (h - mean(h) - n mean(h n)).
template <class T>
void layer_norm_backward_row(const LayerNormBackward& args, const T* g, const T* x, const T* weight,
                             T mean, T rstd, T* dx) {
  double sum = 0, product = 0;
  for (int64_t at = 0; at < args.size; at += kRun) {
    const int64_t n = args.size - at < kRun ? args.size - at : kRun;
    PairOfSums<T> out;
    if (weight != nullptr)
      out.add(n, [&](const auto& read, auto& a, auto& b) {
        const auto h = read(g + at) * read(weight + at);
        a += h;
        b += h * (read(x + at) - mean);
      });
    else
      out.add(n, [&](const auto& read, auto& a, auto& b) {
        const auto h = read(g + at);
        a += h;
        b += h * (read(x + at) - mean);
      });
    sum += static_cast<double>(out.first());
    product += static_cast<double>(out.second());
  }
  const double size = static_cast<double>(args.size), scale = static_cast<double>(rstd);
  const T shift = static_cast<T>(-scale * sum / size);
  const T slope = static_cast<T>(-scale * scale * scale * product / size);
  if (weight != nullptr) {
#pragma GCC ivdep
    for (int64_t i = 0; i < args.size; ++i)
      dx[i] = fma_(g[i] * weight[i], rstd, fma_(x[i] - mean, slope, shift));
  } else {
#pragma GCC ivdep
    for (int64_t i = 0; i < args.size; ++i)
      dx[i] = fma_(g[i], rstd, fma_(x[i] - mean, slope, shift));
  }
}

template <class T>
void layer_norm_backward_typed(const LayerNormBackward& args) {
  const T* weight = static_cast<const T*>(args.weight);
  T *dweight = static_cast<T*>(args.dweight), *dbias = static_cast<T*>(args.dbias);
  for (int64_t r = 0; r < args.rows; ++r) {
    const T *g = static_cast<const T*>(args.g) + r * args.size,
            *x = static_cast<const T*>(args.x) + r * args.size;
    const T mean = static_cast<const T*>(args.mean)[r], rstd = static_cast<const T*>(args.rstd)[r];
    if (args.dx != nullptr)
      layer_norm_backward_row(args, g, x, weight, mean, rstd,
                              static_cast<T*>(args.dx) + r * args.size);
    if (dweight != nullptr && dbias != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) {
        dweight[i] = fma_(g[i], (x[i] - mean) * rstd, dweight[i]);
        dbias[i] += g[i];
      }
    } else if (dweight != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i)
        dweight[i] = fma_(g[i], (x[i] - mean) * rstd, dweight[i]);
    } else if (dbias != nullptr) {
#pragma GCC ivdep
      for (int64_t i = 0; i < args.size; ++i) dbias[i] += g[i];
    }
  }
}

}  // namespace

#define OA_IN(name) static_cast<const T*>(name)
#define OA_OUT(name) static_cast<T*>(name)

void channel_moments(DType dtype, const NormShape& shape, const void* x, double eps, void* mean,
                     void* rstd) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    moments_of_channels(shape, OA_IN(x), eps, OA_OUT(mean), OA_OUT(rstd));
  });
}
void channel_sums(DType dtype, const NormShape& shape, const void* g, const void* x,
                  const void* mean, void* sum, void* product) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    sums_of_channels(shape, OA_IN(g), OA_IN(x), OA_IN(mean), OA_OUT(sum), OA_OUT(product));
  });
}
void channel_scale(DType dtype, const NormShape& shape, const void* x, const void* mean,
                   const void* scale, const void* shift, void* y) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    scale_channels(shape, OA_IN(x), OA_IN(mean), OA_IN(scale), OA_IN(shift), OA_OUT(y));
  });
}
void channel_combine(DType dtype, const NormShape& shape, const void* g, const void* x,
                     const void* mean, const void* scale, const void* slope, const void* shift,
                     void* dx) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    combine_channels(shape, OA_IN(g), OA_IN(x), OA_IN(mean), OA_IN(scale), OA_IN(slope),
                     OA_IN(shift), OA_OUT(dx));
  });
}
void layer_norm(DType dtype, const LayerNorm& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { layer_norm_typed<T>(args); });
}
void layer_norm_backward(DType dtype, const LayerNormBackward& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { layer_norm_backward_typed<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
