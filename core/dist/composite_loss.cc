// Cross entropy over classes that are split over ranks: a row costs the exchange of its maximum,
// its sum and its target's logit, and no rank holds all logits of it.
#include "core/dist/composite.h"
#include "core/ops/ops.h"
#include "core/tensor/global_parts.h"

namespace oneagent::distributed {
namespace {

int64_t class_dim(const Tensor& x) { return x.dim() == 1 ? 0 : 1; }

// The terms of the loss for rows of classes along `dim`; what concerns rows keeps `dim` with
// size 1.
struct Terms {
  Terms(const Tensor& x, const Tensor& target, const Tensor& weight, const Attrs& attrs)
      : dim(class_dim(x)), classes(x.size(dim)), smoothing(attrs.number(2)) {
    Shape sizes;
    for (int64_t d = 0; d < x.dim(); ++d) sizes.push_back(d == dim ? classes : 1);
    const Tensor rows = unsqueeze(target, dim);
    hot = eq(view(arange(classes), sizes), rows);
    counts = to(ne(rows, attrs.integer(1)), x.scalar_type());
    each = weight.defined() ? view(weight, sizes) : ones(sizes, x.scalar_type());
    of_target =
        mul(weight.defined() ? sum(where(hot, each, zero(x)), Shape{dim}, true) : ones_like(counts),
            counts);
    share = smoothing / static_cast<double>(classes);
  }
  static Tensor zero(const Tensor& x) { return zeros({}, x.scalar_type()); }

  int64_t dim, classes;
  double smoothing, share = 0;
  Tensor hot;        // is this class the row's target
  Tensor counts;     // 0 for rows whose target is ignored
  Tensor each;       // weight of each class
  Tensor of_target;  // weight of the row's target, 0 for ignored ones
};

}  // namespace

bool splits_classes(const Tensor& x) {
  if (!is_global(x)) return false;
  for (const Placement& placement : global_parts(x).sharding)
    if (placement.is_split(class_dim(x))) return true;
  return false;
}

void class_split_cross_entropy(const Call& call) {
  const Tensor& x = call.in[0];
  const Terms t(x, call.in[1], call.in[2], call.attrs);
  const Shape dim{t.dim};
  const Tensor top = amax(x, dim, true);
  const Tensor low = add(log(sum(exp(sub(x, top)), dim, true)), top);
  const Tensor own = sum(where(t.hot, x, Terms::zero(x)), dim, true);
  Tensor rows = mul(mul(t.of_target, 1 - t.smoothing), sub(low, own));
  if (t.smoothing != 0) {
    const Tensor smooth = sum(mul(t.each, sub(low, x)), dim, true);
    rows = add(rows, mul(mul(smooth, t.share), t.counts));
  }
  call.out[1] = squeeze(low, t.dim);
  if (call.attrs.integer(0) == Reduction::None)
    call.out[0] = squeeze(rows, t.dim);
  else if (call.attrs.integer(0) == Reduction::Sum)
    call.out[0] = sum(rows);
  else
    call.out[0] = div(sum(rows), sum(t.of_target));
}

void class_split_cross_entropy_backward(const Call& call) {
  const Tensor &x = call.in[2], &low = call.in[5];
  const Terms t(x, call.in[3], call.in[4], call.attrs);
  const Tensor p = exp(sub(x, unsqueeze(low, t.dim)));
  Tensor out;
  if (call.in.has(0)) {
    Tensor g = call.in[0];
    if (call.attrs.integer(0) == Reduction::None) g = unsqueeze(g, t.dim);
    if (call.attrs.integer(0) == Reduction::Mean) g = div(g, sum(t.of_target));
    // The loss of a row is `of_low` times its log-sum, less the logits times `of_logits`.
    const Tensor certain = mul(t.of_target, 1 - t.smoothing);
    Tensor of_low = certain;
    Tensor of_logits = where(t.hot, certain, Terms::zero(x));
    if (t.smoothing != 0) {
      const Tensor smooth = mul(mul(t.each, t.share), t.counts);
      of_low = add(of_low, sum(smooth, Shape{t.dim}, true));
      of_logits = add(of_logits, smooth);
    }
    out = mul(g, sub(mul(p, of_low), of_logits));
  }
  if (call.in.has(1)) {
    const Tensor part = mul(p, unsqueeze(call.in[1], t.dim));
    out = out.defined() ? add(out, part) : part;
  }
  call.out[0] = out;
}

}  // namespace oneagent::distributed
