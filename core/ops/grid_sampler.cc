#include "core/ops/grid_sampler.h"

#include "core/kernels/copy.h"
#include "core/kernels/grid_sample.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// Forward and backward; the derivative ops also carry the order of each axis, the adjoint one
// sizes.
constexpr AttrSpec kAttrs[] = {
    {"mode", AttrKind::kInt}, {"padding", AttrKind::kInt}, {"align_corners", AttrKind::kBool}};
constexpr AttrSpec kBackwardAttrs[] = {{"mode", AttrKind::kInt},
                                       {"padding", AttrKind::kInt},
                                       {"align_corners", AttrKind::kBool},
                                       {"mask", AttrKind::kInt}};
constexpr AttrSpec kDerivativeAttrs[] = {{"mode", AttrKind::kInt},
                                         {"padding", AttrKind::kInt},
                                         {"align_corners", AttrKind::kBool},
                                         {"orders", AttrKind::kInts}};
constexpr AttrSpec kAdjointAttrs[] = {{"mode", AttrKind::kInt},
                                      {"padding", AttrKind::kInt},
                                      {"align_corners", AttrKind::kBool},
                                      {"orders", AttrKind::kInts},
                                      {"sizes", AttrKind::kInts}};

Attrs grid_attrs(int64_t mode, int64_t padding, bool align_corners) {
  return Attrs().add(mode).add(padding).add(align_corners);
}
Attrs same(const Attrs& a) { return grid_attrs(a.integer(0), a.integer(1), a.flag(2)); }

GridSampling sampling_of(const Attrs& attrs, const Shape& orders) {
  GridSampling out{static_cast<cpu::GridMode>(attrs.integer(0)),
                   static_cast<cpu::GridPadding>(attrs.integer(1)),
                   attrs.flag(2),
                   {0, 0, 0}};
  for (size_t d = 0; d < orders.size(); ++d) out.orders[d] = static_cast<int>(orders[d]);
  return out;
}
GridSampling sampling_of(const Attrs& attrs) { return sampling_of(attrs, {}); }

// [n, c, points...]; an Error when image and grid do not fit.
Shape sample_sizes(const Shape& image, const Shape& grid, const Attrs& attrs) {
  const size_t rank = image.size();
  OA_REQUIRE(
      (rank == 4 || rank == 5) && grid.size() == rank && image[0] == grid[0] &&
          grid.back() == static_cast<int64_t>(rank) - 2,
      "grid_sampler: expected input [n, c, h, w] and grid [n, h', w', 2], or input [n, c, d, "
      "h, w] and grid [n, d', h', w', 3], was ",
      image, " and ", grid);
  OA_REQUIRE(attrs.integer(0) >= 0 && attrs.integer(0) <= (rank == 4 ? 2 : 1) &&
                 attrs.integer(1) >= 0 && attrs.integer(1) <= 2,
             "grid_sampler: unknown interpolation mode ", attrs.integer(0), " or padding mode ",
             attrs.integer(1), " for ", rank - 2, " dimensions");
  Shape sizes = {image[0], image[1]};
  for (size_t d = 1; d + 1 < rank; ++d) sizes.push_back(grid[d]);
  for (size_t d = 2; d < rank; ++d)
    OA_REQUIRE(image[d] > 0, "grid_sampler: images must not be empty, was ", image);
  return sizes;
}

// (image, grid) -> samples
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("grid_sampler", in);
  require_floating("grid_sampler", *in[0]);
  out.add(sample_sizes(in[0]->sizes, in[1]->sizes, attrs), in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_grid_sample(stream, sampling_of(attrs), out[0], as_contiguous(stream, in[0]),
                  as_contiguous(stream, in[1]));
}
void derivative_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_grid_sample(stream, sampling_of(attrs, attrs.list(3)), out[0], as_contiguous(stream, in[0]),
                  as_contiguous(stream, in[1]));
}
// (gradient, image, grid) -> gradients of image and grid
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("grid_sampler_backward", in);
  const Shape expected = sample_sizes(in[1]->sizes, in[2]->sizes, attrs);
  OA_REQUIRE(in[0]->sizes == expected, "grid_sampler_backward: expected a gradient of shape ",
             expected, ", was ", in[0]->sizes);
  out.add((attrs.integer(3) & 1) != 0 ? in[1]->sizes : Shape{0}, in[0]->dtype);
  out.add((attrs.integer(3) & 2) != 0 ? in[2]->sizes : Shape{0}, in[0]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_grid_sample_backward(
      stream, sampling_of(attrs), (attrs.integer(3) & 1) != 0 ? out[0] : Tensor(),
      (attrs.integer(3) & 2) != 0 ? out[1] : Tensor(), as_contiguous(stream, in[0]),
      as_contiguous(stream, in[1]), as_contiguous(stream, in[2]));
}
// (gradient, grid) -> gradient of the image
void adjoint_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("grid_sampler_adjoint", in);
  const Shape sizes = attrs.list(4), expected = sample_sizes(sizes, in[1]->sizes, attrs);
  OA_REQUIRE(in[0]->sizes == expected, "grid_sampler_adjoint: expected a gradient of shape ",
             expected, ", was ", in[0]->sizes);
  out.add(sizes, in[0]->dtype);
}
void adjoint_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_grid_sample_backward(stream, sampling_of(attrs, attrs.list(3)), out[0], {},
                           as_contiguous(stream, in[0]), {}, as_contiguous(stream, in[1]));
}

