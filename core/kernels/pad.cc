#include "core/kernels/pad.h"

#include <algorithm>
#include <cstring>

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth another thread

// Calls body(row of the result, row of the operand or -1) for rows begin..end-1 of the result.
template <class Body>
void each_row(const Shape& to, const Shape& from, const std::vector<PadMap>& maps, int64_t begin,
              int64_t end, const Body& body) {
  if (to.size() == 1) {
    if (begin < end) body(0, 0);
    return;
  }
  // The last dimension but one is walked in a loop of its own.
  const size_t inner = to.size() - 2;
  const int64_t rows = to[inner], from_rows = from[inner];
  const int64_t* row_map = maps[inner].from.data();
  for (int64_t row = begin; row < end;) {
    int64_t source = 0, rest = row / rows, scale = 1;
    for (size_t d = inner; d-- > 0;) {
      const int64_t coordinate = maps[d].from[static_cast<size_t>(rest % to[d])];
      source = source < 0 || coordinate < 0 ? -1 : source + coordinate * scale;
      rest /= to[d];
      scale *= from[d];
    }
    const int64_t first = row % rows, last = std::min(rows, first + end - row);
    for (int64_t y = first; y < last; ++y, ++row)
      body(row, source < 0 || row_map[y] < 0 ? -1 : source * from_rows + row_map[y]);
  }
}

// Copies in blocks, the last of which may overlap the one before; a call costs more on short rows.
template <class T>
void copy_row(const T* from, int64_t count, T* to) {
  constexpr int64_t kBlock = 32 / sizeof(T);
  if (count > 16 * kBlock) {
    std::memcpy(to, from, static_cast<size_t>(count) * sizeof(T));
    return;
  }
  if (count < kBlock) {
    for (int64_t i = 0; i < count; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i + kBlock <= count; i += kBlock) std::memcpy(to + i, from + i, 32);
  std::memcpy(to + count - kBlock, from + count - kBlock, 32);
}

template <class T>
void pad(Stream& stream, const Tensor& out, const Tensor& in, const std::vector<PadMap>& maps,
         T value) {
  const int64_t width = out.sizes().back(), source_width = in.sizes().back();
  const PadMap& map = maps.back();
  T* to = static_cast<T*>(out.data_ptr());
  const T* from = static_cast<const T*>(in.data_ptr());
  const int64_t* coordinates = map.from.data();
  stream.parallel_for(
      out.numel() / width, std::max<int64_t>(kGrain / width, 1), [&](int64_t begin, int64_t end) {
        each_row(out.sizes(), in.sizes(), maps, begin, end, [&](int64_t row, int64_t source_row) {
          T* result = to + row * width;
          if (source_row < 0) {
            std::fill_n(result, width, value);
            return;
          }
          const T* source = from + source_row * source_width;
          const auto edge = [&](int64_t first, int64_t last) {
            for (int64_t i = first; i < last; ++i)
              result[i] = coordinates[i] < 0 ? value : source[coordinates[i]];
          };
          edge(0, map.first);
          if (map.last > map.first)
            copy_row(source + coordinates[map.first], map.last - map.first, result + map.first);
          edge(map.last, width);
        });
      });
}

template <class T>
void pad_backward(Stream& stream, const Tensor& in, const Tensor& out,
                  const std::vector<PadMap>& maps) {
  const int64_t width = out.sizes().back(), source_width = in.sizes().back();
  const PadMap& map = maps.back();
  std::fill_n(in.data_ptr<T>(), in.numel(), T(0));
  if (out.numel() == 0) return;
  // Leading dimensions that are not padded are independent of each other.
  int64_t outer = 1;
  for (size_t d = 0; d + 1 < maps.size() && maps[d].first == 0 && maps[d].last == in.sizes()[d] &&
                     maps[d].last == out.sizes()[d];
       ++d)
    outer *= out.sizes()[d];
  const int64_t rows = out.numel() / width / outer;
  stream.parallel_for(outer, std::max<int64_t>(kGrain / (rows * width), 1),
                      [&](int64_t begin, int64_t end) {
                        each_row(out.sizes(), in.sizes(), maps, begin * rows, end * rows,
                                 [&](int64_t row, int64_t source_row) {
                                   const T* gradient = out.data_ptr<T>() + row * width;
                                   T* to = in.data_ptr<T>() + source_row * source_width;
                                   const auto edge = [&](int64_t first, int64_t last) {
                                     for (int64_t i = first; i < last; ++i)
                                       to[map.from[static_cast<size_t>(i)]] += gradient[i];
                                   };
                                   edge(0, map.first);
                                   if (map.last > map.first) {
                                     T* middle = to + map.from[static_cast<size_t>(map.first)];
                                     const T* source = gradient + map.first;
#pragma GCC ivdep
                                     for (int64_t i = 0; i < map.last - map.first; ++i)
                                       middle[i] += source[i];
                                   }
                                   edge(map.last, width);
                                 });
                      });
}

}  // namespace

void run_pad(Stream& stream, const Tensor& out, const Tensor& in, const std::vector<PadMap>& maps,
             Scalar value) {
  if (out.numel() == 0) return;
  with_any(out.dtype(),
           [&]<class T>(Type<T>) { pad<T>(stream, out, in, maps, value.wrapped_to<T>()); });
}

void run_pad_backward(Stream& stream, const Tensor& in, const Tensor& out,
                      const std::vector<PadMap>& maps) {
  with_floating(in.dtype(), [&]<class T>(Type<T>) { pad_backward<T>(stream, in, out, maps); });
}

}  // namespace oneagent
