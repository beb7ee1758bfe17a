#include "core/kernels/norm.h"

#include "core/kernels/cpu/norm.h"
#include "core/kernels/scratch.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

int64_t grain(int64_t values) {
  return std::max<int64_t>(kGrain / std::max<int64_t>(values, 1), 1);
}

template <class T>
const T* data_or_null(const Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}
template <class T>
T* values(const Scratch& block, int64_t count, int64_t row) {
  return block.as<T>() + row * count;
}
template <class T>
size_t bytes(int64_t count) {
  return static_cast<size_t>(count) * sizeof(T);
}

cpu::NormShape part_of(int64_t images, int64_t channels, int64_t size, int64_t begin, int64_t end) {
  cpu::NormShape part;
  part.images = images;
  part.channels = channels;
  part.size = size;
  part.begin = begin;
  part.end = end;
  return part;
}

template <class Body>
void each_channels(Stream& stream, const BatchNormShape& s, const Body& body) {
  stream.parallel_for(
      s.channels, std::max<int64_t>(grain(s.images * s.size), s.size == 1 ? 64 : 1),
      [&](int64_t begin, int64_t end) { body(part_of(s.images, s.channels, s.size, begin, end)); });
}
template <class Body>
void each_images(Stream& stream, int64_t images, int64_t channels, int64_t size, const Body& body) {
  stream.parallel_for(images, grain(channels * size), [&](int64_t begin, int64_t end) {
    body(part_of(images, channels, size, begin, end));
  });
}

}  // namespace

void run_batch_moments(Stream& stream, const BatchNormShape& s, const Tensor& x, double eps,
                       const Tensor& mean, const Tensor& rstd) {
  each_channels(stream, s, [&](const cpu::NormShape& part) {
    cpu::channel_moments(x.dtype(), part, x.data_ptr(), eps, mean.data_ptr(), rstd.data_ptr());
  });
}

void run_batch_norm(Stream& stream, const BatchNormShape& s, const Tensor& y, const Tensor& x,
                    const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                    const Tensor& bias) {
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const Scratch block(stream, bytes<T>(2 * s.channels));
    T *scale = values<T>(block, s.channels, 0), *shift = values<T>(block, s.channels, 1);
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias), *r = rstd.data_ptr<T>();
    for (int64_t c = 0; c < s.channels; ++c) {
      scale[c] = w == nullptr ? r[c] : r[c] * w[c];
      shift[c] = b == nullptr ? T(0) : b[c];
    }
    each_images(stream, s.images, s.channels, s.size, [&](const cpu::NormShape& part) {
      cpu::channel_scale(dtype_of<T>, part, x.data_ptr(), mean.data_ptr(), scale, shift,
                         y.data_ptr());
    });
  });
}

void run_batch_norm_backward(Stream& stream, const BatchNormShape& s, bool own_statistics,
                             const NormGradients& out, const Tensor& g, const Tensor& x,
                             const Tensor& mean, const Tensor& rstd, const Tensor& weight) {
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const Scratch block(stream, bytes<T>(5 * s.channels));
    T *sum = values<T>(block, s.channels, 0), *product = values<T>(block, s.channels, 1),
      *scale = values<T>(block, s.channels, 2), *slope = values<T>(block, s.channels, 3),
      *shift = values<T>(block, s.channels, 4);
    if (own_statistics || out.weight.defined() || out.bias.defined())
      each_channels(stream, s, [&](const cpu::NormShape& part) {
        cpu::channel_sums(dtype_of<T>, part, g.data_ptr(), x.data_ptr(), mean.data_ptr(), sum,
                          product);
      });
    const T *w = data_or_null<T>(weight), *r = rstd.data_ptr<T>();
    const T count = static_cast<T>(s.images * s.size);
    for (int64_t c = 0; c < s.channels; ++c) {
      scale[c] = w == nullptr ? r[c] : r[c] * w[c];
      slope[c] = own_statistics ? -scale[c] * r[c] * r[c] * product[c] / count : T(0);
      shift[c] = own_statistics ? -scale[c] * sum[c] / count : T(0);
      if (out.weight.defined()) out.weight.data_ptr<T>()[c] = product[c] * r[c];
      if (out.bias.defined()) out.bias.data_ptr<T>()[c] = sum[c];
    }
    if (!out.x.defined()) return;
    each_images(stream, s.images, s.channels, s.size, [&](const cpu::NormShape& part) {
      cpu::channel_combine(dtype_of<T>, part, g.data_ptr(), x.data_ptr(), mean.data_ptr(), scale,
                           slope, shift, out.x.data_ptr());
    });
  });
}

