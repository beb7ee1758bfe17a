#include "core/kernels/conv_plane.h"

#include "core/kernels/cpu/conv.h"
#include "core/kernels/gemm.h"
#include "core/kernels/scratch.h"

namespace oneagent {
namespace {

constexpr int64_t kWorkOfChunk = 1 << 20;  // multiply-adds that are worth another thread

int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }
int64_t grain(int64_t work) {
  return std::max<int64_t>(kWorkOfChunk / std::max<int64_t>(work, 1), 1);
}

// A plane's shape with the table of taps that it points at.
struct Plane {
  cpu::ConvPlane shape;
  std::vector<int64_t> offsets;

  explicit Plane(const ConvShape& s) {
    for (int d = 0; d < 3; ++d) {
      shape.size[d] = s.size[d];
      shape.kernel[d] = s.kernel[d];
      shape.stride[d] = s.stride[d];
      shape.padding[d] = s.padding[d];
      shape.dilation[d] = s.dilation[d];
      shape.out[d] = s.out[d];
    }
    complete();
  }
  // The gradient of the image as a convolution of the result's; only without stride.
  static Plane mirrored(const ConvShape& s) {
    ConvShape m = s;
    for (int d = 0; d < 3; ++d) {
      m.size[d] = s.out[d];
      m.out[d] = s.size[d];
      m.padding[d] = s.dilation[d] * (s.kernel[d] - 1) - s.padding[d];
    }
    return Plane(m);
  }
  Plane(const Plane& other) : shape(other.shape), offsets(other.offsets) {
    shape.offsets = offsets.data();
  }
  Plane& operator=(const Plane&) = delete;

  int64_t prepared_values() const { return shape.stride[2] * shape.rows * shape.row + kSlack; }
  // The plane itself is what a preparation would make.
  bool is_prepared() const {
    return shape.padding[0] + shape.padding[1] + shape.padding[2] == 0 && shape.stride[2] == 1;
  }

 private:
  void complete() {
    const int64_t step = shape.stride[2], height = shape.size[1] + 2 * shape.padding[1];
    shape.taps = volume(shape.kernel);
    shape.rows = (shape.size[0] + 2 * shape.padding[0]) * height;
    shape.row = (shape.size[2] + 2 * shape.padding[2] + step - 1) / step;
    for (int64_t kz = 0; kz < shape.kernel[0]; ++kz)
      for (int64_t ky = 0; ky < shape.kernel[1]; ++ky)
        for (int64_t kx = 0; kx < shape.kernel[2]; ++kx) {
          const int64_t x = kx * shape.dilation[2];
          offsets.push_back(x % step * shape.rows * shape.row +
                            (kz * shape.dilation[0] * height + ky * shape.dilation[1]) * shape.row +
                            x / step);
        }
    shape.offsets = offsets.data();
    shape.has_slack = !is_prepared();
  }
  static constexpr int64_t kSlack = 8;
};

// A plane ready for the products: itself, or prepared in scratch memory.
template <class T>
class Prepared {
 public:
  Prepared(Stream& stream, const Plane& plane)
      : plane_(plane),
        block_(stream,
               plane.is_prepared() ? 1 : static_cast<size_t>(plane.prepared_values()) * sizeof(T)) {
  }
  const T* of(const T* x) const {
    if (plane_.is_prepared()) return x;
    cpu::conv_plane_prepare(dtype_of<T>, plane_.shape, x, block_.as<T>());
    return block_.as<T>();
  }

