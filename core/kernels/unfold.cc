#include "core/kernels/unfold.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

// Windows first..last-1 of an axis have tap k inside the image; that of `first` is at `start`.
struct Range {
  int64_t first, last, start;
  Range(const UnfoldShape& s, int axis, int64_t k) {
    const int64_t shift = k * s.dilation[axis] - s.padding[axis], stride = s.stride[axis];
    const int64_t room = s.size[axis] - 1 - shift;
    first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    last = std::min(room < 0 ? 0 : room / stride + 1, s.windows[axis]);
    first = std::min(first, last);
    start = first * stride + shift;
  }
};

// Calls body(row of columns [windows], plane of the image, taps of both axes).
template <class Body>
void each_row(Stream& stream, const UnfoldShape& s, const Body& body) {
  const int64_t taps = s.kernel[0] * s.kernel[1], row = s.windows[0] * s.windows[1];
  const int64_t planes = s.images * s.channels;
  stream.parallel_for(planes, std::max<int64_t>(kGrain / std::max<int64_t>(taps * row, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t plane = begin; plane < end; ++plane)
                          for (int64_t tap = 0; tap < taps; ++tap)
                            body((plane * taps + tap) * row, plane * s.size[0] * s.size[1],
                                 Range(s, 0, tap / s.kernel[1]), Range(s, 1, tap % s.kernel[1]));
                      });
}

}  // namespace

void run_unfold(Stream& stream, const UnfoldShape& s, const Tensor& columns, const Tensor& images) {
  with_any(columns.dtype(), [&]<class T>(Type<T>) {
    const T* from = static_cast<const T*>(images.data_ptr());
    T* to = static_cast<T*>(columns.data_ptr());
    each_row(stream, s, [&](int64_t row, int64_t plane, const Range& y, const Range& x) {
      const int64_t width = s.windows[1];
      std::fill_n(to + row, y.first * width, T());
      for (int64_t oy = y.first; oy < y.last; ++oy) {
        T* out = to + row + oy * width;
        const T* in = from + plane + (y.start + (oy - y.first) * s.stride[0]) * s.size[1] + x.start;
        std::fill_n(out, x.first, T());
        if (s.stride[1] == 1)
          std::copy_n(in, x.last - x.first, out + x.first);
        else
          for (int64_t i = 0; i < x.last - x.first; ++i) out[x.first + i] = in[i * s.stride[1]];
        std::fill_n(out + x.last, width - x.last, T());
      }
      std::fill_n(to + row + y.last * width, (s.windows[0] - y.last) * width, T());
    });
  });
}

void run_fold(Stream& stream, const UnfoldShape& s, const Tensor& images, const Tensor& columns) {
  with_floating(images.dtype(), [&]<class T>(Type<T>) {
    const T* from = columns.data_ptr<T>();
    T* to = images.data_ptr<T>();
    const int64_t plane_size = s.size[0] * s.size[1], taps = s.kernel[0] * s.kernel[1];
    const int64_t columns_of_plane = taps * s.windows[0] * s.windows[1];
    each_row(stream, s, [&](int64_t row, int64_t plane, const Range& y, const Range& x) {
      if (row % columns_of_plane == 0) std::fill_n(to + plane, plane_size, T(0));
      for (int64_t oy = y.first; oy < y.last; ++oy) {
        const T* in = from + row + oy * s.windows[1] + x.first;
        T* out = to + plane + (y.start + (oy - y.first) * s.stride[0]) * s.size[1] + x.start;
        const int64_t count = x.last - x.first, step = s.stride[1];
        if (step == 1) {
#pragma GCC ivdep
          for (int64_t i = 0; i < count; ++i) out[i] += in[i];
        } else {
          for (int64_t i = 0; i < count; ++i) out[i * step] += in[i];
        }
      }
    });
  });
}

}  // namespace oneagent
