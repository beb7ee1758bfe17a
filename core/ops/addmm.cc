#include "core/ops/addmm.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/matvec.h"
#include "core/kernels/gemm.h"
#include "core/kernels/loop.h"
#include "core/kernels/product.h"
#include "core/ops/dot.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"beta", AttrKind::kNumber}, {"alpha", AttrKind::kNumber}};

Attrs attrs_of(Scalar beta, Scalar alpha) { return Attrs().add(beta.number()).add(alpha.number()); }
Scalar beta_of(const Attrs& attrs) { return attrs.number(0); }
Scalar alpha_of(const Attrs& attrs) { return attrs.number(1); }

void add_result(const char* op, Metas in, const Shape& sizes, Inferred& out) {
  require_same_dtype(op, in);
  OA_REQUIRE(in[0]->dtype != DType::kBool, op, ": has no meaning for bool");
  OA_REQUIRE(broadcast_sizes(op, in[0]->sizes, sizes) == sizes, op, ": self of shape ",
             in[0]->sizes, " cannot be broadcast to ", sizes);
  out.add(sizes, in[0]->dtype);
}

void addmm_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape &a = in[1]->sizes, &b = in[2]->sizes;
  OA_REQUIRE(a.size() == 2 && b.size() == 2, "addmm: expected matrices [m, k] and [k, n], was ", a,
             " and ", b);
  OA_REQUIRE(a[1] == b[0], "addmm: mat1 and mat2 shapes cannot be multiplied (", a[0], "x", a[1],
             " and ", b[0], "x", b[1], ")");
  add_result("addmm", in, {a[0], b[1]}, out);
}
void addmv_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape &a = in[1]->sizes, &x = in[2]->sizes;
  OA_REQUIRE(a.size() == 2 && x.size() == 1 && a[1] == x[0], "addmv: expected [m, k] and [k], was ",
             a, " and ", x);
  add_result("addmv", in, {a[0]}, out);
}
void addr_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape &u = in[1]->sizes, &v = in[2]->sizes;
  OA_REQUIRE(u.size() == 1 && v.size() == 1, "addr: expected two vectors, was ", u, " and ", v);
  add_result("addr", in, {u[0], v[0]}, out);
}
void require_batches(const char* op, Metas in) {
  const Shape &a = in[1]->sizes, &b = in[2]->sizes;
  OA_REQUIRE(a.size() == 3 && b.size() == 3 && a[0] == b[0] && a[2] == b[1], op,
             ": expected [b, m, k] and [b, k, n], was ", a, " and ", b);
}
void addbmm_infer(Metas in, const Attrs&, Inferred& out) {
  require_batches("addbmm", in);
  add_result("addbmm", in, {in[1]->sizes[1], in[2]->sizes[2]}, out);
}
void baddbmm_infer(Metas in, const Attrs&, Inferred& out) {
  require_batches("baddbmm", in);
  const Shape& a = in[1]->sizes;
  add_result("baddbmm", in, {a[0], a[1], in[2]->sizes[2]}, out);
}

// An operand that the kernel may read while it writes `out`.
Tensor apart(Stream& stream, const Tensor& out, const Tensor& x) {
  return x.impl().storage == out.impl().storage ? contiguous_copy(stream, x) : x;
}

// product(to, accumulate) writes a product to a tensor of out's shape with contiguous columns.
template <class Product>
void blend(Stream& stream, const Attrs& attrs, const Tensor& self, const Tensor& out,
           bool may_accumulate, const Product& product) {
  const Scalar beta = beta_of(attrs), alpha = alpha_of(attrs);
  if (may_accumulate && alpha.number() == 1 && beta.number() != 0) {
    const Tensor sum = out.strides().back() == 1 ? out : empty_on(stream, out.sizes(), out.dtype());
    scale(stream, sum, self, beta);
    product(sum, true);
    if (!sum.is_same(out)) copy_into(stream, out, sum);
    return;
  }
  const bool fresh = self.impl().storage == out.impl().storage || !out.is_contiguous();
  const Tensor result = fresh ? empty_on(stream, out.sizes(), out.dtype()) : out;
  product(result, false);
  add_scaled(stream, out, result, alpha, self, beta);
}

