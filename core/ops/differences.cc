#include "core/ops/differences.h"

#include "core/kernels/elementwise.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// Neighbours subtracted, as one op.
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  OA_REQUIRE(!sizes.empty(), "diff: needs at least one dimension");
  int64_t& size = sizes[static_cast<size_t>(attrs.integer(0))];
  size = std::max<int64_t>(size - 1, 0);
  out.add(sizes, in[0]->dtype);
}
std::string rule(Metas in, const Attrs& attrs) {
  const std::string operand = along_rule(in[0]->sizes, 0).substr(0, in[0]->sizes.size());
  std::string result = operand;
  result[static_cast<size_t>(attrs.integer(0))] = 'z';
  return str(operand, "->", result, ";", operand[static_cast<size_t>(attrs.integer(0))], "z");
}
// The part of a tensor along dim, without bounds checks.
Tensor part(const Tensor& x, int64_t dim, int64_t start, int64_t count) {
  TensorMeta meta = x.impl().meta;
  meta.offset += start * meta.strides[static_cast<size_t>(dim)];
  meta.sizes[static_cast<size_t>(dim)] = count;
  return alias_of(x, meta);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  const int64_t dim = attrs.integer(0), count = in[0].size(dim) - 1;
  const Tensor above = part(in[0], dim, 1, count), below = part(in[0], dim, 0, count);
  run_binary(stream, cpu::Binary::kSub, out[0], above, below);
}
// Each difference gives its gradient to the upper neighbour and takes it from the lower one.
void vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const Shape& sizes = call.input_sizes(0);
  const Tensor u = call.grad();
  if (u.numel() == 0) return call.set(0, zeros(sizes, u.options()));
  Shape edge = sizes;
  edge[static_cast<size_t>(dim)] = 1;
  const Tensor nothing = zeros(edge, u.options());
  call.set(0, sub(cat({nothing, u}, dim), cat({u, nothing}, dim)));
}

constinit const Op kDiff = {
    .name = "diff",
    .attrs = kAlongAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule},
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(1)},
                         {{normal({2, 5, 3})}, Attrs().add(1)},
                         {{normal({3, 1})}, Attrs().add(1)},
                         {{ints({7}, 0, 9)}, Attrs().add(0)}};
        },
};

Tensor difference(const Tensor& x, int64_t dim) {
  if (x.dtype() != DType::kBool) return call_op(kDiff, {&x}, Attrs().add(dim));
  const int64_t rest = std::max<int64_t>(x.size(dim) - 1, 0);
  return logical_xor(narrow(x, dim, x.size(dim) - rest, rest), narrow(x, dim, 0, rest));
}

struct Neighbours {
  Tensor left, right;
};
Neighbours neighbours(const Tensor& x, int64_t dim) {
  const int64_t rest = x.size(dim) - 1;
  return {narrow(x, dim, 0, rest), narrow(x, dim, 1, rest)};
}

// The steps between coordinates, so that they can be multiplied with y's along dim.
Tensor steps(const char* op, const Tensor& y, const Tensor& x, int64_t dim) {
  if (x.dim() != 1) {
    Tensor wide = x;
    while (wide.dim() < y.dim()) wide = unsqueeze(wide, 0);
    return diff(wide, 1, dim < 0 ? dim : dim - y.dim());
  }
  OA_REQUIRE(x.size(0) == y.size(dim), op, ": there must be one x for each of ", y.size(dim),
             " samples, was ", x.sizes());
  Shape sizes(std::vector<int64_t>(static_cast<size_t>(y.dim()), 1));
  sizes[static_cast<size_t>(wrap_dim(dim, y.dim(), op))] = x.size(0) - 1;
  return reshape(diff(x), sizes);
}

// Without samples the integral is zero.
Tensor nothing(const Tensor& y, int64_t dim) {
  Shape sizes = y.sizes();
  sizes.erase(static_cast<size_t>(wrap_dim(dim, y.dim(), "trapezoid")));
  return zeros(sizes, y.options());
}

