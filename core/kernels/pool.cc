#include "core/kernels/pool.h"

#include <limits>

#include "core/kernels/cpu/pool.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// A call on some of the planes, with its tables of taps.
class PoolCall {
 public:
  PoolCall(const PoolShape& shape, const AverageOptions* average) : s_(shape) {
    OA_REQUIRE(volume(s_.size) < INT32_MAX, "pool: a plane of more than 2^31 values is not served");
    for (int d = 0; d < 3; ++d) {
      for (int64_t k = 0; k < s_.kernel[d]; ++k) taps_[d].push_back(tap(d, k));
      if (average != nullptr && average->divisor == 0)
        for (int64_t at = 0; at < s_.out[d]; ++at)
          counts_[d].push_back(count(d, at, average->count_include_pad));
    }
    divisor_ = average == nullptr ? 0 : average->divisor;
  }

  template <class Kernel>
  void run(Stream& stream, DType dtype, const void* in, int64_t in_plane, void* out,
           int64_t out_plane, int64_t* index, const Kernel& kernel) const {
    const auto bytes = static_cast<int64_t>(size_of(dtype));
    const int64_t work = volume(s_.out) * volume(s_.kernel);
    stream.parallel_for(s_.planes, std::max<int64_t>(kGrain / std::max<int64_t>(work, 1), 1),
                        [&](int64_t begin, int64_t end) {
                          cpu::PoolArgs args;
                          args.planes = end - begin;
                          for (int d = 0; d < 3; ++d) {
                            args.size[d] = s_.size[d];
                            args.kernel[d] = s_.kernel[d];
                            args.stride[d] = s_.stride[d];
                            args.out_size[d] = s_.out[d];
                            args.taps[d] = taps_[d].data();
                            args.counts[d] = counts_[d].data();
                          }
                          args.divisor = divisor_;
                          args.in = static_cast<const char*>(in) + begin * in_plane * bytes;
                          args.out = static_cast<char*>(out) + begin * out_plane * bytes;
                          args.index = index == nullptr ? nullptr : index + begin * out_plane;
                          OA_REQUIRE(kernel(dtype, args), "pool: has no meaning for ",
                                     name_of(dtype));
                        });
  }

 private:
  cpu::PoolTap tap(int d, int64_t k) const {
    const int64_t shift = k * s_.dilation[d] - s_.padding[d], stride = s_.stride[d];
    int64_t first = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
    const int64_t room = s_.size[d] - 1 - shift;
    const int64_t last = std::min(room < 0 ? 0 : room / stride + 1, s_.out[d]);
    first = std::min(first, last);
    return {static_cast<int32_t>(first), static_cast<int32_t>(last),
            static_cast<int32_t>(first * stride + shift)};
  }
  int32_t count(int d, int64_t at, bool include_pad) const {
    int64_t start = at * s_.stride[d] - s_.padding[d];
    int64_t end = std::min(start + s_.kernel[d], s_.size[d] + s_.padding[d]);
    const bool outside = std::min(end, s_.size[d]) <= std::max<int64_t>(start, 0);
    if (outside) return 0;
    if (!include_pad) start = std::max<int64_t>(start, 0), end = std::min(end, s_.size[d]);
    return static_cast<int32_t>(end - start);
  }

  const PoolShape& s_;
  std::vector<cpu::PoolTap> taps_[3];
  std::vector<int32_t> counts_[3];
  int64_t divisor_;
};

int64_t window_start(int64_t at, int64_t out, int64_t in) { return at * in / out; }
int64_t window_end(int64_t at, int64_t out, int64_t in) { return ((at + 1) * in + out - 1) / out; }

// Calls body(place of the result, begin[3], end[3]) for the windows of a plane.
template <class Body>
void each_window(const AdaptiveShape& s, const Body& body) {
  int64_t at = 0, begin[3], end[3];
  for (int64_t z = 0; z < s.out[0]; ++z)
    for (int64_t y = 0; y < s.out[1]; ++y)
      for (int64_t x = 0; x < s.out[2]; ++x) {
        const int64_t place[3] = {z, y, x};
        for (int d = 0; d < 3; ++d) {
          begin[d] = window_start(place[d], s.out[d], s.size[d]);
          end[d] = window_end(place[d], s.out[d], s.size[d]);
        }
        body(at++, begin, end);
      }
}

