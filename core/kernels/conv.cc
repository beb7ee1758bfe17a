#include "core/kernels/conv.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/kernels/gemm.h"
#include "core/tensor/allocator.h"

namespace oneagent {
namespace {

// A scratch block of the stream's allocator.
class Scratch {
 public:
  Scratch(Stream& stream, size_t bytes)
      : stream_(stream), bytes_(bytes), data_(cpu_allocator().allocate(bytes, stream)) {}
  ~Scratch() { cpu_allocator().free(data_, bytes_, stream_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  Stream& stream_;
  size_t bytes_;
  void* data_;
};

// Whole registers of the product, so that it needs no edges and reads columns in place.
constexpr int64_t kWholeColumns = 16, kWholeRows = 8;
constexpr int64_t kUnfoldedValues = 1 << 16;  // of a block of images, so that it stays in cache
constexpr int64_t kImagesOfBlock = 32;

int64_t round_up(int64_t n, int64_t whole) { return (n + whole - 1) / whole * whole; }
int64_t whole_columns(int64_t n) { return round_up(n, kWholeColumns); }
int64_t whole_rows(int64_t n) { return round_up(n, kWholeRows); }

struct Sizes {  // of one group
  int64_t channels, filters, depth, places, padded_h, padded_w;
  int64_t images;  // of a block, which is one product
  int64_t stride;  // between rows of unfolded images, off the powers of two
  explicit Sizes(const ConvShape& s)
      : channels(s.channels / s.groups),
        filters(s.filters / s.groups),
        depth(channels * s.kernel_h * s.kernel_w),
        places(s.out_h * s.out_w),
        padded_h(s.height + 2 * s.padding_h),
        padded_w(s.width + 2 * s.padding_w),
        images(std::clamp<int64_t>(kUnfoldedValues / std::max<int64_t>(depth * places, 1), 1,
                                   kImagesOfBlock)),
        stride(whole_columns(std::min(images, s.images) * places) + kWholeColumns) {}
};

// Copies `count` values in steps of Chunk: up to Chunk - 1 values behind both ends are touched.
template <int Chunk, class T>
void copy_chunks(const T* from, int64_t count, T* to) {
  for (int64_t i = 0; i < count; i += Chunk) std::memcpy(to + i, from + i, Chunk * sizeof(T));
}

// A block of images as columns [channels * kernel_h * kernel_w, images * out_h * out_w] in rows of
// sizes.stride.
template <class T>
class Unfolded {
 public:
  Unfolded(Stream& stream, const ConvShape& shape, const Sizes& sizes)
      : s_(shape),
        z_(sizes),
        columns_(stream, bytes(whole_rows(z_.depth) * z_.stride)),
        padded_(stream, bytes(z_.channels * z_.padded_h * z_.padded_w + kSlack)) {
    std::fill_n(padded_.as<T>(), z_.channels * z_.padded_h * z_.padded_w + kSlack, T(0));
    std::fill_n(data() + z_.depth * z_.stride, (whole_rows(z_.depth) - z_.depth) * z_.stride, T(0));
  }

  T* data() const { return columns_.template as<T>(); }

  // `images` are those of one group, `distance` apart. Columns up to whole registers become 0.
  void load(const T* images, int64_t distance, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      pad(images + i * distance);
      unfold(data() + i * z_.places);
    }
    const int64_t used = count * z_.places;
    for (int64_t d = 0; d < z_.depth; ++d)
      std::fill_n(data() + d * z_.stride + used, whole_columns(used) - used, T(0));
  }

  // The transpose of load: sums of columns.
  void store(T* images, int64_t distance, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      std::fill_n(padded_.template as<T>(), z_.channels * z_.padded_h * z_.padded_w, T(0));
      fold(data() + i * z_.places);
      for (int64_t row = 0; row < z_.channels * s_.height; ++row)
        std::copy_n(padded_row(row), s_.width, images + i * distance + row * s_.width);
    }
  }

 private:
  static constexpr int64_t kSlack = 8;  // of copy_chunks
  static size_t bytes(int64_t values) { return static_cast<size_t>(values) * sizeof(T); }

  T* padded_row(int64_t row) const {  // of row c * height + y of the image
    const int64_t y = row / s_.height * z_.padded_h + s_.padding_h + row % s_.height;
    return padded_.template as<T>() + y * z_.padded_w + s_.padding_w;
  }

  void pad(const T* image) const {
    for (int64_t row = 0; row < z_.channels * s_.height; ++row)
      std::copy_n(image + row * s_.width, s_.width, padded_row(row));
  }

  // Calls body(values of the padded image, row of columns) for each run of out_w places.
  template <class Body>
  void each_run(T* columns, const Body& body) const {
    for (int64_t c = 0; c < z_.channels; ++c)
      for (int64_t ky = 0; ky < s_.kernel_h; ++ky)
        for (int64_t kx = 0; kx < s_.kernel_w; ++kx, columns += z_.stride) {
          T* from = padded_.template as<T>() +
                    (c * z_.padded_h + ky * s_.dilation_h) * z_.padded_w + kx * s_.dilation_w;
          for (int64_t oy = 0; oy < s_.out_h; ++oy, from += s_.stride_h * z_.padded_w)
            body(from, columns + oy * s_.out_w);
        }
  }

