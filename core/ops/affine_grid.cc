#include "core/ops/affine_grid.h"

#include "core/kernels/copy.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"size", AttrKind::kInts}, {"align_corners", AttrKind::kBool}};
constexpr int64_t kGrain = 1 << 15;  // values that are worth another thread

Attrs grid_attrs(const Shape& size, bool align_corners) {
  return Attrs().add(size).add(align_corners);
}

struct Grid {
  int64_t images, dims, sizes[3];  // depth, height, width
  bool align_corners;
  int64_t points() const { return sizes[0] * sizes[1] * sizes[2]; }

  // The coordinates (x, y, [z], 1) of a point.
  void at(int64_t point, double* out) const {
    const int64_t place[3] = {point / sizes[2] / sizes[1], point / sizes[2] % sizes[1],
                              point % sizes[2]};
    for (int64_t k = 0; k < dims; ++k) {
      const auto n = static_cast<double>(sizes[2 - k]), i = static_cast<double>(place[2 - k]);
      out[k] = n <= 1.0        ? 0.0
               : align_corners ? 2.0 * i / (n - 1.0) - 1.0
                               : (2.0 * i + 1.0) / n - 1.0;
    }
    out[dims] = 1.0;
  }
};

Grid grid_of(const Attrs& attrs) {
  const Shape size = attrs.list(0);
  OA_REQUIRE(size.size() == 4 || size.size() == 5,
             "affine_grid_generator: size must be [n, c, h, w] or [n, c, d, h, w], was ", size);
  const bool deep = size.size() == 5;
  Grid grid{
      size[0], deep ? 3 : 2, {deep ? size[2] : 1, size[deep ? 3 : 2], size.back()}, attrs.flag(1)};
  OA_REQUIRE(grid.points() > 0, "affine_grid_generator: size must be positive, was ", size);
  return grid;
}
Shape grid_sizes(const Grid& grid) {
  if (grid.dims == 2) return {grid.images, grid.sizes[1], grid.sizes[2], 2};
  return {grid.images, grid.sizes[0], grid.sizes[1], grid.sizes[2], 3};
}
Shape theta_sizes(const Grid& grid) { return {grid.images, grid.dims, grid.dims + 1}; }

template <bool Backward>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("affine_grid_generator", *in[0]);
  const Grid grid = grid_of(attrs);
  const Shape expected = Backward ? grid_sizes(grid) : theta_sizes(grid);
  OA_REQUIRE(in[0]->sizes == expected, "affine_grid_generator: expected ",
             Backward ? "a gradient" : "theta", " of shape ", expected, ", was ", in[0]->sizes);
  out.add(Backward ? theta_sizes(grid) : grid_sizes(grid), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Grid grid = grid_of(attrs);
  const Tensor theta = as_contiguous(stream, in[0]);
  with_floating(theta.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(grid.points(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        double base[4];
        grid.at(p, base);
        for (int64_t n = 0; n < grid.images; ++n)
          for (int64_t k = 0; k < grid.dims; ++k) {
            const T* row = theta.data_ptr<T>() + (n * grid.dims + k) * (grid.dims + 1);
            T sum = T(0);
            for (int64_t j = 0; j <= grid.dims; ++j) sum += row[j] * static_cast<T>(base[j]);
            out[0].data_ptr<T>()[(n * grid.points() + p) * grid.dims + k] = sum;
          }
      }
    });
  });
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Grid grid = grid_of(attrs);
  const Tensor gradient = as_contiguous(stream, in[0]);
  with_floating(gradient.dtype(), [&]<class T>(Type<T>) {
    std::vector<double> sums(static_cast<size_t>(out[0].numel()), 0.0);
    for (int64_t p = 0; p < grid.points(); ++p) {
      double base[4];
      grid.at(p, base);
      for (int64_t n = 0; n < grid.images; ++n)
        for (int64_t k = 0; k < grid.dims; ++k) {
          const auto g =
              static_cast<double>(gradient.data_ptr<T>()[(n * grid.points() + p) * grid.dims + k]);
          double* row = sums.data() + (n * grid.dims + k) * (grid.dims + 1);
          for (int64_t j = 0; j <= grid.dims; ++j) row[j] += g * base[j];
        }
    }
    for (size_t i = 0; i < sums.size(); ++i) out[0].data_ptr<T>()[i] = static_cast<T>(sums[i]);
  });
}
void vjp(VjpCall& call) {
  call.set(0,
           affine_grid_generator_backward(call.grad(), call.attrs().list(0), call.attrs().flag(1)));
}
void backward_vjp(VjpCall& call) {
  call.set(0, affine_grid_generator(call.grad(), call.attrs().list(0), call.attrs().flag(1)));
}
std::string rule(Metas, const Attrs& attrs) {
  const std::string points = attrs.list(0).size() == 4 ? "hw" : "dhw";
  return "nkj->n" + points + "k;kj" + points;
}
std::string backward_rule(Metas, const Attrs& attrs) {
  const std::string points = attrs.list(0).size() == 4 ? "hw" : "dhw";
  return "n" + points + "k->nkj;kj" + points;
}

constinit const Op kGrid = {.name = "affine_grid_generator",
                            .attrs = kAttrs,
                            .infer = infer<false>,
                            .rule = {.linear = 1, .generate = rule},
                            .vjp = vjp,
                            .kernels = {kernel},
                            .samples = [] {
                              return Samples{
                                  {{normal({2, 2, 3})}, grid_attrs({2, 1, 3, 4}, false)},
                                  {{normal({1, 2, 3})}, grid_attrs({1, 3, 1, 5}, true)},
                                  {{normal({1, 3, 4})}, grid_attrs({1, 1, 2, 3, 2}, true)}};
                            }};
constinit const Op kGridBackward = {
    .name = "affine_grid_generator_backward",
    .attrs = kAttrs,
    .infer = infer<true>,
    .rule = {.linear = 1, .generate = backward_rule},
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = [] {
      return Samples{{{normal({2, 3, 4, 2})}, grid_attrs({2, 1, 3, 4}, false)},
                     {{normal({1, 2, 3, 2, 3})}, grid_attrs({1, 1, 2, 3, 2}, true)}};
    }};

}  // namespace

Tensor affine_grid_generator(const Tensor& theta, const Shape& size, bool align_corners) {
  return call_op(kGrid, {&theta}, grid_attrs(size, align_corners));
}
Tensor affine_grid_generator_backward(const Tensor& grad, const Shape& size, bool align_corners) {
  return call_op(kGridBackward, {&grad}, grid_attrs(size, align_corners));
}

OA_OP(affine_grid, &kGrid, &kGridBackward)

}  // namespace oneagent