// Calls body(first value, count) for the rows of a window.
template <class Body>
void each_run(const int64_t* size, const int64_t* begin, const int64_t* end, const Body& body) {
  for (int64_t z = begin[0]; z < end[0]; ++z)
    for (int64_t y = begin[1]; y < end[1]; ++y)
      body((z * size[1] + y) * size[2] + begin[2], end[2] - begin[2]);
}

template <class Body>
void each_plane(Stream& stream, int64_t planes, int64_t work, const Body& body) {
  stream.parallel_for(planes, std::max<int64_t>(kGrain / std::max<int64_t>(work, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t plane = begin; plane < end; ++plane) body(plane);
                      });
}

// A sum in 16 lanes, whatever the instruction set.
template <class T>
T lane_sum(const T* x, int64_t count) {
  constexpr int kLanes = 16;
  T lanes[kLanes] = {};
  int64_t at = 0;
  for (; at + kLanes <= count; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] += x[at + i];
  for (int i = 0; at < count; ++at, ++i) lanes[i] += x[at];
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

// Whether a later value of a window takes the place of the largest so far.
template <class T>
bool better(T value, T best) {
  return value > best || value != value;
}

template <class T>
void largest_of_runs(const int64_t* size, const int64_t* begin, const int64_t* end, const T* x,
                     T* out, int64_t* index) {
  bool first = true;
  T best = T(0);
  int64_t where = 0;
  each_run(size, begin, end, [&](int64_t at, int64_t count) {
    for (int64_t i = at; i < at + count; ++i)
      if (first || better(x[i], best)) {
        first = false;
        best = x[i];
        where = i;
      }
  });
  *out = best;
  *index = where;
}

}  // namespace

void run_max_pool(Stream& stream, const PoolShape& shape, const Tensor& out, const Tensor& index,
                  const Tensor& x) {
  PoolCall(shape, nullptr)
      .run(stream, out.dtype(), x.data_ptr(), volume(shape.size), out.data_ptr(), volume(shape.out),
           index.defined() ? index.data_ptr<int64_t>() : nullptr,
           [](DType dtype, const cpu::PoolArgs& args) { return cpu::max_pool(dtype, args); });
}

void run_avg_pool(Stream& stream, const PoolShape& shape, const AverageOptions& options,
                  const Tensor& out, const Tensor& x) {
  PoolCall(shape, &options)
      .run(stream, out.dtype(), x.data_ptr(), volume(shape.size), out.data_ptr(), volume(shape.out),
           nullptr,
           [](DType dtype, const cpu::PoolArgs& args) { return cpu::avg_pool(dtype, args); });
}

void run_avg_pool_backward(Stream& stream, const PoolShape& shape, const AverageOptions& options,
                           const Tensor& dx, const Tensor& dy) {
  PoolCall(shape, &options)
      .run(stream, dx.dtype(), dy.data_ptr(), volume(shape.out), dx.data_ptr(), volume(shape.size),
           nullptr, [](DType dtype, const cpu::PoolArgs& args) {
             return cpu::avg_pool_backward(dtype, args);
           });
}

void run_adaptive_avg_pool(Stream& stream, const AdaptiveShape& s, const Tensor& out,
                           const Tensor& x) {
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    each_plane(stream, s.planes, volume(s.size), [&](int64_t plane) {
      const T* from = x.data_ptr<T>() + plane * volume(s.size);
      T* to = out.data_ptr<T>() + plane * volume(s.out);
      if (volume(s.out) == 1) {
        *to = lane_sum(from, volume(s.size)) / static_cast<T>(volume(s.size));
        return;
      }
      each_window(s, [&](int64_t at, const int64_t* begin, const int64_t* end) {
        T sum = T(0);
        each_run(s.size, begin, end, [&](int64_t first, int64_t count) {
          for (int64_t i = first; i < first + count; ++i) sum += from[i];
        });
        const int64_t count = (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
        to[at] = sum / static_cast<T>(count);
      });
    });
  });
}

