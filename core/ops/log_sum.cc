#include "core/ops/log_sum.h"

#include "core/kernels/cpu/transcendental.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Transcendental2;
constexpr auto kAny = Elementwise::kAny;
constexpr auto kFloating = Elementwise::kFloating;
constexpr uint32_t kBoth = Record::kBoth;

Samples any_samples() {
  return {{{normal({3, 4}), normal({3, 4})}},
          {{normal({2, 3}), normal({3})}},
          {{normal({}), normal({})}}};
}
Samples log_samples() {
  return {{{normal({3, 4}), positive({3, 4})}}, {{normal({2, 3}), positive({3})}}};
}

void set(VjpCall& c, size_t i, const Tensor& gradient) { Record::set(c, i, gradient); }

template <bool kBinary>
void logaddexp_vjp(VjpCall& c) {
  const Tensor a = c.input(0), b = c.input(1);
  const auto share = [](const Tensor& x) { return add(kBinary ? exp2(x) : exp(x), 1.0); };
  if (c.needs(0)) set(c, 0, div(c.grad(), share(sub(b, a))));
  if (c.needs(1)) set(c, 1, div(c.grad(), share(sub(a, b))));
}
Tensor one_or_zero(const Tensor& x) { return to(ne(x, 0.0), x.scalar_type()); }
void xlogy_vjp(VjpCall& c) {
  const Tensor x = c.input(0), y = c.input(1);
  if (c.needs(0)) set(c, 0, mul(c.grad(), xlogy(one_or_zero(x), y)));
  if (c.needs(1)) set(c, 1, mul(c.grad(), div(x, y)));
}
void xlog1py_vjp(VjpCall& c) {
  const Tensor x = c.input(0), y = c.input(1);
  if (c.needs(0)) set(c, 0, mul(c.grad(), special_xlog1py(one_or_zero(x), y)));
  if (c.needs(1)) set(c, 1, mul(c.grad(), div(x, add(y, 1.0))));
}
Tensor logit_backward(const Tensor& gradient, const Tensor& x, const Attrs& attrs);
void logit_vjp(VjpCall& c) { c.set(0, logit_backward(c.grad(), c.input(0), c.attrs())); }

// Of g / (x (1 - x)): the same of the gradient, and -g (1 - 2 x) / (x (1 - x))^2.
void logit_backward_vjp(VjpCall& c) {
  const Tensor x = c.input(1), slope = logit_backward(c.grad(), x, c.attrs());
  if (c.needs(0)) c.set(0, slope);
  if (!c.needs(1)) return;
  const Tensor bend = mul(c.input(0), sub(mul(x, 2.0), 1.0));
  c.set(1, mul(logit_backward(slope, x, c.attrs()), bend));
}
void logit_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor* operands[] = {&out[0], &in[0], &in[1]};
  run_loop(stream, "logit", cpu::logit_backward(in[1].scalar_type()), operands,
           Record::params_of(attrs));
}

void logit_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor* operands[] = {&out[0], &in[0]};
  run_loop(stream, "logit", cpu::logit(in[0].scalar_type()), operands, Record::params_of(attrs));
}

constinit const Op kLogaddexp = Record::binary<Transcendental2::kLogaddexp>(
    "logaddexp", logaddexp_vjp<false>, kBoth, any_samples);
constinit const Op kLogaddexp2 = Record::binary<Transcendental2::kLogaddexp2>(
    "logaddexp2", logaddexp_vjp<true>, kBoth, any_samples);
constinit const Op kXlogy =
    Record::binary<Transcendental2::kXlogy>("xlogy", xlogy_vjp, kBoth, log_samples);
constinit const Op kXlog1py =
    Record::binary<Transcendental2::kXlog1py>("special_xlog1py", xlog1py_vjp, kBoth, log_samples);
constexpr AttrSpec kEps[] = {{"eps", AttrKind::kNumber}, {"eps_integer", AttrKind::kInt}};
constinit const Op kLogit = {
    .name = "logit",
    .attrs = kEps,
    .infer = Record::infer_same,
    .rule = {.factors = "...->..."},
    .saves = Record::kX,
    .in_place = true,
    .vjp = logit_vjp,
    .kernels = {logit_kernel},
    .samples =
        [] {
          return Samples{{{between({3, 4}, 0.05, 0.95)}, Record::attrs_of(-1.0)},
                         {{between({9}, 0, 1)}, Record::attrs_of(0.2)},
                         {{between({}, 0.3, 0.6)}, Record::attrs_of(-1.0)}};
        },
};

