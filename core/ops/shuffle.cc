#include "core/ops/shuffle.h"

#include "core/kernels/copy.h"
#include "core/kernels/copy_run.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kFactor[] = {{"factor", AttrKind::kInt}};
constexpr AttrSpec kGroups[] = {{"groups", AttrKind::kInt}};
constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

// Planes [h, w] of [..., channels, h, w].
struct Pixels {
  Shape sizes;                   // of the result
  int64_t planes, h, w, factor;  // of the side with few channels: planes of h x w pixels
};

template <bool Unshuffle>
Pixels pixels_of(const Shape& x, int64_t factor) {
  const char* op = Unshuffle ? "pixel_unshuffle" : "pixel_shuffle";
  OA_REQUIRE(x.size() >= 3 && factor > 0, op,
             ": expected [..., channels, height, width] and a positive factor, was ", x, " and ",
             factor);
  const size_t c = x.size() - 3;
  Pixels out{x, 1, 0, 0, factor};
  if (Unshuffle) {
    OA_REQUIRE(x[c + 1] % factor == 0 && x[c + 2] % factor == 0, op,
               " expects height to be divisible by downscale_factor, and width, but the sizes are ",
               x, " and the factor is ", factor);
    out.sizes[c] = x[c] * factor * factor;
    out.sizes[c + 1] = x[c + 1] / factor;
    out.sizes[c + 2] = x[c + 2] / factor;
  } else {
    OA_REQUIRE(x[c] % (factor * factor) == 0, op,
               " expects its input's 'channel' dimension to be divisible by the square of "
               "upscale_factor, but input.size(-3)=",
               x[c], " is not divisible by ", factor * factor);
    out.sizes[c] = x[c] / (factor * factor);
    out.sizes[c + 1] = x[c + 1] * factor;
    out.sizes[c + 2] = x[c + 2] * factor;
  }
  const Shape& wide = Unshuffle ? x : out.sizes;
  for (size_t d = 0; d <= c; ++d) out.planes *= wide[d];
  out.h = wide[c + 1];
  out.w = wide[c + 2];
  return out;
}

template <bool Unshuffle>
void pixel_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(pixels_of<Unshuffle>(in[0]->sizes, attrs.integer(0)).sizes, in[0]->dtype);
}
template <bool Unshuffle>
void pixel_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Pixels s = pixels_of<Unshuffle>(in[0].sizes(), attrs.integer(0));
  if (out[0].numel() == 0) return;
  const Tensor x = as_contiguous(stream, in[0]);
  const int64_t r = s.factor, rows = s.h / r, columns = s.w / r;
  with_width_of(x.dtype(), [&]<class T>(Type<T>) {
    const T* from = static_cast<const T*>(x.data_ptr());
    T* to = static_cast<T*>(out[0].data_ptr());
    stream.parallel_for(
        s.planes, std::max<int64_t>(kGrain / (s.h * s.w), 1), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin * s.h; row < end * s.h; ++row) {
            const int64_t plane = row / s.h, y = row % s.h;
            const T* source = from + row * s.w;  // of the wide side; the other one below
            T* result = to + row * s.w;
            for (int64_t j = 0; j < r; ++j) {
              const int64_t narrow = (((plane * r + y % r) * r + j) * rows + y / r) * columns;
              if (Unshuffle)
                for (int64_t i = 0; i < columns; ++i) to[narrow + i] = source[i * r + j];
              else
                for (int64_t i = 0; i < columns; ++i) result[i * r + j] = from[narrow + i];
            }
          }
        });
  });
}

int64_t inner_of(const Shape& x) {
  int64_t inner = 1;
  for (size_t d = 2; d < x.size(); ++d) inner *= x[d];
  return inner;
}
void channel_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape& x = in[0]->sizes;
  const int64_t groups = attrs.integer(0);
  OA_REQUIRE(x.size() >= 3 && groups > 0 && x[1] % groups == 0,
             "channel_shuffle: expected [n, c, ...] of at least 3 dimensions with c a multiple of ",
             groups, ", was ", x);
  out.add(x, in[0]->dtype);
}
void channel_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  const Tensor x = as_contiguous(stream, in[0]);
  const int64_t groups = attrs.integer(0), channels = x.size(1), of_group = channels / groups;
  const int64_t bytes = inner_of(x.sizes()) * static_cast<int64_t>(x.element_size());
  const char* from = static_cast<const char*>(x.data_ptr());
  char* to = static_cast<char*>(out[0].data_ptr());
  stream.parallel_for(x.size(0), std::max<int64_t>(4 * kGrain / (channels * bytes), 1),
                      [&](int64_t begin, int64_t end) {
                        for (int64_t at = begin * channels; at < end * channels; ++at) {
                          const int64_t image = at / channels, c = at % channels;
                          const int64_t source = c % groups * of_group + c / groups;
                          copy_run(to + at * bytes, from + (image * channels + source) * bytes,
                                   static_cast<size_t>(bytes));
                        }
                      });
}