  // What copy_chunks writes behind a run is overwritten by the next one, image after image.
  void unfold(T* columns) const {
    const int64_t width = s_.out_w, step = s_.stride_w;
    if (step == 1 && width > 4)
      each_run(columns, [&](const T* from, T* to) { copy_chunks<8>(from, width, to); });
    else if (step == 1)
      each_run(columns, [&](const T* from, T* to) { copy_chunks<4>(from, width, to); });
    else
      each_run(columns, [&](const T* from, T* to) {
        for (int64_t x = 0; x < width; ++x) to[x] = from[x * step];
      });
  }

  void fold(T* columns) const {
    const int64_t width = s_.out_w, step = s_.stride_w;
    if (step == 1)
      each_run(columns, [&](T* to, const T* from) {
#pragma GCC ivdep
        for (int64_t x = 0; x < width; ++x) to[x] += from[x];
      });
    else
      each_run(columns, [&](T* to, const T* from) {
        for (int64_t x = 0; x < width; ++x) to[x * step] += from[x];
      });
  }

  const ConvShape& s_;
  const Sizes& z_;
  Scratch columns_, padded_;
};

cpu::GemmArgs product(int64_t m, int64_t n, int64_t k, const void* a, int64_t a_row, int64_t a_col,
                      const void* b, int64_t b_row, int64_t b_col, void* c, int64_t c_row) {
  cpu::GemmArgs args;
  args.m = m;
  args.n = n;
  args.k = k;
  args.a = a;
  args.a_row = a_row;
  args.a_col = a_col;
  args.b = b;
  args.b_row = b_row;
  args.b_col = b_col;
  args.c = c;
  args.c_row = c_row;
  return args;
}

// The planes of `count` images side by side: rows of sizes.stride, one for each filter.
template <class T>
void gather_filters(const ConvShape& s, const Sizes& sizes, const T* dy, int64_t count, T* to) {
  for (int64_t f = 0; f < sizes.filters; ++f, to += sizes.stride) {
    for (int64_t i = 0; i < count; ++i)
      std::copy_n(dy + (i * s.filters + f) * sizes.places, sizes.places, to + i * sizes.places);
    const int64_t used = count * sizes.places;
    std::fill_n(to + used, whole_columns(used) - used, T(0));
  }
}

template <class T>
void forward(Stream& stream, const ConvShape& s, T* out, const T* x, const T* weight,
             const T* bias) {
  const Sizes sizes(s);
  const int64_t plane = s.height * s.width;
  stream.parallel_for(s.images, sizes.images, [&](int64_t begin, int64_t end) {
    const Unfolded<T> columns(stream, s, sizes);
    const Scratch result(stream, static_cast<size_t>(sizes.filters * sizes.stride) * sizeof(T));
    for (int64_t i = begin; i < end; i += sizes.images)
      for (int64_t g = 0; g < s.groups; ++g) {
        const int64_t count = std::min(sizes.images, end - i);
        columns.load(x + (i * s.channels + g * sizes.channels) * plane, s.channels * plane, count);
        run_gemm(stream, dtype_of<T>,
                 product(sizes.filters, whole_columns(count * sizes.places), sizes.depth,
                         weight + g * sizes.filters * sizes.depth, sizes.depth, 1, columns.data(),
                         sizes.stride, 1, result.as<T>(), sizes.stride));
        for (int64_t f = 0; f < sizes.filters; ++f)
          for (int64_t j = 0; j < count; ++j) {
            const T* from = result.as<T>() + f * sizes.stride + j * sizes.places;
            const int64_t filter = g * sizes.filters + f;
            T* to = out + ((i + j) * s.filters + filter) * sizes.places;
            const T shift = bias == nullptr ? T(0) : bias[filter];
#pragma GCC ivdep
            for (int64_t p = 0; p < sizes.places; ++p) to[p] = from[p] + shift;
          }
      }
  });
}

template <class T>
void backward_input(Stream& stream, const ConvShape& s, T* dx, const T* dy, const T* weight) {
  const Sizes sizes(s);
  const int64_t plane = s.height * s.width;
  stream.parallel_for(s.images, sizes.images, [&](int64_t begin, int64_t end) {
    const Unfolded<T> columns(stream, s, sizes);
    const Scratch gradient(stream, static_cast<size_t>(sizes.filters * sizes.stride) * sizeof(T));
    for (int64_t i = begin; i < end; i += sizes.images)
      for (int64_t g = 0; g < s.groups; ++g) {
        const int64_t count = std::min(sizes.images, end - i);
        gather_filters(s, sizes, dy + (i * s.filters + g * sizes.filters) * sizes.places, count,
                       gradient.as<T>());
        run_gemm(stream, dtype_of<T>,
                 product(sizes.depth, whole_columns(count * sizes.places), sizes.filters,
                         weight + g * sizes.filters * sizes.depth, 1, sizes.depth, gradient.as<T>(),
                         sizes.stride, 1, columns.data(), sizes.stride));
        columns.store(dx + (i * s.channels + g * sizes.channels) * plane, s.channels * plane,
                      count);
      }
  });
}

template <class T>
void backward_weight(Stream& stream, const ConvShape& s, T* dw, const T* dy, const T* x) {
  const Sizes sizes(s);
  const int64_t plane = s.height * s.width, width = whole_rows(sizes.depth);
  const Unfolded<T> columns(stream, s, sizes);
  const Scratch gradient(stream, static_cast<size_t>(sizes.filters * sizes.stride) * sizeof(T));
  const Scratch sums(stream, static_cast<size_t>(s.filters * width) * sizeof(T));
  std::fill_n(sums.as<T>(), s.filters * width, T(0));
  for (int64_t i = 0; i < s.images; i += sizes.images)
    for (int64_t g = 0; g < s.groups; ++g) {
      const int64_t count = std::min(sizes.images, s.images - i);
      columns.load(x + (i * s.channels + g * sizes.channels) * plane, s.channels * plane, count);
      gather_filters(s, sizes, dy + (i * s.filters + g * sizes.filters) * sizes.places, count,
                     gradient.as<T>());
      cpu::GemmArgs args =
          product(sizes.filters, width, count * sizes.places, gradient.as<T>(), sizes.stride, 1,
                  columns.data(), 1, sizes.stride, sums.as<T>() + g * sizes.filters * width, width);
      args.accumulate = true;
      run_gemm(stream, dtype_of<T>, args);
    }
  for (int64_t f = 0; f < s.filters; ++f)
    std::copy_n(sums.as<T>() + f * width, sizes.depth, dw + f * sizes.depth);
}

template <class T>
void max_pool(Stream& stream, const PoolShape& s, T* out, int64_t* index, const T* x) {
  stream.parallel_for(s.planes, 8, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const T* from = x + plane * s.height * s.width;
      for (int64_t place = 0; place < s.out_h * s.out_w; ++place) {
        const int64_t top = place / s.out_w * s.stride_h - s.padding_h,
                      left = place % s.out_w * s.stride_w - s.padding_w;
        T best = -std::numeric_limits<T>::infinity();
        int64_t where = std::max<int64_t>(top, 0) * s.width + std::max<int64_t>(left, 0);
        for (int64_t y = std::max<int64_t>(top, 0); y < std::min(top + s.kernel_h, s.height); ++y)
          for (int64_t c = std::max<int64_t>(left, 0); c < std::min(left + s.kernel_w, s.width);
               ++c) {
            const T value = from[y * s.width + c];
            if (value > best || value != value) {
              best = value;
              where = y * s.width + c;
            }
          }
        out[plane * s.out_h * s.out_w + place] = best;
        index[plane * s.out_h * s.out_w + place] = where;
      }
    }
  });
}

}  // namespace