Tensor derivative(const Tensor& image, const Tensor& grid, const Attrs& attrs, const Shape& orders);
Tensor adjoint(const Tensor& gradient, const Tensor& grid, const Attrs& attrs, const Shape& orders,
               const Shape& sizes);
void backward(const Tensor& gradient, const Tensor& image, const Tensor& grid, const Attrs& attrs,
              int64_t mask, Tensor* out);

Shape orders_of(size_t dims) {
  Shape out;
  for (size_t d = 0; d < dims; ++d) out.push_back(0);
  return out;
}
Shape raised(Shape orders, size_t axis) {
  ++orders[axis];
  return orders;
}
// Sums over channels of g times derivatives of the image's samples: a gradient of the grid.
Tensor slopes(const Tensor& g, const Tensor& image, const Tensor& grid, const Attrs& attrs,
              const Shape& orders) {
  std::vector<Tensor> parts;
  for (size_t d = 0; d < orders.size(); ++d)
    parts.push_back(sum(mul(g, derivative(image, grid, attrs, raised(orders, d))), Shape{1}));
  return stack(parts, -1);
}

void vjp(VjpCall& call) {
  Tensor out[2];
  backward(call.grad(), call.input(0), call.input(1), call.attrs(),
           int64_t{call.needs(0)} + 2 * int64_t{call.needs(1)}, out);
  if (call.needs(0)) call.set(0, out[0]);
  if (call.needs(1)) call.set(1, out[1]);
}
void derivative_vjp(VjpCall& call) {
  const Tensor g = call.grad(), image = call.input(0), grid = call.input(1);
  const Shape orders = call.attrs().list(3);
  if (call.needs(0)) call.set(0, adjoint(g, grid, call.attrs(), orders, image.sizes()));
  if (call.needs(1)) call.set(1, slopes(g, image, grid, call.attrs(), orders));
}
void adjoint_vjp(VjpCall& call) {
  const Tensor u = call.grad(), g = call.input(0), grid = call.input(1);
  const Shape orders = call.attrs().list(3);
  if (call.needs(0)) call.set(0, derivative(u, grid, call.attrs(), orders));
  if (call.needs(1)) call.set(1, slopes(g, u, grid, call.attrs(), orders));
}
// u and v are the gradients of the image's and the grid's gradient; with D_d the derivative along
// axis d: <v, dgrid> = sum over d and channels of g v_d D_d(image).
void backward_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const Tensor g = call.input(0), image = call.input(1), grid = call.input(2);
  const size_t dims = static_cast<size_t>(image.dim()) - 2;
  const Shape zero = orders_of(dims);
  Tensor dg, dimage, dgrid;
  const auto accumulate = [](Tensor& into, const Tensor& more) {
    into = into.defined() ? add(into, more) : more;
  };
  if ((attrs.integer(3) & 1) != 0 && call.grad(0).defined()) {
    const Tensor u = call.grad(0);
    if (call.needs(0)) accumulate(dg, derivative(u, grid, attrs, zero));
    if (call.needs(2)) accumulate(dgrid, slopes(g, u, grid, attrs, zero));
  }
  if ((attrs.integer(3) & 2) != 0 && call.grad(1).defined())
    for (size_t d = 0; d < dims; ++d) {
      const Tensor v = unsqueeze(select(call.grad(1), -1, static_cast<int64_t>(d)), 1);
      const Shape along = raised(zero, d);
      if (call.needs(0)) accumulate(dg, mul(v, derivative(image, grid, attrs, along)));
      if (call.needs(1)) accumulate(dimage, adjoint(mul(g, v), grid, attrs, along, image.sizes()));
      if (call.needs(2)) accumulate(dgrid, slopes(mul(g, v), image, grid, attrs, along));
    }
  if (dg.defined()) call.set(0, dg);
  if (dimage.defined()) call.set(1, dimage);
  if (dgrid.defined()) call.set(2, dgrid);
}

