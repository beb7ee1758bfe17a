// Gradients of the weights of convolutions.
#include <algorithm>
#include <numeric>

#include "core/kernels/conv.h"
#include "core/kernels/conv_plane.h"
#include "core/kernels/cpu/conv.h"
#include "core/kernels/scratch.h"

namespace oneagent {
namespace {

constexpr int64_t kWorkOfChunk = 1 << 20;  // multiply-adds that are worth another thread

int64_t volume(const int64_t* sizes) { return sizes[0] * sizes[1] * sizes[2]; }

// The sum over places takes the part of the sum over taps: lanes are filters, the broadcast values
// are the image's at one place and many (channel, tap).
template <class T>
class WeightGradient {
 public:
  WeightGradient(const ConvShape& shape, const T* dy, const T* x)
      : s_(shape),
        dy_(dy),
        x_(x),
        channels_(s_.channels / s_.groups),
        filters_(s_.filters / s_.groups),
        depth_(channels_ * volume(s_.kernel)),
        places_(volume(s_.out)),
        width_(cpu::conv_width(dtype_of<T>, filters_)),
        padded_(s_.padding[0] + s_.padding[1] + s_.padding[2] > 0) {
    for (int d = 0; d < 3; ++d) size_[d] = s_.size[d] + 2 * s_.padding[d];
    OA_REQUIRE(kImages * s_.channels * volume(size_) < INT32_MAX,
               "conv: images of more than 2^31 values are not served");
  }

  int64_t depth() const { return depth_; }
  int64_t work() const { return s_.images * places_ * filters_; }

  // Rows begin..end-1 of the (channel, tap) dimension of one group.
  void run(Stream& stream, T* dw, int64_t group, int64_t begin, int64_t end) const {
    const int64_t panels = (filters_ + width_ - 1) / width_, rows = end - begin;
    const Scratch sums(stream, bytes(panels * rows * width_));
    std::fill_n(sums.as<T>(), panels * rows * width_, T(0));
    const Scratch lanes(stream, bytes(kSteps * width_));
    const Scratch image(stream, bytes(padded_ ? kImages * channels_ * volume(size_) : 1));
    if (padded_) std::fill_n(image.as<T>(), kImages * channels_ * volume(size_), T(0));
    const std::vector<int64_t> offsets = offsets_of(begin, end);
    std::vector<cpu::ConvStep> steps(kSteps);
    for (int64_t first = 0; first < s_.images; first += kImages) {
      const int64_t count = std::min(kImages, s_.images - first);
      const T* x = x_ + (first * s_.channels + group * channels_) * volume(s_.size);
      if (padded_)
        for (int64_t i = 0; i < count; ++i)
          pad(x + i * s_.channels * volume(s_.size), image.as<T>() + i * channels_ * volume(size_));
      for (int64_t q = 0; q < count * places_; q += kSteps) {
        const int64_t block = std::min(kSteps, count * places_ - q);
        fill_steps(steps, q, block);
        for (int64_t p = 0; p < panels; ++p) {
          pack(first * places_ + q, block, group * filters_ + p * width_,
               std::min(width_, filters_ - p * width_), lanes.as<T>());
          cpu::ConvTile tile;
          tile.x = padded_ ? image.as<T>() : x;
          tile.places = offsets.data();
          tile.place_count = rows;
          tile.steps = steps.data();
          tile.step_count = block;
          tile.w = lanes.as<T>();
          tile.width = width_;
          tile.sums = sums.as<T>() + p * rows * width_;
          tile.accumulate = true;
          cpu::conv_sums(dtype_of<T>, tile);
        }
      }
    }
    std::vector<int64_t> columns(static_cast<size_t>(rows));
    std::iota(columns.begin(), columns.end(), begin);
    for (int64_t p = 0; p < panels; ++p) {
      cpu::ConvStore store;
      store.sums = sums.as<T>() + p * rows * width_;
      store.width = width_;
      store.places = columns.data();
      store.place_count = rows;
      store.out = dw + (group * filters_ + p * width_) * depth_;
      store.filter_row = depth_;
      store.filters = std::min(width_, filters_ - p * width_);
      cpu::conv_store(dtype_of<T>, store);
    }
  }

