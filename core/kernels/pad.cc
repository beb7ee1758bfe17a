#include "core/kernels/pad.h"

#include <algorithm>
#include <numeric>

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 15;  // elements that are worth another thread
constexpr int64_t kShort = 128;

// Calls body(row of the result, row of the operand or -1) for rows begin..end-1 of the result.
template <class Body>
void each_row(const Shape& to, const Shape& from, const std::vector<PadMap>& maps, int64_t begin,
              int64_t end, const Body& body) {
  const size_t outer = to.size() - 1;
  int64_t at[Shape::kMaxRank] = {};
  for (int64_t rest = begin, d = static_cast<int64_t>(outer); d-- > 0;) {
    const auto i = static_cast<size_t>(d);
    at[i] = rest % to[i];
    rest /= to[i];
  }
  int64_t source[Shape::kMaxRank + 1] = {};  // of the coordinates before each dimension, or -1
  const auto find_from = [&](size_t d) {
    for (; d < outer; ++d) {
      const int64_t coordinate = maps[d].from[static_cast<size_t>(at[d])];
      source[d + 1] = source[d] < 0 || coordinate < 0 ? -1 : source[d] * from[d] + coordinate;
    }
  };
  find_from(0);
  for (int64_t row = begin; row < end; ++row) {
    body(row, source[outer]);
    size_t d = outer;
    while (d-- > 0) {
      if (++at[d] < to[d]) break;
      at[d] = 0;
    }
    if (row + 1 < end) find_from(d);
  }
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
          if (map.last > map.first) {
            const T* middle = source + coordinates[map.first];
            T* inside = result + map.first;
            const int64_t count = map.last - map.first;
            if (count < kShort) {  // a loop of a few registers instead of a call
#pragma GCC ivdep
              for (int64_t i = 0; i < count; ++i) inside[i] = middle[i];
            } else {
              std::copy_n(middle, count, inside);
            }
          }
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
  with_any(out.dtype(), [&]<class T>(Type<T>) { pad<T>(stream, out, in, maps, value.to<T>()); });
}

void run_pad_backward(Stream& stream, const Tensor& in, const Tensor& out,
                      const std::vector<PadMap>& maps) {
  with_floating(in.dtype(), [&]<class T>(Type<T>) { pad_backward<T>(stream, in, out, maps); });
}

}  // namespace oneagent