 private:
  const Plane& plane_;
  Scratch block_;
};

template <class T>
void add_bias(T* planes, int64_t count, int64_t size, const T* bias) {
  for (int64_t p = 0; p < count; ++p)
    for (int64_t i = 0; i < size; ++i) planes[p * size + i] += bias[p];
}

// Every place of the image is under the kernel at neighbouring places of the result.
bool is_plain(const ConvShape& s) {
  bool out = true;
  for (int d = 0; d < 3; ++d) {
    const int64_t reach = s.dilation[d] * (s.kernel[d] - 1);
    out = out && s.stride[d] == 1 && s.padding[d] <= reach &&
          s.out[d] == s.size[d] + 2 * s.padding[d] - reach;
  }
  return out;
}

// With many filters: columns of a block of rows by one product, then added to the image.
template <class T>
void backward_input_by_columns(Stream& stream, const ConvShape& s, T* dx, const T* dy,
                               const T* weight) {
  const Plane plane(s);
  const int64_t channels = s.channels / s.groups, filters = s.filters / s.groups;
  const int64_t taps = volume(s.kernel), depth = channels * taps, width = s.out[2];
  const int64_t places = volume(s.out), x_plane = volume(s.size);
  const int64_t rows =
      std::clamp<int64_t>(256 / std::max<int64_t>(width, 1), 1,
                          std::max<int64_t>(places / std::max<int64_t>(width, 1), 1));
  stream.parallel_for(s.images * s.groups, 1, [&](int64_t begin, int64_t end) {
    const Scratch columns(stream, static_cast<size_t>(depth * rows * width) * sizeof(T));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / s.groups, group = i % s.groups;
      T* to = dx + (image * s.channels + group * channels) * x_plane;
      std::fill_n(to, channels * x_plane, T(0));
      for (int64_t row = 0; row < s.out[0] * s.out[1]; row += rows) {
        const int64_t count = std::min(rows, s.out[0] * s.out[1] - row);
        cpu::GemmArgs args;
        args.m = depth;
        args.n = count * width;
        args.k = filters;
        args.a = weight + group * filters * depth;
        args.a_row = 1;
        args.a_col = depth;
        args.b = dy + (image * s.filters + group * filters) * places + row * width;
        args.b_row = places;
        args.b_col = 1;
        args.c = columns.as<T>();
        args.c_row = count * width;
        run_gemm(stream, dtype_of<T>, args);
        cpu::ConvColumns fold;
        fold.columns = columns.as<T>();
        fold.first_row = row;
        fold.row_count = count;
        fold.channels = channels;
        cpu::conv_add_columns(dtype_of<T>, plane.shape, fold, to);
      }
    }
  });
}

}  // namespace

template <class T>
void conv_by_planes(Stream& stream, const ConvShape& s, T* out, const T* x, const T* weight,
                    const T* bias) {
  const Plane plane(s);
  const int64_t channels = s.channels / s.groups, filters = s.filters / s.groups;
  const int64_t x_plane = volume(s.size), y_plane = volume(s.out), taps = volume(s.kernel);
  stream.parallel_for(
      s.images * s.groups, grain(y_plane * taps * channels * filters),
      [&](int64_t begin, int64_t end) {
        const Prepared<T> prepared(stream, plane);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t image = i / s.groups, group = i % s.groups;
          T* to = out + (image * s.filters + group * filters) * y_plane;
          for (int64_t c = 0; c < channels; ++c) {
            const T* from = prepared.of(x + (image * s.channels + group * channels + c) * x_plane);
            for (int64_t f = 0; f < filters; ++f)
              cpu::conv_plane(dtype_of<T>, plane.shape, to + f * y_plane, from,
                              weight + ((group * filters + f) * channels + c) * taps, c > 0);
          }
          if (bias != nullptr) add_bias(to, filters, y_plane, bias + group * filters);
        }
      });
}