struct Letters {
  std::string image, grid, samples, closed;
  explicit Letters(size_t rank) {
    const std::string size = rank == 4 ? "hw" : "dhw", points = rank == 4 ? "yx" : "zyx";
    image = "nc" + size;
    grid = "n" + points + "k";
    samples = "nc" + points;
    closed = ";k" + size;
  }
};
std::string rule(Metas in, const Attrs&) {
  const Letters l(in[0]->sizes.size());
  return l.image + "," + l.grid + "->" + l.samples + l.closed;
}
std::string backward_rule(Metas in, const Attrs& attrs) {
  const Letters l(in[1]->sizes.size());
  return l.samples + "," + l.image + "," + l.grid + "->" +
         ((attrs.integer(3) & 1) != 0 ? l.image : "1") + "," +
         ((attrs.integer(3) & 2) != 0 ? l.grid : "1") + l.closed;
}
std::string adjoint_rule(Metas in, const Attrs&) {
  const Letters l(in[0]->sizes.size());
  return l.samples + "," + l.grid + "->" + l.image + l.closed;
}

// Modes, paddings and corners; grids reach beyond the image.
Samples samples2() {
  Samples out;
  for (int64_t mode = 0; mode < 3; ++mode)
    for (int64_t padding = 0; padding < 3; ++padding)
      out.push_back({{normal({1, 2, 3, 4}), normal({1, 2, 3, 2})},
                     grid_attrs(mode, padding, (mode + padding) % 2 == 0)});
  out.push_back({{normal({2, 1, 4, 3}), unit({2, 3, 2, 2})}, grid_attrs(0, 0, false)});
  return out;
}
Samples samples3() {
  Samples out;
  for (int64_t mode = 0; mode < 2; ++mode)
    for (int64_t padding = 0; padding < 3; ++padding)
      out.push_back({{normal({1, 2, 2, 3, 3}), normal({1, 2, 1, 2, 3})},
                     grid_attrs(mode, padding, (mode + padding) % 2 == 1)});
  return out;
}
template <Samples (*Forward)()>
Samples backward_samples() {
  Samples out;
  for (const Sample& s : Forward()) {
    const Shape samples = sample_sizes(s.inputs[0].sizes, s.inputs[1].sizes, s.attrs);
    out.push_back({{normal(samples), s.inputs[0], s.inputs[1]}, same(s.attrs).add(3)});
  }
  out[0].attrs = same(out[0].attrs).add(1);
  out[1].attrs = same(out[1].attrs).add(2);
  return out;
}
template <Samples (*Forward)()>
Samples derivative_samples() {
  Samples out;
  for (const Sample& s : Forward()) {
    Shape orders = orders_of(s.inputs[0].sizes.size() - 2);
    ++orders[out.size() % orders.size()];
    if (s.attrs.integer(0) == 2) ++orders[0];
    out.push_back({s.inputs, same(s.attrs).add(orders)});
  }
  return out;
}
template <Samples (*Forward)()>
Samples adjoint_samples() {
  Samples out;
  for (const Sample& s : derivative_samples<Forward>()) {
    const Shape& sizes = s.inputs[0].sizes;
    out.push_back({{normal(sample_sizes(sizes, s.inputs[1].sizes, s.attrs)), s.inputs[1]},
                   same(s.attrs).add(s.attrs.list(3)).add(sizes)});
  }
  return out;
}

constexpr Op forward_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.linear = 1, .generate = rule},
          .saves = saves_input(0) | saves_input(1),
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}
constexpr Op backward_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_infer,
          .rule = {.generate = backward_rule},
          .saves = saves_input(0) | saves_input(1) | saves_input(2),
          .vjp = backward_vjp,
          .kernels = {backward_kernel},
          .samples = samples};
}
constexpr Op derivative_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kDerivativeAttrs,
          .infer = infer,
          .rule = {.linear = 1, .generate = rule},
          .saves = saves_input(0) | saves_input(1),
          .vjp = derivative_vjp,
          .kernels = {derivative_kernel},
          .samples = samples};
}
constexpr Op adjoint_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAdjointAttrs,
          .infer = adjoint_infer,
          .rule = {.linear = 1, .generate = adjoint_rule},
          .saves = saves_input(0) | saves_input(1),
          .vjp = adjoint_vjp,
          .kernels = {adjoint_kernel},
          .samples = samples};
}
constinit const Op kForward[] = {forward_op("grid_sampler_2d", samples2),
                                 forward_op("grid_sampler_3d", samples3)};
