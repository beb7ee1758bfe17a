#include "core/kernels/resample.h"

#include <cmath>

#include "core/kernels/cpu/resample.h"
#include "core/kernels/scratch.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// Indices and weights of one axis, [to][taps]. Numbers are of the tensor's type, as PyTorch's.
template <class T>
struct AxisTaps {
  int taps = 1;
  std::vector<int32_t> index;
  std::vector<T> weight;

  void add(int64_t at, int64_t size, T value) {
    index.push_back(static_cast<int32_t>(std::clamp<int64_t>(at, 0, size - 1)));
    weight.push_back(value);
  }
  void transpose(int64_t to) {
    std::vector<int32_t> indices(index.size());
    std::vector<T> weights(weight.size());
    for (size_t i = 0; i < index.size(); ++i) {
      const size_t at =
          i % static_cast<size_t>(taps) * static_cast<size_t>(to) + i / static_cast<size_t>(taps);
      indices[at] = index[i];
      weights[at] = weight[i];
    }
    index = std::move(indices);
    weight = std::move(weights);
  }
};

template <class T>
T step_of(const ResampleShape& s, int d) {
  if (s.align_corners)
    return s.to[d] > 1 ? static_cast<T>(s.from[d] - 1) / static_cast<T>(s.to[d] - 1) : T(0);
  if (s.scale[d] > 0) return static_cast<T>(1.0 / s.scale[d]);
  return static_cast<T>(s.from[d]) / static_cast<T>(s.to[d]);
}

// The operand's coordinate under result i.
template <class T>
T place_of(const ResampleShape& s, T step, int64_t i) {
  const auto at = static_cast<T>(i);
  return s.align_corners ? step * at : step * (at + T(0.5)) - T(0.5);
}

template <class T>
T cubic(T x, T a) {  // of a distance
  x = std::abs(x);
  if (x < T(1)) return ((a + T(2)) * x - (a + T(3))) * x * x + T(1);
  return x < T(2) ? (((x - T(5)) * x + T(8)) * x - T(4)) * a : T(0);
}

template <class T>
void add_nearest(const ResampleShape& s, int d, AxisTaps<T>& out) {
  const T step = step_of<T>(s, d);
  for (int64_t i = 0; i < s.to[d]; ++i) {
    const auto at = static_cast<T>(i);
    const T place = s.mode == Interpolation::kNearest
                        ? step * at
                        : std::max(step * (at + T(0.5)) - T(0.5), T(0)) + T(0.5);
    out.add(static_cast<int64_t>(std::floor(static_cast<float>(place))), s.from[d], T(1));
  }
}

template <class T>
void add_linear(const ResampleShape& s, int d, AxisTaps<T>& out) {
  out.taps = 2;
  const T step = step_of<T>(s, d);
  for (int64_t i = 0; i < s.to[d]; ++i) {
    if (s.from[d] == s.to[d]) {
      out.add(i, s.from[d], T(1));
      out.add(i, s.from[d], T(0));
      continue;
    }
    const T place = std::max(place_of(s, step, i), T(0));
    const int64_t first = std::min(static_cast<int64_t>(place), s.from[d] - 1);
    const T second = std::clamp(place - static_cast<T>(first), T(0), T(1));
    out.add(first, s.from[d], T(1) - second);
    out.add(first + 1, s.from[d], second);
  }
}

template <class T>
void add_cubic(const ResampleShape& s, int d, AxisTaps<T>& out) {
  out.taps = 4;
  const T step = step_of<T>(s, d);
  for (int64_t i = 0; i < s.to[d]; ++i) {
    const T place = place_of(s, step, i);
    const int64_t first = std::min(static_cast<int64_t>(std::floor(place)), s.from[d] - 1);
    const T part = std::clamp(place - static_cast<T>(first), T(0), T(1));
    for (int64_t k = -1; k < 3; ++k)
      out.add(first + k, s.from[d], cubic(part - static_cast<T>(k), T(-0.75)));
  }
}

// Filters as wide as the step; weights are normalised.
template <class T>
void add_smooth(const ResampleShape& s, int d, AxisTaps<T>& out) {
  const bool is_cubic = s.mode == Interpolation::kCubicSmooth;
  const T step = step_of<T>(s, d), width = is_cubic ? T(4) : T(2);
  const T support = step >= T(1) ? width * T(0.5) * step : width * T(0.5);
  const T squeeze = step >= T(1) ? T(1) / step : T(1);
  out.taps = static_cast<int>(std::ceil(support)) * 2 + 1;
  for (int64_t i = 0; i < s.to[d]; ++i) {
    const T centre = step * (static_cast<T>(i) + T(0.5));
    const int64_t first = std::max(static_cast<int64_t>(centre - support + T(0.5)), int64_t{0});
    const int64_t count =
        std::min(static_cast<int64_t>(centre + support + T(0.5)), s.from[d]) - first;
    std::vector<T> weights;
    T total = T(0);
    for (int64_t k = 0; k < count; ++k) {
      const T x = (static_cast<T>(k + first) - centre + T(0.5)) * squeeze;
      weights.push_back(is_cubic ? cubic(x, T(-0.5)) : std::max(T(1) - std::abs(x), T(0)));
      total += weights.back();
    }
    for (int64_t k = 0; k < out.taps; ++k)
      out.add(first + k, s.from[d],
              k >= count      ? T(0)
              : total == T(0) ? T(0)
                              : weights[static_cast<size_t>(k)] / total);
  }
}

