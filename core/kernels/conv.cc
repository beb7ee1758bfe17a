#include "core/kernels/conv.h"

#include <algorithm>
#include <numeric>

#include "core/kernels/conv_plane.h"
#include "core/kernels/cpu/conv.h"
#include "core/kernels/scratch.h"

namespace oneagent {
namespace {

constexpr int64_t kWorkOfChunk = 1 << 20;  // multiply-adds that are worth another thread
constexpr int64_t kBlockBytes = 3 << 17;   // of images that are taken together

int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// Coordinates of a result along one axis that are sums over the same taps of the kernel. `from` is
// the operand's coordinate at the first tap; each further one moves it by Axis::move.
struct AxisClass {
  int64_t first_tap, taps;
  std::vector<int64_t> at, from;
};

struct Axis {
  int64_t tap_step = 1, move = 1;
  std::vector<AxisClass> classes;

  void add(int64_t at, int64_t from, int64_t first_tap, int64_t taps) {
    if (taps <= 0) first_tap = taps = 0;
    auto it = std::find_if(classes.begin(), classes.end(), [&](const AxisClass& c) {
      return c.first_tap == first_tap && c.taps == taps;
    });
    if (it == classes.end()) it = classes.insert(it, {first_tap, taps, {}, {}});
    it->at.push_back(at);
    it->from.push_back(from);
  }
};

Axis forward_axis(const ConvShape& s, int d) {
  Axis axis;
  axis.move = s.dilation[d];
  for (int64_t at = 0; at < s.out[d]; ++at) {
    const int64_t start = at * s.stride[d] - s.padding[d];
    const int64_t first = start >= 0 ? 0 : (-start + s.dilation[d] - 1) / s.dilation[d];
    const int64_t room = s.size[d] - 1 - start;
    const int64_t last = room < 0 ? -1 : std::min(s.kernel[d] - 1, room / s.dilation[d]);
    axis.add(at, start + first * s.dilation[d], first, last - first + 1);
  }
  return axis;
}

// Of the gradient of x: tap k of place `at` reads (at + padding - k dilation) / stride of dy.
Axis backward_axis(const ConvShape& s, int d) {
  Axis axis;
  const int64_t common = std::gcd(s.stride[d], s.dilation[d]);
  axis.tap_step = s.stride[d] / common;
  axis.move = -s.dilation[d] / common;
  for (int64_t at = 0; at < s.size[d]; ++at) {
    int64_t first = 0, taps = 0, from = 0;
    for (int64_t k = 0; k < s.kernel[d]; ++k) {
      const int64_t scaled = at + s.padding[d] - k * s.dilation[d];
      if (scaled < 0) break;
      if (scaled % s.stride[d] != 0 || scaled / s.stride[d] >= s.out[d]) continue;
      if (taps++ == 0) first = k, from = scaled / s.stride[d];
    }
    axis.add(at, from, first, taps);
  }
  return axis;
}

// Operand and result of one direction; channels are those of one group.
struct Direction {
  int64_t images, groups, from_channels, to_channels;
  const int64_t *from_size, *to_size, *kernel;
  Axis axes[3];
  bool packs_tiles = false;

  void decide(bool neighbours, size_t element) {  // places of a row are neighbours in the operand
    const int64_t plane = volume(from_size) * static_cast<int64_t>(element);
    packs_tiles = volume(kernel) == 1 && from_channels >= 32 && (neighbours || plane % 512 == 0);
  }
};

// Panels of weights: [group][panel][step][width], steps being (channel, tap) in order.
template <class T>
class Panels {
 public:
  Panels(Stream& stream, const Direction& d)
      : width(cpu::conv_width(dtype_of<T>, d.to_channels)),
        count((d.to_channels + width - 1) / width),
        steps(d.from_channels * volume(d.kernel)),
        block_(stream, static_cast<size_t>(d.groups * count * steps * width) * sizeof(T)) {}

  const T* at(int64_t group, int64_t panel) const {
    return block_.as<T>() + (group * count + panel) * steps * width;
  }

  // Filters are the lanes.
  void pack_forward(const Direction& d, const T* weight) {
    for (int64_t g = 0; g < d.groups; ++g)
      for (int64_t p = 0; p < count; ++p) {
        const int64_t rows = std::min(width, d.to_channels - p * width);
        pack(weight + (g * d.to_channels + p * width) * steps, steps, rows, steps,
             mutable_at(g, p));
      }
  }
  // Channels are the lanes, filters the steps.
  void pack_backward(const Direction& d, const T* weight) {
    const int64_t taps = volume(d.kernel);
    for (int64_t g = 0; g < d.groups; ++g)
      for (int64_t p = 0; p < count; ++p)
        for (int64_t f = 0; f < d.from_channels; ++f) {
          const int64_t rows = std::min(width, d.to_channels - p * width);
          pack(weight + ((g * d.from_channels + f) * d.to_channels + p * width) * taps, taps, rows,
               taps, mutable_at(g, p) + f * taps * width);
        }
  }