bool is_bias_row(const Tensor& self, const Tensor& out) {
  const Shape &bias = self.sizes(), &sizes = out.sizes();
  return !bias.empty() && bias.numel() == sizes[1] && bias.back() == sizes[1] && !(bias == sizes);
}

void addmm_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor &self = in[0], &result = out[0];
  const Tensor a = apart(stream, result, in[1]), b = apart(stream, result, in[2]);
  const bool wide = result.sizes()[1] > 1;
  if (wide && is_floating(result.dtype()) && beta_of(attrs).number() == 1 &&
      alpha_of(attrs).number() == 1 && is_bias_row(self, result))
    return run_gemm(stream, result, a, b, as_contiguous(stream, self));
  blend(stream, attrs, self, result, wide,
        [&](const Tensor& to, bool accumulate) { multiply(stream, to, a, b, accumulate); });
}
void addmv_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = apart(stream, out[0], in[1]), x = apart(stream, out[0], in[2]);
  blend(stream, attrs, in[0], out[0], false,
        [&](const Tensor& to, bool) { multiply_vector(stream, to, a, x); });
}
void addbmm_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = apart(stream, out[0], in[1]), b = apart(stream, out[0], in[2]);
  blend(stream, attrs, in[0], out[0], true, [&](const Tensor& to, bool accumulate) {
    if (a.sizes()[0] == 0 && !accumulate) return fill(stream, to, 0);
    multiply_batches(stream, to, a, b, accumulate);
  });
}
void baddbmm_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = apart(stream, out[0], in[1]), b = apart(stream, out[0], in[2]);
  blend(stream, attrs, in[0], out[0], true,
        [&](const Tensor& to, bool accumulate) { multiply_batches(stream, to, a, b, accumulate); });
}
void addr_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Scalar beta = beta_of(attrs), alpha = alpha_of(attrs);
  cpu::Params params;
  params.number[0] = alpha.number();
  params.number[1] = beta.number();
  params.integer[0] = alpha.integer();
  params.integer[1] = beta.integer();
  const Tensor u = apart(stream, out[0], in[1]), v = apart(stream, out[0], in[2]);
  const TensorMeta& meta = u.impl().meta;
  const Tensor column =
      alias_of(u, {{meta.sizes[0], 1}, {meta.strides[0], 1}, meta.offset, meta.dtype, meta.device});
  Tensor self = in[0];
  if (beta.number() == 0) fill(stream, self = empty_on(stream, {}, self.dtype()), 0);
  const Tensor* operands[] = {&out[0], &self, &column, &v};
  run_loop(stream, "addr", cpu::scaled_product_sum(out[0].dtype()), operands, params);
}

double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& b = in[2]->sizes;
  return 2.0 * static_cast<double>(in[1]->sizes.numel()) *
         static_cast<double>(b.size() == 1 ? 1 : b.back());
}

Tensor scaled(const Tensor& x, double factor) { return factor == 1 ? x : mul(x, factor); }
void set_self(VjpCall& call) {
  if (call.needs(0))
    call.set(0, scaled(sum_to(call.grad(), call.input_sizes(0)), call.attrs().number(0)));
}