void run_conv2d(Stream& stream, const ConvShape& shape, const Tensor& out, const Tensor& x,
                const Tensor& weight, const Tensor& bias) {
  if (out.dtype() == DType::kFloat32)
    forward(stream, shape, out.data_ptr<float>(), x.data_ptr<float>(), weight.data_ptr<float>(),
            bias.defined() ? bias.data_ptr<float>() : nullptr);
  else
    forward(stream, shape, out.data_ptr<double>(), x.data_ptr<double>(), weight.data_ptr<double>(),
            bias.defined() ? bias.data_ptr<double>() : nullptr);
}

void run_conv2d_backward_input(Stream& stream, const ConvShape& shape, const Tensor& dx,
                               const Tensor& dy, const Tensor& weight) {
  if (dx.dtype() == DType::kFloat32)
    backward_input(stream, shape, dx.data_ptr<float>(), dy.data_ptr<float>(),
                   weight.data_ptr<float>());
  else
    backward_input(stream, shape, dx.data_ptr<double>(), dy.data_ptr<double>(),
                   weight.data_ptr<double>());
}

void run_conv2d_backward_weight(Stream& stream, const ConvShape& shape, const Tensor& dw,
                                const Tensor& dy, const Tensor& x) {
  if (dw.dtype() == DType::kFloat32)
    backward_weight(stream, shape, dw.data_ptr<float>(), dy.data_ptr<float>(), x.data_ptr<float>());
  else
    backward_weight(stream, shape, dw.data_ptr<double>(), dy.data_ptr<double>(),
                    x.data_ptr<double>());
}

void run_max_pool2d(Stream& stream, const PoolShape& shape, const Tensor& out, const Tensor& index,
                    const Tensor& x) {
  if (out.dtype() == DType::kFloat32)
    max_pool(stream, shape, out.data_ptr<float>(), index.data_ptr<int64_t>(), x.data_ptr<float>());
  else
    max_pool(stream, shape, out.data_ptr<double>(), index.data_ptr<int64_t>(),
             x.data_ptr<double>());
}

}  // namespace oneagent
