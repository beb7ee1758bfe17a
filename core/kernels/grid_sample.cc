#include "core/kernels/grid_sample.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 1 << 13;  // samples that are worth another thread

// One image; `sizes` are those of the images.
cpu::GridArgs args_of(const GridSampling& s, const Shape& sizes, const Tensor& grid) {
  cpu::GridArgs args;
  args.dims = static_cast<int>(grid.sizes().back());
  args.mode = s.mode;
  args.padding = s.padding;
  args.align_corners = s.align_corners;
  args.channels = sizes[1];
  for (int d = 0; d < args.dims; ++d) {
    args.size[d] = sizes[sizes.size() - 1 - static_cast<size_t>(d)];
    args.orders[d] = s.orders[d];
  }
  args.points = grid.numel() / std::max<int64_t>(sizes[0] * args.dims, 1);
  OA_REQUIRE(args.size[0] * args.size[1] * args.size[2] < INT32_MAX,
             "grid_sampler: images of more than 2^31 values are not served");
  return args;
}

template <class T>
const T* part(const Tensor& x, int64_t image) {
  return x.defined() && x.numel() > 0 ? x.data_ptr<T>() + image * (x.numel() / x.size(0)) : nullptr;
}
template <class T>
T* mutable_part(const Tensor& x, int64_t image) {
  return const_cast<T*>(part<T>(x, image));
}

}  // namespace

void run_grid_sample(Stream& stream, const GridSampling& sampling, const Tensor& out,
                     const Tensor& image, const Tensor& grid) {
  if (out.numel() == 0) return;
  const cpu::GridArgs all = args_of(sampling, image.sizes(), grid);
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(image.size(0), std::max<int64_t>(kGrain / all.points, 1),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t n = begin; n < end; ++n) {
                            cpu::GridArgs args = all;
                            args.grid = part<T>(grid, n);
                            args.image = part<T>(image, n);
                            args.out = mutable_part<T>(out, n);
                            cpu::grid_sample(dtype_of<T>, args);
                          }
                        });
  });
}

void run_grid_sample_backward(Stream& stream, const GridSampling& sampling, const Tensor& dimage,
                              const Tensor& dgrid, const Tensor& gradient, const Tensor& image,
                              const Tensor& grid) {
  const Shape& sizes = dimage.defined() ? dimage.sizes() : image.sizes();
  const cpu::GridArgs all = args_of(sampling, sizes, grid);
  with_floating(gradient.dtype(), [&]<class T>(Type<T>) {
    if (dimage.defined()) std::fill_n(dimage.data_ptr<T>(), dimage.numel(), T(0));
    if (dgrid.defined()) std::fill_n(dgrid.data_ptr<T>(), dgrid.numel(), T(0));
    if (gradient.numel() == 0) return;
    stream.parallel_for(sizes[0], std::max<int64_t>(kGrain / all.points, 1),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t n = begin; n < end; ++n) {
                            cpu::GridArgs args = all;
                            args.grid = part<T>(grid, n);
                            args.image = part<T>(image, n);
                            args.gradient = part<T>(gradient, n);
                            args.dimage = mutable_part<T>(dimage, n);
                            args.dgrid = mutable_part<T>(dgrid, n);
                            cpu::grid_sample_backward(dtype_of<T>, args);
                          }
                        });
  });
}

}  // namespace oneagent