void addmm_vjp(VjpCall& call) {
  set_self(call);
  const double alpha = call.attrs().number(1);
  if (call.needs(1)) call.set(1, scaled(mm(call.grad(), t(call.input(2))), alpha));
  if (call.needs(2)) call.set(2, scaled(mm(t(call.input(1)), call.grad()), alpha));
}
void addmv_vjp(VjpCall& call) {
  set_self(call);
  const Tensor gradient = scaled(call.grad(), call.attrs().number(1));
  if (call.needs(1)) call.set(1, outer(gradient, call.input(2)));
  if (call.needs(2)) call.set(2, mv(t(call.input(1)), gradient));
}
void addr_vjp(VjpCall& call) {
  set_self(call);
  const double alpha = call.attrs().number(1);
  if (call.needs(1)) call.set(1, scaled(mv(call.grad(), call.input(2)), alpha));
  if (call.needs(2)) call.set(2, scaled(mv(t(call.grad()), call.input(1)), alpha));
}
void batch_vjp(VjpCall& call) {
  set_self(call);
  const double alpha = call.attrs().number(1);
  Tensor gradient = call.grad();
  if (gradient.dim() == 2)
    gradient = expand(gradient, {call.input_sizes(1)[0], gradient.size(0), gradient.size(1)});
  if (call.needs(1)) call.set(1, scaled(bmm(gradient, transpose(call.input(2), 1, 2)), alpha));
  if (call.needs(2)) call.set(2, scaled(bmm(transpose(call.input(1), 1, 2), gradient), alpha));
}

// The rule of the product, with the letters of `self`: the last ones of the result's.
std::string rule_of(Metas in, const char* result, const char* operands) {
  const std::string letters = result;
  return letters.substr(letters.size() - in[0]->sizes.size()) + "," + operands + "->" + letters;
}

constexpr Op product_op(const char* name, void (*infer)(Metas, const Attrs&, Inferred&),
                        std::string (*rule)(Metas, const Attrs&), void (*vjp)(VjpCall&),
                        Kernel kernel, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.linear = 6, .added = 1, .generate = rule},
          .saves = saves_input(1) | saves_input(2),
          .in_place = true,
          .flops = flops,
          .vjp = vjp,
          .kernels = {kernel},
          .samples = samples};
}

constinit const Op kAddmm = product_op(
    "addmm", addmm_infer, [](Metas in, const Attrs&) { return rule_of(in, "mn", "mk,kn"); },
    addmm_vjp, addmm_kernel,
    [] {
      return Samples{
          {{normal({3, 5}), normal({3, 4}), normal({4, 5})}, attrs_of(1.0, 1.0)},
          {{normal({5}), normal({3, 4}), normal({4, 5})}, attrs_of(1.0, 1.0)},
          {{normal({3, 1}), normal({3, 4}), normal({4, 5})}, attrs_of(0.5, 1.0)},
          {{normal({2, 3}), normal({2, 4}), normal({4, 3})}, attrs_of(-1.5, 2.0)},
          {{normal({3, 1}), normal({3, 4}), normal({4, 1})}, attrs_of(1.0, 1.0)},
          {{normal({}), normal({2, 0}), normal({0, 3})}, attrs_of(0.5, 2.0)},
          {{ints({2, 3}, -5, 6), ints({2, 4}, -5, 6), ints({4, 3}, -5, 6)}, attrs_of(2.0, 3.0)}};
    });
constinit const Op kAddmv = product_op(
    "addmv", addmv_infer, [](Metas in, const Attrs&) { return rule_of(in, "m", "mk,k"); },
    addmv_vjp, addmv_kernel,
    [] {
      return Samples{{{normal({3}), normal({3, 4}), normal({4})}, attrs_of(1.0, 1.0)},
                     {{normal({}), normal({3, 40}), normal({40})}, attrs_of(0.5, -2.0)},
                     {{normal({3}), normal({3, 0}), normal({0})}, attrs_of(2.0, 1.0)}};
    });
constinit const Op kAddr = product_op(
    "addr", addr_infer, [](Metas in, const Attrs&) { return rule_of(in, "mn", "m,n"); }, addr_vjp,
    addr_kernel,
    [] {
      return Samples{
          {{normal({3, 4}), normal({3}), normal({4})}, attrs_of(1.0, 1.0)},
          {{normal({4}), normal({3}), normal({4})}, attrs_of(0.5, -2.0)},
          {{ints({2, 3}, -5, 6), ints({2}, -5, 6), ints({3}, -5, 6)}, attrs_of(2.0, 3.0)}};
    });
