#include "core/ops/op_complex.h"

#include <algorithm>

#include "core/ops/op_support.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using View = std::string_view;
using Operands = std::vector<Tensor>;

template <size_t N>
bool contains(const View (&list)[N], View name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

// Linear, element by element: the parts are elements of a tensor with one more dimension.
constexpr View kElementwise[] = {"add", "sub",        "accumulate", "add_scaled",
                                 "neg", "mul_number", "div_number"};
// Linear over dimensions that are counted from the front.
constexpr View kAlong[] = {"sum", "mean", "cumsum", "index_add"};
// Linear: the parts go through one after the other.
constexpr View kLinear[] = {"index_put",
                            "put",
                            "scatter_add",
                            "trace",
                            "diff",
                            "unfold",
                            "unfold_backward",
                            "block_diag",
                            "im2col",
                            "col2im",
                            "repeat_interleave",
                            "pixel_shuffle",
                            "pixel_unshuffle",
                            "embedding",
                            "embedding_dense_backward",
                            "native_channel_shuffle",
                            "masked_fill_tensor",
                            "index_fill_tensor"};
// The same, but that the imaginary part is filled with 0.
constexpr View kFilling[] = {"masked_fill", "index_fill", "scatter_value", "fill_diagonal",
                             "constant_pad_nd"};
constexpr View kProducts[] = {"mm", "bmm", "mv", "dot"};

[[noreturn]] void refuse(const Call& call) {
  DType dtype = DType::kComplex64;
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in.has(i) && call.in[i].is_complex()) dtype = call.in[i].scalar_type();
  throw NotImplementedError(
      str("\"", call.op.name, "\" not implemented for '", toString(dtype), "'"));
}

void call_on(const Call& call, const Operands& in, const Attrs& attrs, std::span<Tensor> out) {
  std::vector<const Tensor*> operands;
  for (const Tensor& operand : in) operands.push_back(&operand);
  call_op(call.op, Inputs(operands.data(), operands.size()), attrs, out);
}
Tensor call_on(const Call& call, const Operands& in, const Attrs& attrs) {
  Tensor out;
  call_on(call, in, attrs, std::span(&out, 1));
  return out;
}

Tensor on_real_views(const Call& call, Operands in) {
  for (Tensor& operand : in)
    if (operand.defined() && operand.is_complex()) operand = view_as_real(operand);
  return complex_result(call_on(call, in, call.attrs));
}

// Each part of all complex operands at once; the results are joined.
std::vector<Tensor> on_each_part(const Call& call, const Operands& in, const Attrs& of_imag) {
  Operands real_in = in, imag_in = in;
  for (size_t i = 0; i < in.size(); ++i) {
    if (!in[i].defined() || !in[i].is_complex()) continue;
    real_in[i] = real(in[i]);
    imag_in[i] = imag(in[i]);
  }
  std::vector<Tensor> a(call.out.size()), b(call.out.size());
  call_on(call, real_in, call.attrs, a);
  call_on(call, imag_in, of_imag, b);
  for (size_t i = 0; i < a.size(); ++i) a[i] = joined(a[i], b[i]);
  return a;
}

Attrs without_numbers(const Op& op, const Attrs& attrs) {
  Attrs out;
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const AttrSpec& spec = op.attrs[i];
    if (spec.kind == AttrKind::kInts)
      out.add(attrs.list(i));
    else if (spec.kind == AttrKind::kNumber || View(spec.name) == "integer")
      out.add(int64_t{0});
    else
      out.add(attrs.integer(i));
  }
  return out;
}

Tensor product_of(const Call& call, const Operands& in) {
  const auto [ar, ai] = parts_of(in[0]);
  const auto [br, bi] = parts_of(in[1]);
  const auto times = [&](const Tensor& a, const Tensor& b) {
    return call_op(call.op, {&a, &b}, call.attrs);
  };
  return joined(sub(times(ar, br), times(ai, bi)), add(times(ar, bi), times(ai, br)));
}

Tensor addmm_of(const Call& call, const Operands& in) {
  return add(mul(in[0], call.attrs.number(0)), mul(mm(in[1], in[2]), call.attrs.number(1)));
}
Tensor linear_of(const Operands& in) {
  const Tensor product = matmul(in[0], t(in[1]));
  return in[2].defined() ? add(product, in[2]) : product;
}

// Pairs are multiplied until one element is left.
Tensor product_along(const Tensor& z, int64_t dim) {
  const int64_t n = z.size(dim);
  if (n == 0) return ones_like(sum(z, Shape{dim}, true));
  if (n == 1) return z;
  const Tensor half = mul(narrow(z, dim, 0, n / 2), narrow(z, dim, n / 2, n / 2));
  return product_along(n % 2 == 0 ? half : cat({half, narrow(z, dim, n - 1, 1)}, dim), dim);
}
Tensor prod_of(const Call& call, const Tensor& z) {
  const Shape dims = call.attrs.list(0);
  Tensor out = z;
  for (const int64_t dim : dims) out = product_along(out, dim);
  if (call.attrs.flag(1)) return out;
  for (size_t i = dims.size(); i-- > 0;) out = squeeze(out, dims[i]);
  return out;
}

Tensor both(const Tensor& z, Tensor (*test)(const Tensor&), bool all) {
  const auto [re, im] = parts_of(z);
  return all ? logical_and(test(re), test(im)) : logical_or(test(re), test(im));
}

