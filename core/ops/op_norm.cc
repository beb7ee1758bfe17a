#include "core/ops/op_norm.h"

#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

void accumulate(Tensor& into, const Tensor& more) {
  into = into.defined() ? add(into, more) : more;
}

}  // namespace

NormBackwardGradients gradients_of(const NormBackward& op, const Tensor& u, const Tensor& p,
                                   const Tensor& q) {
  const Shape &over = op.statistics, &rows = op.weights;
  const Tensor centred = sub(op.x, op.mean), n = mul(centred, op.rstd);
  NormBackwardGradients out;
  Tensor dn, drstd;
  if (u.defined()) {
    const Tensor h = op.weight.defined() ? mul(op.g, op.weight) : op.g;
    Tensor along = u;  // u and h without what own statistics take away
    Tensor of_h = h;
    if (op.own_statistics) {
      const Tensor u_n = mean(mul(u, n), over, true), h_n = mean(mul(h, n), over, true);
      along = sub(sub(u, mean(u, over, true)), mul(n, u_n));
      of_h = sub(sub(h, mean(h, over, true)), mul(n, h_n));
      dn = neg(mul(op.rstd, add(mul(h, u_n), mul(u, h_n))));
    }
    const Tensor dh = mul(op.rstd, along);
    out.g = op.weight.defined() ? mul(dh, op.weight) : dh;
    if (op.weight.defined()) out.weight = sum(mul(op.g, dh), rows, true);
    drstd = sum(mul(u, of_h), over, true);
  }
  if (p.defined()) {
    accumulate(out.g, mul(p, n));
    accumulate(dn, mul(p, op.g));
  }
  if (q.defined()) accumulate(out.g, add(q, mul(op.g, 0.0)));
  if (dn.defined()) {
    out.x = mul(dn, op.rstd);
    out.mean = neg(sum(out.x, over, true));
    accumulate(drstd, sum(mul(dn, centred), over, true));
  }
  out.rstd = drstd;
  return out;
}

Tensor statistics_gradient(const Tensor& x, const Tensor& mean, const Tensor& rstd,
                           const Tensor& g1, const Tensor& g2, double count) {
  Tensor out;
  if (g1.defined()) out = add(mul(x, 0.0), div(g1, count));
  if (g2.defined()) {
    const Tensor slope = mul(mul(g2, mul(rstd, square(rstd))), -1.0 / count);
    accumulate(out, mul(sub(x, mean), slope));
  }
  return out;
}

void infer_norm_gradients(const Shape& x, const Shape& weight, int64_t mask, DType dtype,
                          Inferred& out) {
  out.add((mask & 1) != 0 ? x : Shape{0}, dtype);
  out.add((mask & 2) != 0 ? weight : Shape{0}, dtype);
  out.add((mask & 4) != 0 ? weight : Shape{0}, dtype);
}

NormGradients wanted_gradients(std::span<Tensor> out, int64_t mask) {
  return {(mask & 1) != 0 ? out[0] : Tensor(), (mask & 2) != 0 ? out[1] : Tensor(),
          (mask & 4) != 0 ? out[2] : Tensor()};
}

Tensor gradient_if(VjpCall& call, size_t result, int64_t mask) {
  return (mask & (int64_t{1} << result)) != 0 ? call.grad(result) : Tensor();
}

}  // namespace oneagent
