#include "core/kernels/pool.h"

#include <limits>

#include "absl/container/inlined_vector.h"
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
    // The usual case: all windows lie inside and have one size.
    bool uniform = average != nullptr && divisor_ == 0;
    for (int d = 0; d < 3; ++d)
      for (const int32_t count : counts_[d]) uniform = uniform && count == s_.kernel[d];
    if (uniform) divisor_ = volume(s_.kernel);
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
  absl::InlinedVector<cpu::PoolTap, 8> taps_[3];
  absl::InlinedVector<int32_t, 32> counts_[3];
  int64_t divisor_;
};

int64_t window_start(int64_t at, int64_t out, int64_t in) { return at * in / out; }
int64_t window_end(int64_t at, int64_t out, int64_t in) { return ((at + 1) * in + out - 1) / out; }

template <class Kernel>
void run_windows(Stream& stream, const AdaptiveShape& s, DType dtype, const void* in,
                 int64_t in_plane, void* out, int64_t out_plane, int64_t* index,
                 const Kernel& kernel) {
  OA_REQUIRE(volume(s.size) < INT32_MAX, "pool: a plane of more than 2^31 values is not served");
  std::vector<int32_t> begins[3], ends[3];
  for (int d = 0; d < 3; ++d)
    for (int64_t i = 0; i < s.out[d]; ++i) {
      begins[d].push_back(static_cast<int32_t>(window_start(i, s.out[d], s.size[d])));
      ends[d].push_back(static_cast<int32_t>(window_end(i, s.out[d], s.size[d])));
    }
  const auto bytes = static_cast<int64_t>(size_of(dtype));
  stream.parallel_for(s.planes, std::max<int64_t>(kGrain / volume(s.size), 1),
                      [&](int64_t begin, int64_t end) {
                        cpu::WindowArgs args;
                        args.planes = end - begin;
                        for (int d = 0; d < 3; ++d) {
                          args.size[d] = s.size[d];
                          args.out_size[d] = s.out[d];
                          args.begin[d] = begins[d].data();
                          args.end[d] = ends[d].data();
                        }
                        args.in = static_cast<const char*>(in) + begin * in_plane * bytes;
                        args.out = static_cast<char*>(out) + begin * out_plane * bytes;
                        args.index = index == nullptr ? nullptr : index + begin * out_plane;
                        kernel(dtype, args);
                      });
}

template <class Body>
void each_plane(Stream& stream, int64_t planes, int64_t work, const Body& body) {
  stream.parallel_for(planes, std::max<int64_t>(kGrain / std::max<int64_t>(work, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t plane = begin; plane < end; ++plane) body(plane);
                      });
}

// The places of the windows of one axis for a sample u in [0, 1).
template <class T>
void draw_starts(int64_t size, int64_t kernel, int64_t out, T u, int64_t* starts) {
  if (out > 1) {
    const T alpha = static_cast<T>(size - kernel) / static_cast<T>(out - 1);
    const auto shift = static_cast<int64_t>(u * alpha);
    for (int64_t i = 0; i + 1 < out; ++i)
      starts[i] = static_cast<int64_t>((static_cast<T>(i) + u) * alpha) - shift;
  }
  starts[out - 1] = size - kernel;
}

// The largest value of the window at `first`: of equal ones the first, NaN wins.
template <class T>
int64_t largest_of(const FractionalShape& s, const T* plane, int64_t first) {
  int64_t where = first;
  for (int64_t z = 0; z < s.kernel[0]; ++z)
    for (int64_t y = 0; y < s.kernel[1]; ++y) {
      const int64_t row = first + (z * s.size[1] + y) * s.size[2];
      for (int64_t i = row; i < row + s.kernel[2]; ++i)
        where = plane[i] > plane[where] || plane[i] != plane[i] ? i : where;
    }
  return where;
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
  if (out.numel() == 0) return;
  run_windows(stream, s, x.dtype(), x.data_ptr(), volume(s.size), out.data_ptr(), volume(s.out),
              nullptr,
              [](DType dtype, const cpu::WindowArgs& args) { cpu::window_average(dtype, args); });
}

void run_adaptive_avg_pool_backward(Stream& stream, const AdaptiveShape& s, const Tensor& dx,
                                    const Tensor& dy) {
  if (dx.numel() == 0) return;
  run_windows(
      stream, s, dx.dtype(), dy.data_ptr(), volume(s.out), dx.data_ptr(), volume(s.size), nullptr,
      [](DType dtype, const cpu::WindowArgs& args) { cpu::window_average_backward(dtype, args); });
}

void run_adaptive_max_pool(Stream& stream, const AdaptiveShape& s, const Tensor& out,
                           const Tensor& index, const Tensor& x) {
  if (out.numel() == 0) return;
  run_windows(stream, s, x.dtype(), x.data_ptr(), volume(s.size), out.data_ptr(), volume(s.out),
              index.data_ptr<int64_t>(),
              [](DType dtype, const cpu::WindowArgs& args) { cpu::window_max(dtype, args); });
}

void run_fractional_max_pool(Stream& stream, const FractionalShape& s, const Tensor& out,
                             const Tensor& index, const Tensor& x, const Tensor& samples) {
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const int64_t work = volume(s.out) * volume(s.kernel);
    stream.parallel_for(
        s.planes, std::max<int64_t>(kGrain / work, 1), [&](int64_t begin, int64_t end) {
          std::vector<int64_t> starts[3];
          for (int d = 0; d < 3; ++d) starts[d].assign(static_cast<size_t>(s.out[d]), 0);
          for (int64_t plane = begin; plane < end; ++plane) {
            const T* sample = samples.data_ptr<T>() + plane * s.dims;
            for (int axis = 0; axis < s.dims; ++axis) {
              const int d = 3 - s.dims + axis;
              draw_starts(s.size[d], s.kernel[d], s.out[d],
                          sample[s.width_first ? s.dims - 1 - axis : axis], starts[d].data());
            }
            const T* from = x.data_ptr<T>() + plane * volume(s.size);
            T* values = out.data_ptr<T>() + plane * volume(s.out);
            int64_t* places = index.data_ptr<int64_t>() + plane * volume(s.out);
            for (const int64_t z : starts[0])
              for (const int64_t y : starts[1])
                for (const int64_t w : starts[2]) {
                  const int64_t where = largest_of(s, from, (z * s.size[1] + y) * s.size[2] + w);
                  *values++ = from[where];
                  *places++ = where;
                }
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