template <class T>
AxisTaps<T> taps_of(const ResampleShape& s, int d) {
  AxisTaps<T> out;
  if (s.from[d] == 1 && s.to[d] == 1) {  // an axis that the tensor does not have
    out.add(0, 1, T(1));
    return out;
  }
  switch (s.mode) {
    case Interpolation::kNearest:
    case Interpolation::kNearestExact:
      add_nearest(s, d, out);
      break;
    case Interpolation::kLinear:
      add_linear(s, d, out);
      break;
    case Interpolation::kCubic:
      add_cubic(s, d, out);
      break;
    default:
      add_smooth(s, d, out);
  }
  if (d == 2) out.transpose(s.to[d]);
  return out;
}

// See ResampleArgs::near.
template <class T>
std::vector<uint8_t> near_taps(const AxisTaps<T>& axis, int64_t from, int64_t to) {
  std::vector<uint8_t> out;
  if (sizeof(T) != 4) return out;
  bool any = false;
  for (int64_t x = 0; x + 8 <= to; x += 8) {
    bool near = true;
    for (int k = 0; k < axis.taps; ++k) {
      const int32_t* first = axis.index.data() + x;
      const int32_t* index = first + k * to;
      near = near && index[0] + 8 <= from;
      for (int i = 0; i < 8; ++i)
        near = near && index[i] - index[0] == first[i] - first[0] && first[i] >= first[0] &&
               first[i] - first[0] < 8;
    }
    out.push_back(near ? 1 : 0);
    any = any || near;
  }
  return any ? out : std::vector<uint8_t>();
}

// `in` and `out` with planes of so many values.
template <class T, class Kernel>
void run(Stream& stream, const ResampleShape& s, const Tensor& in, int64_t in_plane,
         const Tensor& out, int64_t out_plane, const Kernel& kernel) {
  if (out.numel() == 0) return;
  OA_REQUIRE(volume(s.from) < INT32_MAX && volume(s.to) < INT32_MAX,
             "upsample: planes of more than 2^31 values are not served");
  const AxisTaps<T> axes[3] = {taps_of<T>(s, 0), taps_of<T>(s, 1), taps_of<T>(s, 2)};
  const std::vector<uint8_t> near = near_taps(axes[2], s.from[2], s.to[2]);
  const auto element = static_cast<int64_t>(in.element_size());
  const int64_t rows = s.from[0] * s.from[1];
  stream.parallel_for(
      s.planes, std::max<int64_t>(kGrain / (in_plane + out_plane), 1),
      [&](int64_t begin, int64_t end) {
        const Scratch scratch(stream, static_cast<size_t>(rows * s.to[2]) * sizeof(T));
        const Scratch made(stream, static_cast<size_t>(rows));
        cpu::ResampleArgs args;
        args.planes = end - begin;
        for (int d = 0; d < 3; ++d) {
          args.from[d] = s.from[d];
          args.to[d] = s.to[d];
          args.taps[d] = axes[d].taps;
          args.index[d] = axes[d].index.data();
          args.weight[d] = axes[d].weight.data();
        }
        args.in = static_cast<const char*>(in.data_ptr()) + begin * in_plane * element;
        args.out = static_cast<char*>(out.data_ptr()) + begin * out_plane * element;
        args.near = near.empty() ? nullptr : near.data();
        args.rows = scratch.as<T>();
        args.made = made.as<uint8_t>();
        kernel(in.dtype(), args);
      });
}

bool is_nearest(const ResampleShape& s) {
  return s.mode == Interpolation::kNearest || s.mode == Interpolation::kNearestExact;
}

}  // namespace

void run_resample(Stream& stream, const ResampleShape& s, const Tensor& out, const Tensor& in) {
  const auto nearest = [](DType dtype, const cpu::ResampleArgs& args) {
    cpu::resample_nearest(dtype, args);
  };
  const auto weighted = [](DType dtype, const cpu::ResampleArgs& args) {
    cpu::resample(dtype, args);
  };
  const auto run_as = [&]<class T>(Type<T>) {
    if (is_nearest(s))
      run<T>(stream, s, in, volume(s.from), out, volume(s.to), nearest);
    else
      run<T>(stream, s, in, volume(s.from), out, volume(s.to), weighted);
  };
  if (!with_floating(in.dtype(), run_as)) run_as(Type<float>());
}

void run_resample_backward(Stream& stream, const ResampleShape& s, const Tensor& dx,
                           const Tensor& dy) {
  with_floating(dx.dtype(), [&]<class T>(Type<T>) {
    run<T>(stream, s, dy, volume(s.to), dx, volume(s.from),
           [](DType dtype, const cpu::ResampleArgs& args) { cpu::resample_backward(dtype, args); });
  });
}

}  // namespace oneagent
