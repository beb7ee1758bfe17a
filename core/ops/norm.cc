#include "core/ops/norm.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/reduce.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"ord", AttrKind::kNumber}, {"dims", AttrKind::kInts}, {"keepdim", AttrKind::kBool}};

Attrs attrs_of(double ord, const Shape& dims, bool keepdim) {
  return Attrs().add(ord).add(dims).add(keepdim);
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("linalg_vector_norm", *in[0]);
  const Shape sizes = reduced_sizes(in[0]->sizes, attrs.list(1), attrs.flag(2));
  OA_REQUIRE(in[0]->sizes.numel() > 0 || sizes.numel() == 0 ||
                 (attrs.number(0) >= 0 && !std::isinf(attrs.number(0))),
             "linalg_vector_norm: an empty tensor of shape ", in[0]->sizes,
             " has no norm of order ", attrs.number(0));
  out.add(sizes, in[0]->dtype);
}
std::string rule(Metas in, const Attrs& attrs) {
  return whole_reduce_rule(in[0]->sizes, attrs.list(1), attrs.flag(2));
}

void in_place(Stream& stream, cpu::Unary function, const Tensor& x, double number = 0) {
  cpu::Params params;
  params.number[0] = number;
  run_unary(stream, function, x, x, params);
}

void run_norm(Stream& stream, double ord, const Shape& dims, const Tensor& in, const Tensor& out) {
  const auto run = [&](cpu::Reduce function, const Tensor& to) {
    run_reduce(stream, "linalg_vector_norm", function, to, in, dims, ord);
  };
  if (ord == 0) {
    const Tensor count = empty_on(stream, out.sizes(), DType::kInt64);
    run(cpu::Reduce::kCount, count);
    copy_into(stream, out, count);
  } else if (ord == 1) {
    run(cpu::Reduce::kSumAbs, out);
  } else if (ord == 2) {
    run(cpu::Reduce::kSumSquares, out);
    in_place(stream, cpu::Unary::kSqrt, out);
  } else if (std::isinf(ord)) {
    run(ord > 0 ? cpu::Reduce::kMaxAbs : cpu::Reduce::kMinAbs, out);
  } else {
    run(cpu::Reduce::kSumPower, out);
    in_place(stream, cpu::Unary::kPowNumber, out, 1 / ord);
  }
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_norm(stream, attrs.number(0), attrs.list(1), in[0], out[0]);
}

Tensor zero_where(const Tensor& x, const Tensor& where_zero) {
  return masked_fill(x, eq(where_zero, 0.0), 0.0);
}

// d |x|_p / d x = sign(x) (|x| / norm)^(p - 1), zero where x (p < 2) or the norm is zero; for p =
// inf shared among the elements of the largest magnitude.
Tensor norm_gradient(const Tensor& x, const Tensor& norm, const Tensor& gradient, double p,
                     const Shape& dims) {
  if (p == 2) {
    Shape kept = x.sizes();
    for (const int64_t dim : dims) kept[static_cast<size_t>(dim)] = 1;
    const Tensor size = reshape(norm, kept);
    return mul(x, zero_where(div(reshape(gradient, kept), size), size));
  }
  const Tensor n = spread(norm, x.sizes(), dims), g = spread(gradient, x.sizes(), dims);
  if (p == 0) return zeros_like(x);
  if (p == 1) return mul(g, sign(x));
  if (std::isinf(p)) {
    const Tensor hit = to(eq(abs(x), n), x.dtype());
    const Tensor share = dims.empty() ? hit : div(hit, sum(hit, dims, true));
    return mul(mul(g, sign(x)), share);
  }
  const Tensor power = pow(abs(x), p - 1);
  const Tensor scaled = mul(sign(x), p < 1 ? zero_where(power, x) : power);
  return mul(mul(g, scaled), zero_where(pow(n, 1 - p), n));
}
void vjp(VjpCall& call) {
  call.set(0, norm_gradient(call.input(0), call.output(), call.grad(), call.attrs().number(0),
                            call.attrs().list(1)));
}

Samples samples() {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {{{normal({3, 4})}, attrs_of(2, {0}, false)},
          {{distinct({3, 4})}, attrs_of(1, {1}, true)},
          {{positive({2, 1, 2})}, attrs_of(2, {0, 1, 2}, false)},
          {{positive({2, 3, 4})}, attrs_of(1, {0, 2}, false)},
          {{positive({3, 4})}, attrs_of(0, {1}, false)},
          {{positive({3, 4})}, attrs_of(3, {1}, false)},
          {{positive({2, 3, 1})}, attrs_of(1.5, {0, 2}, false)},
          {{positive({3, 4})}, attrs_of(0.5, {0}, false)},
          {{positive({3, 4})}, attrs_of(-1.5, {0}, false)},
          {{distinct({3, 4})}, attrs_of(kInfinity, {1}, false)},
          {{positive({5})}, attrs_of(-kInfinity, {0}, false)}};
}

constinit const Op kNorm = {.name = "vector_norm",
                            .attrs = kAttrs,
                            .infer = infer,
                            .rule = {.generate = rule},
                            .saves = saves_input(0) | saves_output(),
                            .flops = reduce_flops,
                            .vjp = vjp,
                            .kernels = {kernel},
                            .samples = samples};