// |a - b| <= atol + rtol |b|
Tensor close_of(const Call& call, const Operands& in) {
  const double rtol = call.attrs.number(0), atol = call.attrs.number(2);
  const Tensor near = le(abs(sub(in[0], in[1])), add(mul(abs(in[1]), rtol), atol));
  const Tensor same = logical_or(eq(in[0], in[1]), logical_and(near, isfinite(in[1])));
  if (call.attrs.integer(5) == 0) return same;
  return logical_or(same, logical_and(isnan(in[0]), isnan(in[1])));
}

Tensor variance_of(const Call& call, const Tensor& z) {
  const auto [re, im] = parts_of(z);
  return add(call_on(call, {re}, call.attrs), call_on(call, {im}, call.attrs));
}

// The complex system as a real one: [[A, -B], [B, A]] [x; y] = [c; d].
Tensor block_matrix(const Tensor& z) {
  const auto [a, b] = parts_of(z);
  return cat({cat({a, neg(b)}, -1), cat({b, a}, -1)}, -2);
}
Tensor halves(const Tensor& x, int64_t dim) {
  const int64_t n = x.size(dim) / 2;
  return joined(narrow(x, dim, 0, n), narrow(x, dim, n, n));
}
// Results: the solution, the factors and pivots of the real system, LAPACK's info.
void solve(const Call& call, const Operands& in) {
  const bool left = call.attrs.flag(0);  // else x a = b
  const Tensor a = left ? in[0] : transpose(in[0], -2, -1);
  const Tensor b = left ? in[1] : transpose(in[1], -2, -1);
  const Tensor wide = cat({real(b), imag(b)}, -2);
  const auto [x, lu, pivots, info] = _linalg_solve_ex(block_matrix(a), wide, true, false);
  const Tensor z = halves(x, -2);
  call.out[0] = left ? z : transpose(z, -2, -1);
  call.out[1] = lu;
  call.out[2] = pivots;
  call.out[3] = info;
}
void invert(const Call& call, const Tensor& z) {
  const auto [inverse, info] = linalg_inv_ex(block_matrix(z), false);
  call.out[0] = halves(narrow(inverse, -1, 0, z.size(-1)), -2);
  call.out[1] = info;
}

// Undefined where the op has no meaning.
Tensor result_of(const Call& call, const Operands& in) {
  const View name = call.op.name;
  const Tensor& z = in[0];
  if (contains(kElementwise, name)) return on_real_views(call, in);
  if (name == "mul") return complex_product(z, in[1]);
  if (name == "div") return complex_quotient(z, in[1]);
  if (name == "pow") return complex_power(z, in[1]);
  if (contains(kAlong, name)) return z.dim() == 0 ? clone(z) : on_real_views(call, in);
  if (contains(kLinear, name)) return on_each_part(call, in, call.attrs)[0];
  if (contains(kFilling, name))
    return on_each_part(call, in, without_numbers(call.op, call.attrs))[0];
  if (contains(kProducts, name)) return product_of(call, in);
  if (name == "addmm") return addmm_of(call, in);
  if (name == "linear") return linear_of(in);
  if (name == "prod") return prod_of(call, z);
  if (name == "eq") return logical_and(eq(real(z), real(in[1])), eq(imag(z), imag(in[1])));
  if (name == "ne") return logical_or(ne(real(z), real(in[1])), ne(imag(z), imag(in[1])));
  if (name == "isnan") return both(z, isnan, false);
  if (name == "isinf") return both(z, isinf, false);
  if (name == "isfinite") return both(z, isfinite, true);
  if (name == "isclose") return close_of(call, in);
  if (name == "vector_norm") return call_on(call, {abs(z)}, call.attrs);
  if (name == "var") return variance_of(call, z);
  if (name == "any" || name == "all" || name == "count_nonzero" || name == "nonzero" ||
      name == "logical_not")
    return call_on(call, {ne(z, 0)}, call.attrs);
  const bool number = !call.op.attrs.empty() && call.op.attrs[0].kind == AttrKind::kNumber;
  return complex_function(name, z, number ? call.attrs.number(0) : 0);
}

}  // namespace

void run_complex(const Call& call) {
  const View name = call.op.name;
  Operands in;
  for (size_t i = 0; i < call.in.size(); ++i) in.push_back(call.in[i]);
  if (name == "linalg_solve_ex") return solve(call, in);
  if (name == "linalg_inv_ex") return invert(call, in[0]);
  if (call.out.size() != 1) refuse(call);
  // What is changed must not be what the parts remember.
  for (Tensor& operand : in)
    if (call.in_place && context().grad_mode && operand.defined() &&
        operand.is_alias_of(call.in[0]))
      operand = clone(operand);
  const Tensor result = result_of(call, in);
  if (!result.defined()) refuse(call);
  if (!call.in_place) {
    call.out[0] = result;
    return;
  }
  OA_REQUIRE(
      result.sizes() == call.in[0].sizes() && (call.in[0].is_complex() || !result.is_complex()),
      call.op.name, "_: a result of shape ", result.sizes(), " and type ", result.scalar_type(),
      " cannot be stored in one of shape ", call.in[0].sizes(), " and type ",
      call.in[0].scalar_type());
  copy_(call.in[0], result);
}

}  // namespace oneagent
