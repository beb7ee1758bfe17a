#include "core/ops/gamma.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/gamma.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/log_sum.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Gamma;
using cpu::Gamma2;
constexpr auto kFloating = Elementwise::kFloating;

Samples positive_samples() {
  return {{{positive({3, 4})}}, {{between({8}, -5, 12)}}, {{positive({})}}};
}
Samples polygamma_samples() {
  return {{{between({3, 4}, 2, 8)}, Record::attrs_of(1)},
          {{positive({6})}, Record::attrs_of(2)},
          {{positive({})}, Record::attrs_of(3)}};
}

constinit const Op kLgamma = Record::unary<Gamma::kLgamma>(
    "lgamma", [](VjpCall& c) { c.set(0, mul(c.grad(), digamma(c.input(0)))); }, Record::kX,
    positive_samples);
constinit const Op kDigamma = Record::unary<Gamma::kDigamma>(
    "digamma", [](VjpCall& c) { c.set(0, mul(c.grad(), polygamma(1, c.input(0)))); }, Record::kX,
    [] {
      return Samples{{{between({3, 4}, 2, 8)}}, {{between({}, 2, 8)}}};
    });
constinit const Op kPolygamma = Record::unary<Gamma::kPolygamma>(
    "polygamma",
    [](VjpCall& c) { c.set(0, mul(c.grad(), polygamma(c.attrs().integer(1) + 1, c.input(0)))); },
    Record::kX, polygamma_samples, Record::kOneNumber);

// The first operand is a parameter without gradient; an integer one is converted here.
void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("special function", *in[1]);
  OA_REQUIRE(in[0]->dtype == in[1]->dtype || !is_floating(in[0]->dtype),
             "special function: operands have types ", name_of(in[0]->dtype), " and ",
             name_of(in[1]->dtype));
  out.add(broadcast_sizes("special function", in[0]->sizes, in[1]->sizes), in[1]->dtype);
}
template <Gamma2 F>
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  Tensor parameter = in[0];
  if (parameter.scalar_type() != in[1].scalar_type()) {
    parameter = empty_on(stream, in[0].sizes(), in[1].scalar_type());
    copy_into(stream, parameter, in[0]);
  }
  const Tensor* operands[] = {&out[0], &parameter, &in[1]};
  run_loop(stream, "special function", inner_of(F, in[1].scalar_type()), operands);
}

void require_no_gradient(const char* op, const VjpCall& c) {
  OA_REQUIRE(!c.needs(0), op, ": has no gradient with respect to its first operand");
}
// x^(a-1) exp(-x) / Gamma(a)
Tensor density(VjpCall& c) {
  const Tensor a = to(c.input(0), c.input_dtype(1)), x = c.input(1);
  const Tensor exponent = sub(xlogy(sub(a, 1.0), x), add(x, lgamma(a)));
  return mul(c.grad(), exp(exponent));
}
void igamma_vjp(VjpCall& c) {
  require_no_gradient("igamma", c);
  if (c.needs(1)) Record::set(c, 1, density(c));
}
void igammac_vjp(VjpCall& c) {
  require_no_gradient("igammac", c);
  if (c.needs(1)) Record::set(c, 1, neg(density(c)));
}
void zeta_vjp(VjpCall& c) {
  require_no_gradient("special_zeta", c);
  if (!c.needs(1)) return;
  const Tensor s = to(c.input(0), c.input_dtype(1));
  Record::set(c, 1, neg(mul(c.grad(), mul(s, special_zeta(add(s, 1.0), c.input(1))))));
}