constinit const Op kLogitBackward = {
    .name = "logit_backward",
    .attrs = kEps,
    .infer = Record::infer_broadcast,
    .rule = {.factors = "...,...->...", .linear = 1},
    .saves = Record::kBoth,
    .in_place = true,
    .vjp = logit_backward_vjp,
    .kernels = {logit_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), between({3, 4}, 0.05, 0.95)}, Record::attrs_of(-1.0)},
                         {{normal({9}), between({9}, 0, 1)}, Record::attrs_of(0.2)},
                         {{normal({}), between({}, 0.3, 0.6)}, Record::attrs_of(-1.0)}};
        },
};

Tensor logit_backward(const Tensor& gradient, const Tensor& x, const Attrs& attrs) {
  return call_op(kLogitBackward, {&gradient, &x}, attrs);
}

Attrs eps_attrs(std::optional<double> eps) { return Record::attrs_of(eps.value_or(-1.0)); }

void frexp_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("frexp", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(in[0]->sizes, DType::kInt32);
}
void frexp_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_unary(stream, cpu::Unary::kMantissa, out[0], in[0]);
  const Tensor* operands[] = {&out[1], &in[0]};
  run_loop(stream, "frexp", cpu::exponent(in[0].scalar_type()), operands);
}
void frexp_vjp(VjpCall& c) {
  if (c.grad(0).defined()) c.set(0, div(c.grad(0), exp2(to(c.output(1), c.input_dtype(0)))));
}
constinit const Op kFrexp = {
    .name = "frexp",
    .infer = frexp_infer,
    .rule = {.factors = "...->...,..."},
    .saves = saves_output(1),
    .vjp = frexp_vjp,
    .kernels = {frexp_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}}, {{between({}, 3, 9)}}};
        },
};

}  // namespace

Tensor logaddexp(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLogaddexp, kAny, self, other);
}
Tensor logaddexp2(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLogaddexp2, kAny, self, other);
}
Tensor xlogy(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kXlogy, kFloating, self, other);
}
Tensor xlogy(Scalar number, const Tensor& other) {
  return Elementwise::call(kXlogy, kFloating, number, other);
}
Tensor xlogy(const Tensor& self, Scalar other) {
  return Elementwise::call(kXlogy, kFloating, self, other);
}
Tensor special_xlogy(const Tensor& self, const Tensor& other) { return xlogy(self, other); }
Tensor special_xlogy(Scalar number, const Tensor& other) { return xlogy(number, other); }
Tensor special_xlogy(const Tensor& self, Scalar other) { return xlogy(self, other); }
Tensor special_xlog1py(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kXlog1py, kFloating, self, other);
}
Tensor special_xlog1py(Scalar number, const Tensor& other) {
  return Elementwise::call(kXlog1py, kFloating, number, other);
}
Tensor special_xlog1py(const Tensor& self, Scalar other) {
  return Elementwise::call(kXlog1py, kFloating, self, other);
}
Tensor logit(const Tensor& self, std::optional<double> eps) {
  return Elementwise::call(kLogit, kFloating, self, eps_attrs(eps));
}
Tensor special_logit(const Tensor& self, std::optional<double> eps) { return logit(self, eps); }

const Tensor& xlogy_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kXlogy, kFloating, self, other);
}
const Tensor& xlogy_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kXlogy, kFloating, self, other);
}
const Tensor& logit_(const Tensor& self, std::optional<double> eps) {
  return Elementwise::call_(kLogit, kFloating, self, eps_attrs(eps));
}

std::tuple<Tensor, Tensor> frexp(const Tensor& self) {
  Tensor out[2];
  call_op(kFrexp, {&self}, {}, out);
  return {out[0], out[1]};
}

OA_OP(log_sum, &kLogaddexp, &kLogaddexp2, &kXlogy, &kXlog1py, &kLogit, &kLogitBackward, &kFrexp)

}  // namespace oneagent