constinit const Op kAddbmm = product_op(
    "addbmm", addbmm_infer, [](Metas in, const Attrs&) { return rule_of(in, "mn", "bmk,bkn"); },
    batch_vjp, addbmm_kernel,
    [] {
      return Samples{{{normal({3, 5}), normal({2, 3, 4}), normal({2, 4, 5})}, attrs_of(1.0, 1.0)},
                     {{normal({5}), normal({2, 3, 4}), normal({2, 4, 5})}, attrs_of(0.5, -2.0)},
                     {{normal({3, 5}), normal({0, 3, 4}), normal({0, 4, 5})}, attrs_of(0.5, -2.0)}};
    });
constinit const Op kBaddbmm = product_op(
    "baddbmm", baddbmm_infer, [](Metas in, const Attrs&) { return rule_of(in, "bmn", "bmk,bkn"); },
    batch_vjp, baddbmm_kernel,
    [] {
      return Samples{
          {{normal({2, 3, 5}), normal({2, 3, 4}), normal({2, 4, 5})}, attrs_of(1.0, 1.0)},
          {{normal({2, 1, 5}), normal({2, 3, 4}), normal({2, 4, 5})}, attrs_of(0.5, -2.0)},
          {{normal({3, 5}), normal({0, 3, 4}), normal({0, 4, 5})}, attrs_of(0.5, 1.0)}};
    });

void require_scalars(const Op& op, const Tensor& self, Scalar beta, Scalar alpha) {
  require_factor(beta, self.scalar_type()), require_factor(alpha, self.scalar_type());
  if (&op != &kAddr) return;
  OA_REQUIRE(has_gradient(self.dtype()) || !(beta.is_floating() || alpha.is_floating()), op.name,
             ": For integral input tensors, argument alpha (and beta) must not be a floating point "
             "number; "
             "the type is ",
             name_of(self.dtype()));
  OA_REQUIRE(self.dtype() == DType::kBool || !(beta.isBoolean() || alpha.isBoolean()), op.name,
             ": Boolean alpha and beta only supported for Boolean results");
}
// Beside integers the factors are cut to whole numbers.
Attrs attrs_of(const Tensor& self, Scalar beta, Scalar alpha) {
  if (has_gradient(self.dtype())) return attrs_of(beta, alpha);
  return attrs_of(beta.wrapped_to<int64_t>(), alpha.wrapped_to<int64_t>());
}
Tensor call(const Op& op, const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta,
            Scalar alpha) {
  require_scalars(op, self, beta, alpha);
  return call_op(op, {&self, &a, &b}, attrs_of(self, beta, alpha));
}
const Tensor& call_over(const Op& op, const Tensor& self, const Tensor& a, const Tensor& b,
                        Scalar beta, Scalar alpha) {
  require_scalars(op, self, beta, alpha);
  return call_in_place(op, {&self, &a, &b}, attrs_of(self, beta, alpha));
}

}  // namespace

#define OA_PRODUCT(name, record)                                                                 \
  Tensor name(const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) { \
    return call(record, self, a, b, beta, alpha);                                                \
  }                                                                                              \
  const Tensor& name##_(const Tensor& self, const Tensor& a, const Tensor& b, Scalar beta,       \
                        Scalar alpha) {                                                          \
    return call_over(record, self, a, b, beta, alpha);                                           \
  }
OA_PRODUCT(addmm, kAddmm)
OA_PRODUCT(addmv, kAddmv)
OA_PRODUCT(addr, kAddr)
OA_PRODUCT(addbmm, kAddbmm)
OA_PRODUCT(baddbmm, kBaddbmm)
#undef OA_PRODUCT

OA_OP(addmm, &kAddmm, &kAddmv, &kAddr, &kAddbmm, &kBaddbmm)

}  // namespace oneagent