template <Gamma2 F>
constexpr Op record(const char* name, Record::Vjp vjp, Record::MakeSamples samples) {
  return {.name = name,
          .infer = infer,
          .rule = {.factors = "...,...->..."},
          .saves = Record::kBoth,
          .in_place = false,
          .vjp = vjp,
          .kernels = {kernel<F>},
          .samples = samples};
}
Samples gamma_samples() {
  return {{{ints({3, 4}, 1, 6), positive({3, 4})}},
          {{ints({6}, 1, 60), between({6}, 0.1, 50)}},
          {{ints({3, 1}, 210, 400), between({4}, 200, 420)}}};
}
constinit const Op kIgamma = record<Gamma2::kIgamma>("igamma", igamma_vjp, gamma_samples);
constinit const Op kIgammac = record<Gamma2::kIgammac>("igammac", igammac_vjp, gamma_samples);
constinit const Op kZeta = record<Gamma2::kZeta>("special_zeta", zeta_vjp, [] {
  return Samples{{{ints({3, 4}, 2, 6), positive({3, 4})}},
                 {{ints({}, 2, 9), between({6}, 0.5, 20)}}};
});

void require_degree(int64_t n) { OA_REQUIRE(n >= 0, "polygamma: n must not be negative, was ", n); }
Tensor in_floating(const Tensor& x) { return as_floating(x); }

}  // namespace

Tensor lgamma(const Tensor& self) { return Elementwise::call(kLgamma, kFloating, self); }
Tensor digamma(const Tensor& self) { return Elementwise::call(kDigamma, kFloating, self); }
Tensor polygamma(int64_t n, const Tensor& self) {
  require_degree(n);
  if (n == 0) return digamma(self);
  return Elementwise::call(kPolygamma, kFloating, self, Record::attrs_of(n));
}
Tensor polygamma(const Tensor& self, int64_t n) { return polygamma(n, self); }
// The product of Gamma(x - i / 2), i < p, times pi^(p (p - 1) / 4).
Tensor mvlgamma(const Tensor& self, int64_t p) {
  OA_REQUIRE(p >= 1, "mvlgamma: p must be positive, was ", p);
  const Tensor x = in_floating(self);
  Tensor total = lgamma(x);
  for (int64_t i = 1; i < p; ++i) total = add(total, lgamma(sub(x, 0.5 * static_cast<double>(i))));
  return add(total, 1.14472988584940017414 * 0.25 * static_cast<double>(p * (p - 1)));
}
static void require_floating_result(const char* op, const Tensor& self, const Tensor& other) {
  OA_REQUIRE(has_gradient(Elementwise::type_of(Elementwise::kAny, self, other)), op,
             ": needs a floating operand");
}
Tensor igamma(const Tensor& self, const Tensor& other) {
  require_floating_result("igamma", self, other);
  return Elementwise::call(kIgamma, kFloating, self, other);
}
Tensor igammac(const Tensor& self, const Tensor& other) {
  require_floating_result("igammac", self, other);
  return Elementwise::call(kIgammac, kFloating, self, other);
}
Tensor special_gammaln(const Tensor& self) { return lgamma(self); }
Tensor special_psi(const Tensor& self) { return digamma(self); }
Tensor special_digamma(const Tensor& self) { return digamma(self); }
Tensor special_polygamma(int64_t n, const Tensor& self) { return polygamma(n, self); }
Tensor special_multigammaln(const Tensor& self, int64_t p) { return mvlgamma(self, p); }
Tensor special_gammainc(const Tensor& self, const Tensor& other) { return igamma(self, other); }
Tensor special_gammaincc(const Tensor& self, const Tensor& other) { return igammac(self, other); }
Tensor special_zeta(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kZeta, kFloating, self, other);
}
Tensor special_zeta(Scalar number, const Tensor& other) {
  return Elementwise::call(kZeta, kFloating, number, other);
}
Tensor special_zeta(const Tensor& self, Scalar other) {
  return Elementwise::call(kZeta, kFloating, self, other);
}

const Tensor& lgamma_(const Tensor& self) { return Elementwise::call_(kLgamma, kFloating, self); }
const Tensor& digamma_(const Tensor& self) { return Elementwise::call_(kDigamma, kFloating, self); }
const Tensor& polygamma_(const Tensor& self, int64_t n) {
  require_degree(n);
  if (n == 0) return digamma_(self);
  return Elementwise::call_(kPolygamma, kFloating, self, Record::attrs_of(n));
}
OA_OP(gamma, &kLgamma, &kDigamma, &kPolygamma, &kIgamma, &kIgammac, &kZeta)

}  // namespace oneagent