void run_adaptive_avg_pool_backward(Stream& stream, const AdaptiveShape& s, const Tensor& dx,
                                    const Tensor& dy) {
  with_floating(dx.dtype(), [&]<class T>(Type<T>) {
    each_plane(stream, s.planes, volume(s.size), [&](int64_t plane) {
      T* to = dx.data_ptr<T>() + plane * volume(s.size);
      const T* from = dy.data_ptr<T>() + plane * volume(s.out);
      std::fill_n(to, volume(s.size), T(0));
      each_window(s, [&](int64_t at, const int64_t* begin, const int64_t* end) {
        const int64_t count = (end[0] - begin[0]) * (end[1] - begin[1]) * (end[2] - begin[2]);
        const T share = from[at] / static_cast<T>(count);
        each_run(s.size, begin, end, [&](int64_t first, int64_t run) {
          for (int64_t i = first; i < first + run; ++i) to[i] += share;
        });
      });
    });
  });
}

void run_adaptive_max_pool(Stream& stream, const AdaptiveShape& s, const Tensor& out,
                           const Tensor& index, const Tensor& x) {
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    each_plane(stream, s.planes, volume(s.size), [&](int64_t plane) {
      const T* from = x.data_ptr<T>() + plane * volume(s.size);
      T* to = out.data_ptr<T>() + plane * volume(s.out);
      int64_t* where = index.data_ptr<int64_t>() + plane * volume(s.out);
      each_window(s, [&](int64_t at, const int64_t* begin, const int64_t* end) {
        largest_of_runs(s.size, begin, end, from, to + at, where + at);
      });
    });
  });
}

void run_fractional_max_pool(Stream& stream, const FractionalShape& s, const Tensor& out,
                             const Tensor& index, const Tensor& x, const Tensor& samples) {
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    each_plane(stream, s.planes, volume(s.out) * volume(s.kernel), [&](int64_t plane) {
      const T* sample = samples.data_ptr<T>() + plane * s.dims;
      std::vector<int64_t> starts[3];
      for (int d = 0; d < 3; ++d) {
        starts[d].assign(static_cast<size_t>(s.out[d]), 0);
        if (d < 3 - s.dims) continue;
        const int axis = d - (3 - s.dims);
        const T u = sample[s.width_first ? s.dims - 1 - axis : axis];
        if (s.out[d] > 1) {
          const T alpha = static_cast<T>(s.size[d] - s.kernel[d]) / static_cast<T>(s.out[d] - 1);
          for (int64_t i = 0; i + 1 < s.out[d]; ++i)
            starts[d][static_cast<size_t>(i)] =
                static_cast<int64_t>((static_cast<T>(i) + u) * alpha) -
                static_cast<int64_t>(u * alpha);
        }
        if (s.out[d] > 0) starts[d].back() = s.size[d] - s.kernel[d];
      }
      const T* from = x.data_ptr<T>() + plane * volume(s.size);
      int64_t at = plane * volume(s.out);
      for (const int64_t z : starts[0])
        for (const int64_t y : starts[1])
          for (const int64_t w : starts[2]) {
            const int64_t begin[3] = {z, y, w};
            const int64_t end[3] = {z + s.kernel[0], y + s.kernel[1], w + s.kernel[2]};
            largest_of_runs(s.size, begin, end, from, out.data_ptr<T>() + at,
                            index.data_ptr<int64_t>() + at);
            ++at;
          }
    });
  });
}

void run_plane_scatter(Stream& stream, const char* op, int64_t planes, const Tensor& to,
                       const Tensor& index, const Tensor& from, bool add) {
  if (planes == 0 || to.numel() == 0) return;
  const int64_t size = to.numel() / planes, count = from.numel() / planes;
  const bool known = with_number_or_bool(to.dtype(), [&]<class T>(Type<T>) {
    each_plane(stream, planes, size + count, [&](int64_t plane) {
      T* out = static_cast<T*>(to.data_ptr()) + plane * size;
      const T* in = static_cast<const T*>(from.data_ptr()) + plane * count;
      const int64_t* where = index.data_ptr<int64_t>() + plane * count;
      std::fill_n(out, size, T(0));
      for (int64_t i = 0; i < count; ++i) {
        OA_REQUIRE(where[i] >= 0 && where[i] < size, op, ": indices must be in 0 .. ", size - 1,
                   ", was ", where[i]);
        out[where[i]] = static_cast<T>((add ? out[where[i]] : T(0)) + in[i]);
      }
    });
  });
  OA_REQUIRE(known, op, ": has no meaning for ", name_of(to.dtype()));
}

}  // namespace oneagent