void shuffle_vjp(VjpCall& call) {
  call.set(0, pixel_unshuffle(call.grad(), call.attrs().integer(0)));
}
void unshuffle_vjp(VjpCall& call) {
  call.set(0, pixel_shuffle(call.grad(), call.attrs().integer(0)));
}
void channel_vjp(VjpCall& call) {
  const int64_t channels = call.input_sizes(0)[1];
  call.set(0,
           channel_shuffle(call.grad(), std::max<int64_t>(channels / call.attrs().integer(0), 1)));
}

// Leading dimensions stay; channels, rows and columns are mixed.
std::string pixel_rule(Metas in, const Attrs&) {
  std::string outer;
  for (size_t d = 3; d < in[0]->sizes.size(); ++d) outer += static_cast<char>('l' + d);
  return outer + "chw->" + outer + "dyx;chwdyx";
}
std::string channel_rule(Metas in, const Attrs&) {
  std::string x = "nc";
  for (size_t d = 2; d < in[0]->sizes.size(); ++d) x += static_cast<char>('o' + d);
  return x + "->" + x + ";c";
}

constinit const Op kPixelShuffle = {.name = "pixel_shuffle",
                                    .attrs = kFactor,
                                    .infer = pixel_infer<false>,
                                    .rule = {.linear = 1, .generate = pixel_rule},
                                    .vjp = shuffle_vjp,
                                    .kernels = {pixel_kernel<false>},
                                    .samples = [] {
                                      return Samples{{{normal({2, 8, 2, 3})}, Attrs().add(2)},
                                                     {{normal({9, 1, 2})}, Attrs().add(3)},
                                                     {{normal({0, 4, 2, 2})}, Attrs().add(2)}};
                                    }};
constinit const Op kPixelUnshuffle = {.name = "pixel_unshuffle",
                                      .attrs = kFactor,
                                      .infer = pixel_infer<true>,
                                      .rule = {.linear = 1, .generate = pixel_rule},
                                      .vjp = unshuffle_vjp,
                                      .kernels = {pixel_kernel<true>},
                                      .samples = [] {
                                        return Samples{{{normal({2, 1, 4, 6})}, Attrs().add(2)},
                                                       {{normal({2, 3, 6})}, Attrs().add(3)}};
                                      }};
constinit const Op kChannelShuffle = {.name = "native_channel_shuffle",
                                      .attrs = kGroups,
                                      .infer = channel_infer,
                                      .rule = {.linear = 1, .generate = channel_rule},
                                      .vjp = channel_vjp,
                                      .kernels = {channel_kernel},
                                      .samples = [] {
                                        return Samples{{{normal({2, 6, 3})}, Attrs().add(2)},
                                                       {{normal({1, 6, 2, 2})}, Attrs().add(3)}};
                                      }};

}  // namespace

Tensor pixel_shuffle(const Tensor& self, int64_t upscale_factor) {
  return call_op(kPixelShuffle, {&self}, Attrs().add(upscale_factor));
}
Tensor pixel_unshuffle(const Tensor& self, int64_t downscale_factor) {
  return call_op(kPixelUnshuffle, {&self}, Attrs().add(downscale_factor));
}
Tensor native_channel_shuffle(const Tensor& self, int64_t groups) {
  return call_op(kChannelShuffle, {&self}, Attrs().add(groups));
}
Tensor channel_shuffle(const Tensor& self, int64_t groups) {
  return native_channel_shuffle(self, groups);
}

OA_OP(shuffle, &kPixelShuffle, &kPixelUnshuffle, &kChannelShuffle)

}  // namespace oneagent