constinit const Op kBackward[] = {
    backward_op("grid_sampler_2d_backward", backward_samples<samples2>),
    backward_op("grid_sampler_3d_backward", backward_samples<samples3>)};
constinit const Op kDerivative[] = {
    derivative_op("grid_sampler_2d_derivative", derivative_samples<samples2>),
    derivative_op("grid_sampler_3d_derivative", derivative_samples<samples3>)};
constinit const Op kAdjoint[] = {adjoint_op("grid_sampler_2d_adjoint", adjoint_samples<samples2>),
                                 adjoint_op("grid_sampler_3d_adjoint", adjoint_samples<samples3>)};

Tensor derivative(const Tensor& image, const Tensor& grid, const Attrs& attrs,
                  const Shape& orders) {
  return call_op(kDerivative[orders.size() - 2], {&image, &grid}, same(attrs).add(orders));
}
Tensor adjoint(const Tensor& gradient, const Tensor& grid, const Attrs& attrs, const Shape& orders,
               const Shape& sizes) {
  return call_op(kAdjoint[orders.size() - 2], {&gradient, &grid},
                 same(attrs).add(orders).add(sizes));
}
void backward(const Tensor& gradient, const Tensor& image, const Tensor& grid, const Attrs& attrs,
              int64_t mask, Tensor* out) {
  call_op(kBackward[image.dim() - 4], {&gradient, &image, &grid}, same(attrs).add(mask),
          std::span(out, 2));
}

void check_rank(const Tensor& input, int64_t dims) {
  OA_REQUIRE(input.dim() == dims + 2, "grid_sampler_", dims, "d: expected an input of ", dims + 2,
             " dimensions, was ", input.sizes());
}
std::tuple<Tensor, Tensor> backward_of(int64_t dims, const Tensor& grad_output, const Tensor& input,
                                       const Tensor& grid, const Attrs& attrs,
                                       const std::array<bool, 2>& output_mask) {
  check_rank(input, dims);
  Tensor out[2];
  backward(grad_output, input, grid, attrs, int64_t{output_mask[0]} + 2, out);
  return {output_mask[0] ? out[0] : Tensor(), out[1]};
}

}  // namespace

Tensor grid_sampler(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                    int64_t padding_mode, bool align_corners) {
  OA_REQUIRE(input.dim() == 4 || input.dim() == 5,
             "grid_sampler: expected an input of 4 or 5 dimensions, was ", input.sizes());
  return call_op(kForward[input.dim() - 4], {&input, &grid},
                 grid_attrs(interpolation_mode, padding_mode, align_corners));
}
Tensor grid_sampler_2d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  check_rank(input, 2);
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}
Tensor grid_sampler_3d(const Tensor& input, const Tensor& grid, int64_t interpolation_mode,
                       int64_t padding_mode, bool align_corners) {
  check_rank(input, 3);
  return grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners);
}
Tensor _grid_sampler_2d_cpu_fallback(const Tensor& input, const Tensor& grid,
                                     int64_t interpolation_mode, int64_t padding_mode,
                                     bool align_corners) {
  return grid_sampler_2d(input, grid, interpolation_mode, padding_mode, align_corners);
}
std::tuple<Tensor, Tensor> grid_sampler_2d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    const std::array<bool, 2>& output_mask) {
  return backward_of(2, grad_output, input, grid,
                     grid_attrs(interpolation_mode, padding_mode, align_corners), output_mask);
}
std::tuple<Tensor, Tensor> grid_sampler_3d_backward(const Tensor& grad_output, const Tensor& input,
                                                    const Tensor& grid, int64_t interpolation_mode,
                                                    int64_t padding_mode, bool align_corners,
                                                    const std::array<bool, 2>& output_mask) {
  return backward_of(3, grad_output, input, grid,
                     grid_attrs(interpolation_mode, padding_mode, align_corners), output_mask);
}

OA_OP(grid_sampler, &kForward[0], &kForward[1], &kBackward[0], &kBackward[1], &kDerivative[0],
      &kDerivative[1], &kAdjoint[0], &kAdjoint[1])

}  // namespace oneagent