void check_edge(const Tensor& self, int64_t edge_order) {
  OA_REQUIRE(self.dtype() != DType::kUInt8, "gradient: has no meaning for uint8");
  OA_REQUIRE(edge_order == 1 || edge_order == 2, "gradient: edge_order must be 1 or 2, was ",
             edge_order);
}

Shape gradient_dims(const Tensor& self, const Shape& dims, int64_t edge_order) {
  check_edge(self, edge_order);
  Shape out;
  for (const int64_t dim : dims) {
    out.push_back(wrap_dim(dim, self.dim(), "gradient"));
    OA_REQUIRE(self.size(out.back()) > edge_order, "gradient: needs at least ", edge_order + 1,
               " samples along dimension ", dim, ", shape ", self.sizes());
  }
  return out;
}
Shape all_or(const Tensor& self, std::optional<int64_t> dim) {
  return normal_dims("gradient", self, dim ? Shape{*dim} : Shape{});
}

// Equal steps.
Tensor along(const Tensor& x, int64_t dim, double step, int64_t edge_order) {
  const int64_t n = x.size(dim);
  const auto at = [&](int64_t i) { return narrow(x, dim, i, 1); };
  const Tensor inside = div(sub(narrow(x, dim, 2, n - 2), narrow(x, dim, 0, n - 2)), 2 * step);
  if (edge_order == 1)
    return cat({div(sub(at(1), at(0)), step), inside, div(sub(at(n - 1), at(n - 2)), step)}, dim);
  const auto edge = [&](int64_t a, int64_t b, int64_t c, double sign) {
    const Tensor outer = add(mul(at(a), 1.5), mul(at(c), 0.5));
    return div(sub(mul(at(b), 2), outer), sign * step);
  };
  return cat({edge(0, 1, 2, 1), inside, edge(n - 1, n - 2, n - 3, -1)}, dim);
}

// Steps of their own: the parabola through three neighbours.
Tensor along(const Tensor& x, int64_t dim, const Tensor& coordinates, int64_t edge_order) {
  const int64_t n = x.size(dim);
  OA_REQUIRE(coordinates.dim() == 1 && coordinates.size(0) == n, "gradient: expected ", n,
             " coordinates for dimension ", dim, ", were ", coordinates.sizes());
  Shape sizes(std::vector<int64_t>(static_cast<size_t>(x.dim()), 1));
  sizes[static_cast<size_t>(dim)] = n - 1;
  const Tensor h = view(diff(coordinates), sizes);
  const auto at = [&](int64_t i) { return narrow(x, dim, i, 1); };
  const auto slope = [&](int64_t i) { return div(sub(at(i + 1), at(i)), narrow(h, dim, i, 1)); };
  const Tensor h1 = narrow(h, dim, 0, n - 2), h2 = narrow(h, dim, 1, n - 2);
  const Tensor rise = div(sub(narrow(x, dim, 1, n - 1), narrow(x, dim, 0, n - 1)), h);
  const Tensor s1 = narrow(rise, dim, 0, n - 2), s2 = narrow(rise, dim, 1, n - 2);
  const Tensor inside = div(add(mul(h2, s1), mul(h1, s2)), add(h1, h2));
  if (edge_order == 1) return cat({slope(0), inside, slope(n - 2)}, dim);
  // The slope at the end of a parabola with slopes s (near) and t (far) over steps h and k.
  const auto edge = [&](int64_t near, int64_t far) {
    const Tensor a = narrow(h, dim, near, 1), b = narrow(h, dim, far, 1);
    const Tensor s = slope(near), t = slope(far);
    return add(s, mul(div(a, add(a, b)), sub(s, t)));
  };
  return cat({edge(0, 1), inside, edge(n - 2, n - 3)}, dim);
}

template <class Spacing>
std::vector<Tensor> gradients(const Tensor& self, size_t count, const Spacing& spacing,
                              const Shape& dims, int64_t edge_order) {
  OA_REQUIRE(count == dims.size(), "gradient: ", count, " spacings for ", dims.size(),
             " dimensions");
  const Shape checked = gradient_dims(self, dims, edge_order);
  std::vector<Tensor> out;
  for (size_t i = 0; i < checked.size(); ++i)
    out.push_back(along(self, checked[i], spacing(i), edge_order));
  return out;
}

}  // namespace