 private:
  static constexpr int64_t kSteps = 256;  // places whose gradients stay in cache
  static constexpr int64_t kImages = 8;
  static size_t bytes(int64_t values) { return static_cast<size_t>(values) * sizeof(T); }

  // From a place to the value under each (channel, tap).
  std::vector<int64_t> offsets_of(int64_t begin, int64_t end) const {
    std::vector<int64_t> out;
    for (int64_t row = begin; row < end; ++row) {
      const int64_t kx = row % s_.kernel[2], ky = row / s_.kernel[2] % s_.kernel[1],
                    kz = row / s_.kernel[2] / s_.kernel[1] % s_.kernel[0],
                    c = row / volume(s_.kernel);
      out.push_back(((c * size_[0] + kz * s_.dilation[0]) * size_[1] + ky * s_.dilation[1]) *
                        size_[2] +
                    kx * s_.dilation[2]);
    }
    return out;
  }

  void fill_steps(std::vector<cpu::ConvStep>& steps, int64_t first, int64_t count) const {
    const int64_t images = (padded_ ? channels_ : s_.channels) * volume(size_);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t image = (first + i) / places_, place = (first + i) % places_;
      const int64_t ox = place % s_.out[2], oy = place / s_.out[2] % s_.out[1],
                    oz = place / s_.out[2] / s_.out[1];
      const int64_t at = image * images +
                         (oz * s_.stride[0] * size_[1] + oy * s_.stride[1]) * size_[2] +
                         ox * s_.stride[2];
      steps[static_cast<size_t>(i)] = {static_cast<int32_t>(at), static_cast<int32_t>(i * width_)};
    }
  }

  void pad(const T* from, T* to) const {
    for (int64_t c = 0; c < channels_; ++c)
      for (int64_t z = 0; z < s_.size[0]; ++z)
        for (int64_t y = 0; y < s_.size[1]; ++y, from += s_.size[2])
          std::copy_n(
              from, s_.size[2],
              to + ((c * size_[0] + z + s_.padding[0]) * size_[1] + y + s_.padding[1]) * size_[2] +
                  s_.padding[2]);
  }

  // Gradients at places first.. of `rows` filters as a panel; places run over images.
  void pack(int64_t first, int64_t count, int64_t filter, int64_t rows, T* to) const {
    while (count > 0) {
      const int64_t image = first / places_, place = first % places_;
      const int64_t here = std::min(count, places_ - place);
      cpu::conv_pack(dtype_of<T>, {dy_ + (image * s_.filters + filter) * places_ + place, places_,
                                   rows, here, to, width_});
      to += here * width_;
      first += here;
      count -= here;
    }
  }

  const ConvShape& s_;
  const T *dy_, *x_;
  int64_t channels_, filters_, depth_, places_, width_;
  bool padded_;
  int64_t size_[3];  // of the padded image
};

template <class T>
void backward_weight(Stream& stream, const ConvShape& s, T* dw, const T* dy, const T* x) {
  if (few_filters(s)) return conv_backward_weight_by_planes(stream, s, dw, dy, x);
  const WeightGradient<T> gradient(s, dy, x);
  const int64_t rows = std::max<int64_t>(kWorkOfChunk / std::max<int64_t>(gradient.work(), 1), 48);
  for (int64_t g = 0; g < s.groups; ++g)
    stream.parallel_for(gradient.depth(), (rows + 47) / 48 * 48, [&](int64_t begin, int64_t end) {
      gradient.run(stream, dw, g, begin, end);
    });
}

}  // namespace

void run_conv_backward_weight(Stream& stream, const ConvShape& shape, const Tensor& dw,
                              const Tensor& dy, const Tensor& x) {
  with_floating(dw.dtype(), [&]<class T>(Type<T>) {
    backward_weight(stream, shape, dw.data_ptr<T>(), dy.data_ptr<T>(), x.data_ptr<T>());
  });
}

}  // namespace oneagent