// All dimensions but one.
Shape others(const Shape& sizes, int64_t dim) {
  Shape out;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (static_cast<int64_t>(i) != dim) out.push_back(static_cast<int64_t>(i));
  return out;
}

constexpr AttrSpec kRenormAttrs[] = {
    {"p", AttrKind::kNumber}, {"dim", AttrKind::kInt}, {"maxnorm", AttrKind::kNumber}};
constexpr double kEpsilon = 1e-7;  // PyTorch's

void renorm_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("renorm", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}
std::string renorm_rule(Metas in, const Attrs& attrs) {
  std::string closed;
  for (const int64_t dim : others(in[0]->sizes, attrs.integer(1)))
    closed += static_cast<char>('a' + dim);
  const std::string text = along_rule(in[0]->sizes, 0);
  return text.substr(0, text.find(';') + 1) + closed;
}

template <class T>
void factors(const Tensor& norms, double maxnorm) {
  for (T& norm : norms.values<T>())
    norm = norm > static_cast<T>(maxnorm) ? static_cast<T>(maxnorm / (norm + kEpsilon)) : T(1);
}
void renorm_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  Shape sizes(std::vector<int64_t>(in[0].sizes().size(), 1));
  const auto dim = static_cast<size_t>(attrs.integer(1));
  sizes[dim] = in[0].sizes()[dim];
  const Tensor norms = empty_on(stream, sizes, in[0].dtype());
  run_norm(stream, attrs.number(0), others(in[0].sizes(), attrs.integer(1)), in[0], norms);
  with_floating(norms.dtype(), [&]<class T>(Type<T>) { factors<T>(norms, attrs.number(2)); });
  run_binary(stream, cpu::Binary::kMul, out[0], in[0], norms);
}
// y = f x with f = m / (n + e) where the norm n is larger than m: dx = f g - f / (n + e) <g, x>
// dn/dx.
void renorm_vjp(VjpCall& call) {
  const Tensor x = call.input(0), g = call.grad();
  const double p = call.attrs().number(0), m = call.attrs().number(2);
  const Shape dims = others(x.sizes(), call.attrs().integer(1));
  const Tensor n = linalg_vector_norm(x, p, dims, true);
  const Tensor over = gt(n, m);
  const Tensor around = add(n, kEpsilon);
  const Tensor f = masked_fill(div(m, around), logical_not(over), 1.0);
  const Tensor pull = mul(div(mul(f, sum(mul(g, x), dims, true)), around), to(over, x.dtype()));
  call.set(0, sub(mul(g, f), norm_gradient(x, n, pull, p, dims)));
}

constinit const Op kRenorm = {
    .name = "renorm",
    .attrs = kRenormAttrs,
    .infer = renorm_infer,
    .rule = {.generate = renorm_rule},
    .saves = saves_input(0),
    .in_place = true,
    .vjp = renorm_vjp,
    .kernels = {renorm_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(2.0).add(0).add(1.0)},
                         {{positive({3, 4})}, Attrs().add(1.0).add(1).add(4.0)},
                         {{normal({2, 3, 4})}, Attrs().add(2.0).add(1).add(1.5)}};
        },
};

Tensor dtype_or_self(const Tensor& x, std::optional<DType> dtype) {
  return dtype ? to(x, *dtype) : x;
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& self, Scalar ord, OptionalShape dim, bool keepdim,
                          std::optional<DType> dtype) {
  const Tensor x = dtype_or_self(self, dtype);
  return call_op(kNorm, {&x},
                 attrs_of(ord.number(), normal_dims("linalg_vector_norm", x, dim), keepdim));
}

// The maximum of nothing is 0 here, and an Error in linalg_vector_norm().
static Scalar order_of(const Tensor& self, Scalar p) {
  return self.defined() && self.numel() == 0 && std::isinf(p.number()) ? Scalar(1) : p;
}
Tensor norm(const Tensor& self, Scalar p) { return linalg_vector_norm(self, order_of(self, p)); }
Tensor norm(const Tensor& self, std::optional<Scalar> p, DType dtype) {
  return linalg_vector_norm(self, order_of(self, p.value_or(2)), std::nullopt, false, dtype);
}
Tensor norm(const Tensor& self, std::optional<Scalar> p, const Shape& dim, bool keepdim,
            DType dtype) {
  return linalg_vector_norm(self, order_of(self, p.value_or(2)), dim, keepdim, dtype);
}
Tensor norm(const Tensor& self, std::optional<Scalar> p, const Shape& dim, bool keepdim) {
  return linalg_vector_norm(self, order_of(self, p.value_or(2)), dim, keepdim);
}
Tensor dist(const Tensor& self, const Tensor& other, Scalar p) { return norm(sub(self, other), p); }
Tensor renorm(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm) {
  OA_REQUIRE(self.dim() > 1, "renorm: needs at least two dimensions, was shape ", self.sizes());
  OA_REQUIRE(p.number() > 0, "renorm: p must be positive, was ", p);
  OA_REQUIRE(maxnorm.number() >= 0, "renorm: maxnorm must not be negative, was ", maxnorm);
  return call_op(
      kRenorm, {&self},
      Attrs().add(p.number()).add(wrap_dim(dim, self.dim(), "renorm")).add(maxnorm.number()));
}

OA_OP(norm, &kNorm, &kRenorm)

}  // namespace oneagent
