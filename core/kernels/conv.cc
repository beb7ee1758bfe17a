#include "core/kernels/conv.h"

#include <algorithm>
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

struct Sizes {  // of one group of one image
  int64_t channels, filters, depth, places;
  explicit Sizes(const ConvShape& s)
      : channels(s.channels / s.groups),
        filters(s.filters / s.groups),
        depth(channels * s.kernel_h * s.kernel_w),
        places(s.out_h * s.out_w) {}
};

// The columns of one output row that read inside the image: first <= ox < last.
struct Inside {
  int64_t start, first, last;
  Inside(const ConvShape& s, int64_t kx) : start(kx * s.dilation_w - s.padding_w) {
    first = std::clamp<int64_t>((s.stride_w - 1 - start) / s.stride_w, 0, s.out_w);
    last = std::clamp<int64_t>(s.width > start ? (s.width - 1 - start) / s.stride_w + 1 : 0, first,
                               s.out_w);
  }
};

template <class T>
void unfold_row(const ConvShape& s, const T* row, const Inside& inside, T* column) {
  std::fill_n(column, inside.first, T(0));
  std::fill_n(column + inside.last, s.out_w - inside.last, T(0));
  const T* from = row + inside.start;
  if (s.stride_w == 1) {
    std::copy(from + inside.first, from + inside.last, column + inside.first);
    return;
  }
  for (int64_t ox = inside.first; ox < inside.last; ++ox) column[ox] = from[ox * s.stride_w];
}

// Columns of the unfolded image: [channels * kernel_h * kernel_w, out_h * out_w].
template <class T>
void unfold(const ConvShape& s, const T* image, int64_t channels, T* column) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t ky = 0; ky < s.kernel_h; ++ky)
      for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
        const Inside inside(s, kx);
        for (int64_t oy = 0; oy < s.out_h; ++oy, column += s.out_w) {
          const int64_t y = oy * s.stride_h - s.padding_h + ky * s.dilation_h;
          if (y < 0 || y >= s.height)
            std::fill_n(column, s.out_w, T(0));
          else
            unfold_row(s, image + (c * s.height + y) * s.width, inside, column);
        }
      }
}

// The transpose of unfold: adds columns back into the image.
template <class T>
void fold(const ConvShape& s, const T* column, int64_t channels, T* image) {
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t ky = 0; ky < s.kernel_h; ++ky)
      for (int64_t kx = 0; kx < s.kernel_w; ++kx) {
        const Inside inside(s, kx);
        for (int64_t oy = 0; oy < s.out_h; ++oy, column += s.out_w) {
          const int64_t y = oy * s.stride_h - s.padding_h + ky * s.dilation_h;
          if (y < 0 || y >= s.height) continue;
          T* to = image + (c * s.height + y) * s.width + inside.start;
          for (int64_t ox = inside.first; ox < inside.last; ++ox) to[ox * s.stride_w] += column[ox];
        }
      }
}

cpu::GemmArgs product(int64_t m, int64_t n, int64_t k, const void* a, int64_t a_row, int64_t a_col,
                      const void* b, int64_t b_row, int64_t b_col, void* c) {
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
  args.c_row = n;
  return args;
}

template <class T>
void forward(Stream& stream, const ConvShape& s, T* out, const T* x, const T* weight,
             const T* bias) {
  const Sizes sizes(s);
  stream.parallel_for(s.images, 1, [&](int64_t begin, int64_t end) {
    const Scratch column(stream, static_cast<size_t>(sizes.depth * sizes.places) * sizeof(T));
    for (int64_t i = begin; i < end; ++i)
      for (int64_t g = 0; g < s.groups; ++g) {
        unfold(s, x + (i * s.channels + g * sizes.channels) * s.height * s.width, sizes.channels,
               column.as<T>());
        T* to = out + (i * s.filters + g * sizes.filters) * sizes.places;
        run_gemm(stream, dtype_of<T>,
                 product(sizes.filters, sizes.places, sizes.depth,
                         weight + g * sizes.filters * sizes.depth, sizes.depth, 1, column.as<T>(),
                         sizes.places, 1, to));
        if (bias == nullptr) continue;
        for (int64_t f = 0; f < sizes.filters; ++f)
          for (int64_t p = 0; p < sizes.places; ++p)
            to[f * sizes.places + p] += bias[g * sizes.filters + f];
      }
  });
}

template <class T>
void backward_input(Stream& stream, const ConvShape& s, T* dx, const T* dy, const T* weight) {
  const Sizes sizes(s);
  stream.parallel_for(s.images, 1, [&](int64_t begin, int64_t end) {
    const Scratch column(stream, static_cast<size_t>(sizes.depth * sizes.places) * sizeof(T));
    for (int64_t i = begin; i < end; ++i)
      for (int64_t g = 0; g < s.groups; ++g) {
        T* image = dx + (i * s.channels + g * sizes.channels) * s.height * s.width;
        const T* from = dy + (i * s.filters + g * sizes.filters) * sizes.places;
        run_gemm(stream, dtype_of<T>,
                 product(sizes.depth, sizes.places, sizes.filters,
                         weight + g * sizes.filters * sizes.depth, 1, sizes.depth, from,
                         sizes.places, 1, column.as<T>()));
        std::fill_n(image, sizes.channels * s.height * s.width, T(0));
        fold(s, column.as<T>(), sizes.channels, image);
      }
  });
}

template <class T>
void backward_weight(Stream& stream, const ConvShape& s, T* dw, const T* dy, const T* x) {
  const Sizes sizes(s);
  const Scratch column(stream, static_cast<size_t>(sizes.depth * sizes.places) * sizeof(T));
  std::fill_n(dw, s.filters * sizes.depth, T(0));
  for (int64_t i = 0; i < s.images; ++i)
    for (int64_t g = 0; g < s.groups; ++g) {
      unfold(s, x + (i * s.channels + g * sizes.channels) * s.height * s.width, sizes.channels,
             column.as<T>());
      const T* from = dy + (i * s.filters + g * sizes.filters) * sizes.places;
      cpu::GemmArgs args =
          product(sizes.filters, sizes.depth, sizes.places, from, sizes.places, 1, column.as<T>(),
                  1, sizes.places, dw + g * sizes.filters * sizes.depth);
      args.accumulate = true;
      run_gemm(stream, dtype_of<T>, args);
    }
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