  const int64_t width, count, steps;

 private:
  T* mutable_at(int64_t group, int64_t panel) const { return const_cast<T*>(at(group, panel)); }
  void pack(const T* from, int64_t from_row, int64_t rows, int64_t columns, T* to) const {
    cpu::conv_pack(dtype_of<T>, {from, from_row, rows, columns, to, width});
  }
  Scratch block_;
};

// Places of one image that are sums over the same taps, and those taps as steps.
struct PlaceClass {
  std::vector<int64_t> at, from;
  std::vector<cpu::ConvStep> steps;
};

PlaceClass place_class(const Direction& d, const AxisClass& z, const AxisClass& y,
                       const AxisClass& x, int64_t width) {
  PlaceClass out;
  const int64_t places = static_cast<int64_t>(z.at.size() * y.at.size() * x.at.size());
  out.at.reserve(static_cast<size_t>(places));
  out.from.reserve(static_cast<size_t>(places));
  for (size_t i = 0; i < z.at.size(); ++i)
    for (size_t j = 0; j < y.at.size(); ++j) {
      const int64_t at = (z.at[i] * d.to_size[1] + y.at[j]) * d.to_size[2],
                    from = (z.from[i] * d.from_size[1] + y.from[j]) * d.from_size[2];
      for (size_t k = 0; k < x.at.size(); ++k) {
        out.at.push_back(at + x.at[k]);
        out.from.push_back(from + x.from[k]);
      }
    }
  out.steps.reserve(static_cast<size_t>(d.from_channels * z.taps * y.taps * x.taps));
  for (int64_t c = 0; c < d.from_channels; ++c)
    for (int64_t i = 0; i < z.taps; ++i)
      for (int64_t j = 0; j < y.taps; ++j)
        for (int64_t k = 0; k < x.taps; ++k) {
          const int64_t kz = z.first_tap + i * d.axes[0].tap_step,
                        ky = y.first_tap + j * d.axes[1].tap_step,
                        kx = x.first_tap + k * d.axes[2].tap_step;
          const int64_t from =
              ((c * d.from_size[0] + i * d.axes[0].move) * d.from_size[1] + j * d.axes[1].move) *
                  d.from_size[2] +
              k * d.axes[2].move;
          const int64_t tap = ((c * d.kernel[0] + kz) * d.kernel[1] + ky) * d.kernel[2] + kx;
          out.steps.push_back({static_cast<int32_t>(from), static_cast<int32_t>(tap * width)});
        }
  return out;
}

// The values of a tile, channels side by side: with one tap every step reads another plane, and of
// planes that lie a power of two apart few lines stay in cache.
template <class T>
struct PackedTile {
  T* values = nullptr;  // [kConvTile, groups * from_channels]
  const cpu::ConvStep* steps = nullptr;
};

template <class T>
void pack_tile(const Direction& d, const int64_t* places, int64_t count, const T* from, T* to) {
  const int64_t plane = volume(d.from_size), channels = d.groups * d.from_channels;
  for (int64_t i = 0; i < count;) {
    int64_t run = 1;
    while (i + run < count && places[i + run] == places[i] + run) ++run;
    cpu::conv_pack(dtype_of<T>,
                   {from + places[i], plane, channels, run, to + i * channels, channels});
    i += run;
  }
}

// Places of one class, begin..end-1 of all images one behind the other.
struct Tile {
  const PlaceClass* places;
  int64_t begin, end;
};

// Panel p of group g of sums; `store` has the sums and their places.
template <class T>
void store_sums(const Direction& d, const Panels<T>& panels, int64_t g, int64_t p,
                cpu::ConvStore store, T* to, const T* bias) {
  const int64_t first = g * d.to_channels + p * panels.width, plane = volume(d.to_size);
  store.out = to + first * plane;
  store.filter_row = plane;
  store.filters = std::min(panels.width, d.to_channels - p * panels.width);
  store.bias = bias == nullptr ? nullptr : bias + first;
  cpu::conv_store(dtype_of<T>, store);
}

// Sums of a few whole images, places one behind the other, all channels of a place side by side.
// Where places of one class lie apart, these are put together before they are written as planes.
template <class T>
struct PlacedSums {
  T* values = nullptr;  // [images, places of the result, lanes]; null: not wanted
  int64_t lanes = 0, first_image = 0;
};

template <class T>
void run_tile(const Direction& d, const Panels<T>& panels, const Tile& tile_places, const T* from,
              T* to, const T* bias, const PackedTile<T>& packed, const PlacedSums<T>& placed) {
  const PlaceClass& c = *tile_places.places;
  const auto places = static_cast<int64_t>(c.at.size());
  const int64_t begin = tile_places.begin, count = tile_places.end - begin;
  const int64_t from_plane = volume(d.from_size), to_plane = volume(d.to_size);
  const int64_t to_image =
      placed.values != nullptr ? to_plane : d.groups * d.to_channels * to_plane;
  int64_t inputs[cpu::kConvTile], results[cpu::kConvTile];
  int64_t image = begin / places, place = begin % places;
  for (int64_t i = 0; i < count; ++i) {
    inputs[i] = image * d.groups * d.from_channels * from_plane + c.from[place];
    results[i] = (image - placed.first_image) * to_image + c.at[place];
    if (++place == places) ++image, place = 0;
  }
  const T* source = from;
  const cpu::ConvStep* steps = c.steps.data();
  if (d.packs_tiles) {
    pack_tile(d, inputs, count, from, packed.values);
    for (int64_t i = 0; i < count; ++i) inputs[i] = i * d.groups * d.from_channels;
    source = packed.values;
    steps = packed.steps;
  }
  alignas(64) char sums[cpu::kConvTile * cpu::kConvLanes];
  for (int64_t g = 0; g < d.groups; ++g)
    for (int64_t p = 0; p < panels.count; ++p) {
      cpu::ConvTile tile;
      tile.x = source + g * d.from_channels * (d.packs_tiles ? 1 : from_plane);
      tile.places = inputs;
      tile.place_count = count;
      tile.steps = steps;
      tile.step_count = static_cast<int64_t>(c.steps.size());
      tile.w = panels.at(g, p);
      tile.width = panels.width;
      tile.sums = sums;
      if (tile.step_count == 0) std::fill_n(sums, sizeof sums, char{0});
      cpu::conv_sums(dtype_of<T>, tile);
      if (placed.values != nullptr) {
        T* const lanes = placed.values + (g * panels.count + p) * panels.width;
        for (int64_t i = 0; i < count; ++i)
          std::copy_n(reinterpret_cast<const T*>(sums) + i * panels.width, panels.width,
                      lanes + results[i] * placed.lanes);
        continue;
      }
      store_sums(d, panels, g, p, {sums, panels.width, results, count}, to, bias);
    }
}

template <class T>
class DirectionRun {
 public:
  DirectionRun(Stream& stream, const Direction& d, const Panels<T>& panels, const T* from, T* to,
               const T* bias)
      : stream_(stream), d_(d), panels_(panels), from_(from), to_(to), bias_(bias) {
    OA_REQUIRE(d.from_channels * volume(d.from_size) < INT32_MAX &&
                   panels.steps * panels.width < INT32_MAX,
               "conv: images and filters of more than 2^31 values are not served");
    for (const AxisClass& z : d.axes[0].classes)
      for (const AxisClass& y : d.axes[1].classes)
        for (const AxisClass& x : d.axes[2].classes)
          classes_.push_back(place_class(d, z, y, x, panels.width));
    // All classes of a few images, so that these stay in cache.
    const int64_t image =
        (d.from_channels * volume(d.from_size) + d.to_channels * volume(d.to_size)) * d.groups;
    block_ = std::max<int64_t>(kBlockBytes / std::max<int64_t>(image * sizeof(T), 1), 1);
    if (d.packs_tiles)
      for (int64_t c = 0; c < d.from_channels; ++c)
        packed_steps_.push_back({static_cast<int32_t>(c), static_cast<int32_t>(c * panels.width)});
  }