void run_group_norm(Stream& stream, const GroupNormShape& s, double eps, const Tensor& y,
                    const Tensor& mean, const Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias) {
  // Groups as channels of one image, then planes as channels of one image.
  const int64_t groups = s.images * s.groups, planes = s.images * s.channels;
  const int64_t of_group = s.channels / s.groups;
  run_batch_moments(stream, {1, groups, of_group * s.size}, x, eps, mean, rstd);
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const Scratch block(stream, bytes<T>(3 * planes));
    T *centre = values<T>(block, planes, 0), *scale = values<T>(block, planes, 1),
      *shift = values<T>(block, planes, 2);
    const T *w = data_or_null<T>(weight), *b = data_or_null<T>(bias), *m = mean.data_ptr<T>(),
            *r = rstd.data_ptr<T>();
    for (int64_t p = 0; p < planes; ++p) {
      const int64_t c = p % s.channels, group = p / of_group;
      centre[p] = m[group];
      scale[p] = w == nullptr ? r[group] : r[group] * w[c];
      shift[p] = b == nullptr ? T(0) : b[c];
    }
    stream.parallel_for(s.images, grain(s.channels * s.size), [&](int64_t begin, int64_t end) {
      const int64_t first = begin * s.channels, count = (end - begin) * s.channels;
      cpu::channel_scale(dtype_of<T>, part_of(1, count, s.size, 0, 1),
                         x.data_ptr<T>() + first * s.size, centre + first, scale + first,
                         shift + first, y.data_ptr<T>() + first * s.size);
    });
  });
}

void run_group_norm_backward(Stream& stream, const GroupNormShape& s, const NormGradients& out,
                             const Tensor& g, const Tensor& x, const Tensor& mean,
                             const Tensor& rstd, const Tensor& weight) {
  const int64_t planes = s.images * s.channels, of_group = s.channels / s.groups;
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const Scratch block(stream, bytes<T>(6 * planes));
    T *centre = values<T>(block, planes, 0), *sum = values<T>(block, planes, 1),
      *product = values<T>(block, planes, 2), *scale = values<T>(block, planes, 3),
      *slope = values<T>(block, planes, 4), *shift = values<T>(block, planes, 5);
    const T *w = data_or_null<T>(weight), *m = mean.data_ptr<T>(), *r = rstd.data_ptr<T>();
    for (int64_t p = 0; p < planes; ++p) centre[p] = m[p / of_group];
    each_channels(stream, {1, planes, s.size}, [&](const cpu::NormShape& part) {
      cpu::channel_sums(dtype_of<T>, part, g.data_ptr(), x.data_ptr(), centre, sum, product);
    });
    const double count = static_cast<double>(of_group * s.size);
    for (int64_t group = 0; group < s.images * s.groups; ++group) {
      double sums = 0, products = 0;
      for (int64_t p = group * of_group; p < (group + 1) * of_group; ++p) {
        const double factor = w == nullptr ? 1.0 : static_cast<double>(w[p % s.channels]);
        sums += factor * static_cast<double>(sum[p]);
        products += factor * static_cast<double>(product[p]);
      }
      const double rs = static_cast<double>(r[group]);
      for (int64_t p = group * of_group; p < (group + 1) * of_group; ++p) {
        scale[p] = w == nullptr ? r[group] : r[group] * w[p % s.channels];
        slope[p] = static_cast<T>(-rs * rs * rs * products / count);
        shift[p] = static_cast<T>(-rs * sums / count);
      }
    }
    for (int64_t c = 0; c < s.channels; ++c) {
      T dw = T(0), db = T(0);
      for (int64_t i = 0; i < s.images; ++i) {
        dw += product[i * s.channels + c] * r[(i * s.channels + c) / of_group];
        db += sum[i * s.channels + c];
      }
      if (out.weight.defined()) out.weight.data_ptr<T>()[c] = dw;
      if (out.bias.defined()) out.bias.data_ptr<T>()[c] = db;
    }
    if (!out.x.defined()) return;
    stream.parallel_for(s.images, grain(s.channels * s.size), [&](int64_t begin, int64_t end) {
      const int64_t first = begin * s.channels, planes_here = (end - begin) * s.channels;
      cpu::channel_combine(dtype_of<T>, part_of(1, planes_here, s.size, 0, 1),
                           g.data_ptr<T>() + first * s.size, x.data_ptr<T>() + first * s.size,
                           centre + first, scale + first, slope + first, shift + first,
                           out.x.data_ptr<T>() + first * s.size);
    });
  });
}