template <class T>
void conv_backward_input_by_planes(Stream& stream, const ConvShape& s, T* dx, const T* dy,
                                   const T* weight, const T* bias) {
  const int64_t channels = s.channels / s.groups, filters = s.filters / s.groups;
  const int64_t x_plane = volume(s.size), y_plane = volume(s.out), taps = volume(s.kernel);
  const int64_t work = y_plane * taps * channels * filters;
  const auto finish = [&](int64_t image, int64_t group) {
    const int64_t first = image * s.channels + group * channels;
    if (bias != nullptr) add_bias(dx + first * x_plane, channels, x_plane, bias + group * channels);
  };
  if (is_plain(s)) {
    const Plane plane = Plane::mirrored(s);
    std::vector<T> mirror(static_cast<size_t>(s.filters * channels * taps));
    for (int64_t i = 0; i < s.filters * channels; ++i)
      std::reverse_copy(weight + i * taps, weight + (i + 1) * taps, mirror.data() + i * taps);
    stream.parallel_for(s.images * s.groups, grain(work), [&](int64_t begin, int64_t end) {
      const Prepared<T> prepared(stream, plane);
      for (int64_t i = begin; i < end; ++i) {
        const int64_t image = i / s.groups, group = i % s.groups;
        T* to = dx + (image * s.channels + group * channels) * x_plane;
        for (int64_t f = 0; f < filters; ++f) {
          const T* from = prepared.of(dy + (image * s.filters + group * filters + f) * y_plane);
          for (int64_t c = 0; c < channels; ++c)
            cpu::conv_plane(dtype_of<T>, plane.shape, to + c * x_plane, from,
                            mirror.data() + ((group * filters + f) * channels + c) * taps, f > 0);
        }
        finish(image, group);
      }
    });
    return;
  }
  if (filters >= 2 * kFewPlanes) {
    backward_input_by_columns(stream, s, dx, dy, weight);
    for (int64_t i = 0; i < s.images * s.groups; ++i) finish(i / s.groups, i % s.groups);
    return;
  }
  const Plane plane(s);
  stream.parallel_for(s.images * s.groups, grain(work), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / s.groups, group = i % s.groups;
      T* to = dx + (image * s.channels + group * channels) * x_plane;
      std::fill_n(to, channels * x_plane, T(0));
      for (int64_t f = group * filters; f < (group + 1) * filters; ++f)
        for (int64_t c = 0; c < channels; ++c)
          cpu::conv_plane_backward_input(dtype_of<T>, plane.shape, to + c * x_plane,
                                         dy + (image * s.filters + f) * y_plane,
                                         weight + (f * channels + c) * taps);
      finish(image, group);
    }
  });
}

template <class T>
void conv_backward_weight_by_planes(Stream& stream, const ConvShape& s, T* dw, const T* dy,
                                    const T* x) {
  const Plane plane(s);
  const int64_t channels = s.channels / s.groups, filters = s.filters / s.groups;
  const int64_t x_plane = volume(s.size), y_plane = volume(s.out), taps = volume(s.kernel);
  stream.parallel_for(
      s.channels, grain(s.images * y_plane * taps * filters), [&](int64_t begin, int64_t end) {
        const Prepared<T> prepared(stream, plane);
        for (int64_t i = begin; i < end; ++i) {
          const int64_t group = i / channels, c = i % channels;
          for (int64_t f = group * filters; f < (group + 1) * filters; ++f)
            std::fill_n(dw + (f * channels + c) * taps, taps, T(0));
          for (int64_t image = 0; image < s.images; ++image) {
            const T* from = prepared.of(x + (image * s.channels + i) * x_plane);
            for (int64_t f = group * filters; f < (group + 1) * filters; ++f)
              cpu::conv_plane_backward_weight(dtype_of<T>, plane.shape,
                                              dw + (f * channels + c) * taps,
                                              dy + (image * s.filters + f) * y_plane, from);
          }
        }
      });
}

#define OA_BY_PLANES(T)                                                                          \
  template void conv_by_planes(Stream&, const ConvShape&, T*, const T*, const T*, const T*);     \
  template void conv_backward_input_by_planes(Stream&, const ConvShape&, T*, const T*, const T*, \
                                              const T*);                                         \
  template void conv_backward_weight_by_planes(Stream&, const ConvShape&, T*, const T*, const T*);
OA_BY_PLANES(float)
OA_BY_PLANES(double)

}  // namespace oneagent
