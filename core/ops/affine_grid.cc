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

  // Of axis 0 (depth) to 2 (width), at each place.
  template <class T>
  std::vector<T> coordinates(int axis) const {
    std::vector<T> out;
    const auto n = static_cast<double>(sizes[axis]);
    for (int64_t i = 0; i < sizes[axis]; ++i) {
      const auto at = static_cast<double>(i);
      out.push_back(static_cast<T>(n <= 1.0        ? 0.0
                                   : align_corners ? 2.0 * at / (n - 1.0) - 1.0
                                                   : (2.0 * at + 1.0) / n - 1.0));
    }
    return out;
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
// Row by row: what the outer axes give is one number for each component.
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Grid grid = grid_of(attrs);
  const Tensor theta = as_contiguous(stream, in[0]);
  with_floating(theta.dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> z = grid.coordinates<T>(0), y = grid.coordinates<T>(1),
                         x = grid.coordinates<T>(2);
    const int64_t rows = grid.sizes[0] * grid.sizes[1], width = grid.sizes[2], dims = grid.dims;
    stream.parallel_for(
        grid.images * rows, std::max<int64_t>(kGrain / width, 1), [&](int64_t begin, int64_t end) {
          for (int64_t r = begin; r < end; ++r) {
            const T* matrix = theta.data_ptr<T>() + r / rows * dims * (dims + 1);
            T* to = out[0].data_ptr<T>() + r * width * dims;
            T base[3], slope[3];
            for (int64_t k = 0; k < dims; ++k) {
              const T* row = matrix + k * (dims + 1);
              slope[k] = row[0];
              base[k] = row[1] * y[static_cast<size_t>(r % grid.sizes[1])] + row[dims];
              if (dims == 3) base[k] += row[2] * z[static_cast<size_t>(r % rows / grid.sizes[1])];
            }
            if (dims == 2)
              for (int64_t i = 0; i < width; ++i) {
                to[2 * i] = slope[0] * x[static_cast<size_t>(i)] + base[0];
                to[2 * i + 1] = slope[1] * x[static_cast<size_t>(i)] + base[1];
              }
            else
              for (int64_t i = 0; i < width; ++i)
                for (int64_t k = 0; k < 3; ++k)
                  to[3 * i + k] = slope[k] * x[static_cast<size_t>(i)] + base[k];
          }
        });
  });
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Grid grid = grid_of(attrs);
  const Tensor gradient = as_contiguous(stream, in[0]);
  with_floating(gradient.dtype(), [&]<class T>(Type<T>) {
    const std::vector<T> z = grid.coordinates<T>(0), y = grid.coordinates<T>(1),
                         x = grid.coordinates<T>(2);
    const int64_t rows = grid.sizes[0] * grid.sizes[1], width = grid.sizes[2], dims = grid.dims;
    stream.parallel_for(grid.images, 1, [&](int64_t begin, int64_t end) {
      for (int64_t n = begin; n < end; ++n) {
        double sums[3][4] = {};
        for (int64_t r = 0; r < rows; ++r) {
          const T* from = gradient.data_ptr<T>() + (n * rows + r) * width * dims;
          T plain[3] = {}, along[3] = {};  // of the gradient, and times x
          for (int64_t i = 0; i < width; ++i)
            for (int64_t k = 0; k < dims; ++k) {
              plain[k] += from[i * dims + k];
              along[k] += from[i * dims + k] * x[static_cast<size_t>(i)];
            }
          const auto at_y = static_cast<double>(y[static_cast<size_t>(r % grid.sizes[1])]);
          const auto at_z = static_cast<double>(z[static_cast<size_t>(r / grid.sizes[1])]);
          for (int64_t k = 0; k < dims; ++k) {
            const auto total = static_cast<double>(plain[k]);
            sums[k][0] += static_cast<double>(along[k]);
            sums[k][1] += total * at_y;
            if (dims == 3) sums[k][2] += total * at_z;
            sums[k][dims] += total;
          }
        }
        T* to = out[0].data_ptr<T>() + n * dims * (dims + 1);
        for (int64_t k = 0; k < dims; ++k)
          for (int64_t j = 0; j <= dims; ++j) to[k * (dims + 1) + j] = static_cast<T>(sums[k][j]);
      }
    });
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
  return "nkj->n" + points + "k;nkj" + points;
}
std::string backward_rule(Metas, const Attrs& attrs) {
  const std::string points = attrs.list(0).size() == 4 ? "hw" : "dhw";
  return "n" + points + "k->nkj;nkj" + points;
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