void run_layer_norm(Stream& stream, int64_t rows, int64_t size, double eps, const Tensor& y,
                    const Tensor& mean, const Tensor& rstd, const Tensor& x, const Tensor& weight,
                    const Tensor& bias) {
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(rows, grain(size), [&](int64_t begin, int64_t end) {
      cpu::LayerNorm args;
      args.rows = end - begin;
      args.size = size;
      args.eps = eps;
      args.x = x.data_ptr<T>() + begin * size;
      args.weight = data_or_null<T>(weight);
      args.bias = data_or_null<T>(bias);
      args.y = y.data_ptr<T>() + begin * size;
      args.mean = mean.data_ptr<T>() + begin;
      args.rstd = rstd.data_ptr<T>() + begin;
      cpu::layer_norm(dtype_of<T>, args);
    });
  });
}

void run_layer_norm_backward(Stream& stream, int64_t rows, int64_t size, const NormGradients& out,
                             const Tensor& g, const Tensor& x, const Tensor& mean,
                             const Tensor& rstd, const Tensor& weight) {
  // Sums over rows are taken in a few parts, whatever the number of threads.
  constexpr int64_t kParts = 16, kRows = 64;
  const int64_t step = std::max(kRows, (rows + kParts - 1) / kParts);
  const int64_t parts = (rows + step - 1) / step;
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const bool sums = out.weight.defined() || out.bias.defined();
    const Scratch block(stream, bytes<T>(sums ? 2 * parts * size : 1));
    if (sums) std::fill_n(block.as<T>(), 2 * parts * size, T(0));
    stream.parallel_for(parts, grain(step * size), [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        const int64_t first = part * step;
        cpu::LayerNormBackward args;
        args.rows = std::min(step, rows - first);
        args.size = size;
        args.g = g.data_ptr<T>() + first * size;
        args.x = x.data_ptr<T>() + first * size;
        args.weight = data_or_null<T>(weight);
        args.mean = mean.data_ptr<T>() + first;
        args.rstd = rstd.data_ptr<T>() + first;
        args.dx = out.x.defined() ? out.x.data_ptr<T>() + first * size : nullptr;
        args.dweight = out.weight.defined() ? values<T>(block, size, 2 * part) : nullptr;
        args.dbias = out.bias.defined() ? values<T>(block, size, 2 * part + 1) : nullptr;
        cpu::layer_norm_backward(dtype_of<T>, args);
      }
    });
    const auto join = [&](const Tensor& to, int64_t row) {
      if (!to.defined()) return;
      T* total = to.data_ptr<T>();
      std::fill_n(total, size, T(0));
      for (int64_t part = 0; part < parts; ++part) {
        const T* from = values<T>(block, size, 2 * part + row);
        for (int64_t i = 0; i < size; ++i) total[i] += from[i];
      }
    };
    join(out.weight, 0);
    join(out.bias, 1);
  });
}

}  // namespace oneagent