  void run() {
    const int64_t lanes = d_.groups * panels_.count * panels_.width, plane = volume(d_.to_size);
    const auto bytes = static_cast<int64_t>(sizeof(T)) * plane * lanes;
    if (classes_.size() == 1 || bytes > kBlockBytes) return run_tiles(0, d_.images, {});
    const Scratch values(stream_, static_cast<size_t>(block_ * bytes));
    std::vector<int64_t> places(static_cast<size_t>(plane));
    std::iota(places.begin(), places.end(), int64_t{0});
    for (int64_t i = 0; i < d_.images; i += block_) {
      const int64_t count = std::min(block_, d_.images - i);
      run_tiles(i, i + count, {values.as<T>(), lanes, i});
      stream_.parallel_for(count, 1, [&](int64_t begin, int64_t end) {
        for (int64_t image = begin; image < end; ++image)
          for (int64_t g = 0; g < d_.groups; ++g)
            for (int64_t p = 0; p < panels_.count; ++p)
              store_sums(
                  d_, panels_, g, p,
                  {values.as<T>() + image * plane * lanes + (g * panels_.count + p) * panels_.width,
                   lanes, places.data(), plane},
                  to_ + (i + image) * d_.groups * d_.to_channels * plane, bias_);
      });
    }
  }

 private:
  void run_tiles(int64_t first, int64_t last, const PlacedSums<T>& placed) {
    std::vector<Tile> tiles;
    for (int64_t i = first; i < last; i += block_)
      for (const PlaceClass& c : classes_) {
        const auto places = static_cast<int64_t>(c.at.size());
        const int64_t end = std::min(i + block_, last) * places;
        for (int64_t at = i * places; at < end; at += cpu::kConvTile)
          tiles.push_back({&c, at, std::min(at + cpu::kConvTile, end)});
      }
    const int64_t work = cpu::kConvTile * panels_.steps * panels_.count * panels_.width * d_.groups;
    stream_.parallel_for(
        static_cast<int64_t>(tiles.size()),
        std::max<int64_t>(kWorkOfChunk / std::max<int64_t>(work, 1), 1),
        [&](int64_t begin, int64_t end) {
          const int64_t packed = d_.groups * d_.from_channels * cpu::kConvTile;
          const Scratch values(stream_,
                               d_.packs_tiles ? static_cast<size_t>(packed) * sizeof(T) : 1);
          const PackedTile<T> buffer{values.as<T>(), packed_steps_.data()};
          for (int64_t i = begin; i < end; ++i)
            run_tile(d_, panels_, tiles[static_cast<size_t>(i)], from_, to_, bias_, buffer, placed);
        });
  }