Tensor diff(const Tensor& self, int64_t n, int64_t dim, const std::optional<Tensor>& prepend,
            const std::optional<Tensor>& append) {
  OA_REQUIRE(self.dim() > 0, "diff: needs at least one dimension");
  OA_REQUIRE(n >= 0, "diff: order must not be negative, was ", n);
  const int64_t at = wrap_dim(dim, self.dim(), "diff");
  Tensor x = self;
  if (prepend || append) {
    std::vector<Tensor> pieces;
    if (prepend) pieces.push_back(*prepend);
    pieces.push_back(self);
    if (append) pieces.push_back(*append);
    x = n == 0 ? self : cat(pieces, at);
  }
  for (int64_t i = std::min(n, x.size(at)); i > 0; --i) x = difference(x, at);
  return x;
}

Tensor trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  if (y.size(dim) == 0) return nothing(y, dim);
  OA_REQUIRE(y.dtype() != DType::kBool && x.dtype() != DType::kBool,
             "trapezoid: has no meaning for bool");
  const auto [left, right] = neighbours(y, dim);
  return div(sum(mul(add(left, right), steps("trapezoid", y, x, dim)), {dim}), 2);
}
Tensor trapezoid(const Tensor& y, Scalar dx, int64_t dim) {
  if (y.size(dim) == 0) return nothing(y, dim);
  OA_REQUIRE(y.dtype() != DType::kBool, "trapezoid: has no meaning for bool");
  const Tensor ends = add(select(y, dim, 0), select(y, dim, -1));
  return mul(sub(sum(y, {dim}), mul(ends, 0.5)), dx.number());
}
Tensor trapz(const Tensor& y, const Tensor& x, int64_t dim) { return trapezoid(y, x, dim); }
Tensor trapz(const Tensor& y, double dx, int64_t dim) { return trapezoid(y, Scalar(dx), dim); }

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, int64_t dim) {
  OA_REQUIRE(y.dtype() != DType::kBool && x.dtype() != DType::kBool,
             "cumulative_trapezoid: has no meaning for bool");
  const auto [left, right] = neighbours(y, dim);
  return div(cumsum(mul(add(left, right), steps("cumulative_trapezoid", y, x, dim)), dim), 2);
}
Tensor cumulative_trapezoid(const Tensor& y, Scalar dx, int64_t dim) {
  OA_REQUIRE(y.dtype() != DType::kBool, "cumulative_trapezoid: has no meaning for bool");
  const auto [left, right] = neighbours(y, dim);
  return mul(cumsum(add(left, right), dim), dx.number() / 2);
}

std::vector<Tensor> gradient(const Tensor& self, std::optional<Scalar> spacing,
                             std::optional<int64_t> dim, int64_t edge_order) {
  return gradient(self, spacing.value_or(1), all_or(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, Scalar spacing, const Shape& dim,
                             int64_t edge_order) {
  return gradients(
      self, dim.size(), [&](size_t) { return spacing.number(); }, dim, edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, const Shape& dim, int64_t edge_order) {
  return gradient(self, Scalar(1), dim, edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing,
                             std::optional<int64_t> dim, int64_t edge_order) {
  return gradient(self, spacing, all_or(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, ArrayRef<Scalar> spacing, const Shape& dim,
                             int64_t edge_order) {
  return gradients(
      self, spacing.size(), [&](size_t i) { return spacing[i].number(); }, dim, edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, const std::vector<Tensor>& spacing,
                             std::optional<int64_t> dim, int64_t edge_order) {
  return gradient(self, spacing, all_or(self, dim), edge_order);
}
std::vector<Tensor> gradient(const Tensor& self, const std::vector<Tensor>& spacing,
                             const Shape& dim, int64_t edge_order) {
  return gradients(
      self, spacing.size(), [&](size_t i) { return spacing[i]; }, dim, edge_order);
}

OA_OP(differences, &kDiff)

}  // namespace oneagent
