#include "core/kernels/quantile.h"

#include <cmath>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

template <class T>
struct Place {
  int64_t below, above;
  T weight;
};

// The arithmetic is PyTorch's, in the element type.
template <class T>
Place<T> place_of(T rank, Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kLower:
      rank = std::floor(rank);
      break;
    case Interpolation::kHigher:
      rank = std::ceil(rank);
      break;
    case Interpolation::kNearest:
      rank = std::nearbyint(rank);
      break;
    default:
      break;
  }
  const auto below = static_cast<int64_t>(rank), above = static_cast<int64_t>(std::ceil(rank));
  const T weight =
      interpolation == Interpolation::kMidpoint ? T(0.5) : rank - static_cast<T>(below);
  return {below, above, weight};
}

}  // namespace

void run_quantile_places(Stream& stream, const Tensor& below, const Tensor& above,
                         const Tensor& weights, const Tensor& sorted, const Tensor& q,
                         Interpolation interpolation, bool ignore_nan) {
  const Tensor x = as_contiguous(stream, sorted), wanted = as_contiguous(stream, q);
  const int64_t size = x.size(1), count = wanted.numel();
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const T* row = x.data_ptr<T>();
    for (int64_t r = 0; r < x.size(0); ++r, row += size) {
      int64_t numbers = size;
      while (numbers > 0 && row[numbers - 1] != row[numbers - 1]) --numbers;
      const bool to_end = !ignore_nan && numbers < size;
      const int64_t last = ignore_nan ? std::max<int64_t>(numbers - 1, 0) : size - 1;
      for (int64_t i = 0; i < count; ++i) {
        const T rank =
            to_end ? static_cast<T>(last) : wanted.data_ptr<T>()[i] * static_cast<T>(last);
        const Place<T> place = place_of(rank, interpolation);
        below.data_ptr<int64_t>()[r * count + i] = place.below;
        above.data_ptr<int64_t>()[r * count + i] = place.above;
        weights.data_ptr<T>()[r * count + i] = place.weight;
      }
    }
  });
}

}  // namespace oneagent