  Stream& stream_;
  const Direction& d_;
  const Panels<T>& panels_;
  const T* from_;
  T* to_;
  const T* bias_;
  std::vector<PlaceClass> classes_;
  int64_t block_ = 1;  // images
  std::vector<cpu::ConvStep> packed_steps_;
};

template <class T>
void forward(Stream& stream, const ConvShape& s, T* out, const T* x, const T* weight,
             const T* bias) {
  if (few_filters(s)) return conv_by_planes(stream, s, out, x, weight, bias);
  Direction d{s.images, s.groups, s.channels / s.groups, s.filters / s.groups, s.size, s.out,
              s.kernel, {}};
  for (int i = 0; i < 3; ++i) d.axes[i] = forward_axis(s, i);
  d.decide(s.stride[2] == 1, sizeof(T));
  Panels<T> panels(stream, d);
  panels.pack_forward(d, weight);
  DirectionRun<T>(stream, d, panels, x, out, bias).run();
}

template <class T>
void backward_input(Stream& stream, const ConvShape& s, T* dx, const T* dy, const T* weight,
                    const T* bias) {
  if (few_channels(s)) return conv_backward_input_by_planes(stream, s, dx, dy, weight, bias);
  Direction d{s.images, s.groups, s.filters / s.groups, s.channels / s.groups, s.out, s.size,
              s.kernel, {}};
  for (int i = 0; i < 3; ++i) d.axes[i] = backward_axis(s, i);
  d.decide(s.stride[2] == 1, sizeof(T));
  Panels<T> panels(stream, d);
  panels.pack_backward(d, weight);
  DirectionRun<T>(stream, d, panels, dy, dx, bias).run();
}

template <class T>
const T* data_or_null(const Tensor& x) {
  return x.defined() ? x.data_ptr<T>() : nullptr;
}

}  // namespace

void run_conv(Stream& stream, const ConvShape& shape, const Tensor& out, const Tensor& x,
              const Tensor& weight, const Tensor& bias) {
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    forward(stream, shape, out.data_ptr<T>(), x.data_ptr<T>(), weight.data_ptr<T>(),
            data_or_null<T>(bias));
  });
}

void run_conv_backward_input(Stream& stream, const ConvShape& shape, const Tensor& dx,
                             const Tensor& dy, const Tensor& weight, const Tensor& bias) {
  with_floating(dx.dtype(), [&]<class T>(Type<T>) {
    backward_input(stream, shape, dx.data_ptr<T>(), dy.data_ptr<T>(), weight.data_ptr<T>(),
                   data_or_null<T>(bias));
  });
}

}  // namespace oneagent
