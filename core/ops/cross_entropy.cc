// Cross entropy of logits with target classes. Per row, with w the weights of the classes, t the
// target, e the label smoothing, c the number of classes and L = log(sum(exp(x))):
//   (1 - e) w_t (L - x_t) + e / c sum_k w_k (L - x_k)
// The record keeps L, so that the gradient takes one pass over x.
#include "core/kernels/copy.h"
#include "core/kernels/cpu/softmax.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/logsumexp.h"
#include "core/ops/number.h"
#include "core/ops/op_classes.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_loss.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/softmax.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"reduction", AttrKind::kInt},
                               {"ignore_index", AttrKind::kInt},
                               {"label_smoothing", AttrKind::kNumber}};

Attrs attrs_of(int64_t reduction, int64_t ignore_index, double smoothing) {
  return Attrs().add(reduction).add(ignore_index).add(smoothing);
}

// Contiguous operands of one call.
struct Operands {
  Operands(Stream& stream, const Tensor& logits, const Tensor& targets, const Tensor& weights,
           const Attrs& attrs)
      : x(as_contiguous(stream, logits)),
        target(as_contiguous(stream, targets)),
        weight(weights.defined() ? as_contiguous(stream, weights) : Tensor()),
        c(classes_of("cross_entropy_loss", x.impl().meta, target.impl().meta,
                     weight.defined() ? &weight.impl().meta : nullptr)),
        reduction(attrs.integer(0)),
        ignore(attrs.integer(1)),
        smoothing(attrs.number(2)) {
    require_targets("cross_entropy_loss", target, c.classes, ignore);
    t = target.data_ptr<int64_t>();
  }

  template <class T>
  T weight_of(int64_t k) const {
    return weight.defined() ? weight.data_ptr<T>()[k] : T(1);
  }
  template <class T>
  double sum_of_weights() const {
    double sum = 0;
    for (int64_t k = 0; k < c.classes; ++k) sum += static_cast<double>(weight_of<T>(k));
    return sum;
  }
  template <class T>
  double total_weight() const {
    double total = 0;
    for (int64_t row = 0; row < c.rows(); ++row)
      if (t[row] != ignore) total += static_cast<double>(weight_of<T>(t[row]));
    return total;
  }
  int64_t element(int64_t row, int64_t k) const {
    return (row / c.inner * c.classes + k) * c.inner + row % c.inner;
  }
  double share() const { return smoothing / static_cast<double>(c.classes); }

  Tensor x, target, weight;
  Classes c;
  int64_t reduction, ignore;
  double smoothing;
  const int64_t* t;
};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  classes_of("cross_entropy_loss", *in[0], *in[1], in[2]);
  const bool each = attrs.integer(0) == Reduction::None;
  out.add(each ? in[1]->sizes : Shape{}, in[0]->dtype);
  out.add(in[1]->sizes, in[0]->dtype);
}

template <class T>
T smoothed_part(const Operands& o, int64_t row, T low, T weights) {
  const T* x = o.x.data_ptr<T>();
  T sum = 0;
  for (int64_t k = 0; k < o.c.classes; ++k) sum += o.weight_of<T>(k) * x[o.element(row, k)];
  return weights * low - sum;
}

template <class T>
void losses(const Operands& o, const T* low, T* out) {
  const T* x = o.x.data_ptr<T>();
  const T certain = static_cast<T>(1 - o.smoothing), share = static_cast<T>(o.share());
  const T weights = share == T(0) ? T(0) : static_cast<T>(o.sum_of_weights<T>());
  const bool each = o.reduction == Reduction::None;
  double sum = 0;
  for (int64_t row = 0; row < o.c.rows(); ++row) {
    T loss = 0;
    if (const int64_t k = o.t[row]; k != o.ignore) {
      loss = certain * o.weight_of<T>(k) * (low[row] - x[o.element(row, k)]);
      if (share != T(0)) loss += share * smoothed_part(o, row, low[row], weights);
    }
    if (each) out[row] = loss;
    sum += static_cast<double>(loss);
  }
  if (each) return;
  *out = static_cast<T>(o.reduction == Reduction::Mean ? sum / o.total_weight<T>() : sum);
}

constexpr int64_t kGrain = 32768;
int64_t grain_of(const Classes& c) {
  return std::max<int64_t>(kGrain / std::max<int64_t>(c.classes * c.inner, 1) / 64, 1) * 64;
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Operands o(stream, in[0], in[1], in[2], attrs);
  const auto size = static_cast<int64_t>(o.x.element_size());
  const int64_t block = o.c.classes * o.c.inner;
  if (block > 0)
    stream.parallel_for(o.c.n, grain_of(o.c), [&](int64_t begin, int64_t end) {
      cpu::SoftmaxArgs args;
      args.in = static_cast<const char*>(o.x.data_ptr()) + begin * block * size;
      args.out = static_cast<char*>(out[1].data_ptr()) + begin * o.c.inner * size;
      args.rows = end - begin;
      args.n = o.c.classes;
      args.inner = o.c.inner;
      cpu::logsumexp(o.x.dtype(), args);
    });
  with_floating(o.x.dtype(), [&]<class T>(Type<T>) {
    losses<T>(o, out[1].data_ptr<T>(), out[0].data_ptr<T>());
  });
}

// Inputs: gradients of the loss and of L (either may be absent), x, target, weight, L.
void backward_infer(Metas in, const Attrs&, Inferred& out) {
  classes_of("cross_entropy_loss_backward", *in[2], *in[3], in[4]);
  out.add(in[2]->sizes, in[2]->dtype);
}

// The gradient of row r is factor[r] softmax(x) less what the targets and the smoothing take away.
template <class T>
void backward(Stream& stream, const Operands& o, const Tensor& g, const Tensor& g_low,
              const Tensor& low, const Tensor& out) {
  const T certain = static_cast<T>(1 - o.smoothing), share = static_cast<T>(o.share());
  const T weights = share == T(0) ? T(0) : static_cast<T>(o.sum_of_weights<T>());
  const bool each = o.reduction == Reduction::None;
  const double total = o.reduction == Reduction::Mean && g.defined() ? o.total_weight<T>() : 1.0;
  const Tensor factors = empty_on(stream, {3, o.c.rows()}, out.dtype());
  T* factor = factors.data_ptr<T>();
  T *at_target = factor + o.c.rows(), *at_all = at_target + o.c.rows();
  const T whole =
      g.defined() && !each ? static_cast<T>(static_cast<double>(*g.data_ptr<T>()) / total) : T(0);
  for (int64_t row = 0; row < o.c.rows(); ++row) {
    const T scale = !g.defined() ? T(0) : each ? g.data_ptr<T>()[row] : whole;
    const bool counts = o.t[row] != o.ignore;
    at_target[row] = counts ? scale * certain * o.weight_of<T>(o.t[row]) : T(0);
    at_all[row] = counts ? scale * share : T(0);
    factor[row] = at_target[row] + at_all[row] * weights;
    if (g_low.defined()) factor[row] += g_low.data_ptr<T>()[row];
  }
  const int64_t block = o.c.classes * o.c.inner;
  T* to = out.data_ptr<T>();
  stream.parallel_for(o.c.n, grain_of(o.c), [&](int64_t begin, int64_t end) {
    cpu::SoftmaxGradArgs args;
    args.x = o.x.data_ptr<T>() + begin * block;
    args.shift = low.data_ptr<T>() + begin * o.c.inner;
    args.scale = factor + begin * o.c.inner;
    args.out = to + begin * block;
    args.rows = end - begin;
    args.n = o.c.classes;
    args.inner = o.c.inner;
    cpu::logsumexp_backward(out.dtype(), args);
  });
  for (int64_t row = 0; row < o.c.rows(); ++row) {
    if (o.t[row] == o.ignore) continue;
    to[o.element(row, o.t[row])] -= at_target[row];
    if (share == T(0)) continue;
    for (int64_t k = 0; k < o.c.classes; ++k)
      to[o.element(row, k)] -= at_all[row] * o.weight_of<T>(k);
  }
}

void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Operands o(stream, in[2], in[3], in[4], attrs);
  const Tensor g = in.has(0) ? as_contiguous(stream, in[0]) : Tensor();
  const Tensor g_low = in.has(1) ? as_contiguous(stream, in[1]) : Tensor();
  const Tensor low = as_contiguous(stream, in[5]);
  if (o.c.rows() * o.c.classes == 0) return;
  with_floating(out[0].dtype(),
                [&]<class T>(Type<T>) { backward<T>(stream, o, g, g_low, low, out[0]); });
}

// The same from other ops.

struct Weights {  // of a row, and of its classes summed
  Tensor target, all, share;
};
Weights weights_of(const Tensor& x, const Tensor& target, const Tensor& weight,
                   const Attrs& attrs) {
  const Tensor mask = counted(target, attrs.integer(1), x.dtype());
  const int64_t classes = x.size(class_dim(x.sizes()));
  const double share = attrs.number(2) / static_cast<double>(classes);
  const Tensor sum_all =
      weight.defined() ? sum(weight) : wrapped_scalar(static_cast<double>(classes), x.dtype());
  Weights out;
  out.target = target_weights(target, weight, attrs.integer(1), x.dtype());
  out.share = mul(mask, share);
  out.all = add(mul(out.target, 1 - attrs.number(2)), mul(out.share, sum_all));
  return out;
}
Tensor class_weights(const Tensor& x, const Tensor& weight) {
  const int64_t classes = x.size(class_dim(x.sizes()));
  return along_classes(weight.defined() ? weight : ones({classes}, x.dtype()), x.sizes());
}

std::vector<Tensor> composed(const std::vector<Tensor>& in, const Attrs& attrs) {
  const Tensor &x = in[0], &target = in[1], &weight = in[2];
  const int64_t dim = class_dim(x.sizes());
  const Weights w = weights_of(x, target, weight, attrs);
  const Tensor low = logsumexp(x, dim);
  const Tensor index = unsqueeze(safe_target(target, attrs.integer(1)), dim);
  const Tensor picked = squeeze(gather(x, dim, index), dim);
  const Tensor mixed = sum(mul(x, class_weights(x, weight)), Shape{dim});
  Tensor loss = sub(mul(low, w.all), mul(mul(w.target, 1 - attrs.number(2)), picked));
  loss = sub(loss, mul(w.share, mixed));
  if (attrs.integer(0) == Reduction::Mean) return {div(sum(loss), sum(w.target)), low};
  return {attrs.integer(0) == Reduction::Sum ? sum(loss) : loss, low};
}

std::vector<Tensor> composed_backward(const std::vector<Tensor>& in, const Attrs& attrs) {
  const Tensor &g = in[0], &g_low = in[1], &x = in[2], &target = in[3], &weight = in[4];
  const int64_t dim = class_dim(x.sizes());
  const Tensor p = exp(sub(x, unsqueeze(in[5], dim)));
  Tensor out;
  if (g_low.defined()) out = mul(p, unsqueeze(g_low, dim));
  if (!g.defined()) return {out};
  const Weights w = weights_of(x, target, weight, attrs);
  Tensor scale = attrs.integer(0) == Reduction::Mean ? div(g, sum(w.target)) : g;
  const Tensor at_target = unsqueeze(mul(mul(w.target, 1 - attrs.number(2)), scale), dim);
  Tensor own = mul(p, unsqueeze(mul(w.all, scale), dim));
  own = sub(own, mul(one_hot_like(x, target, attrs.integer(1)), at_target));
  own = sub(own, mul(unsqueeze(mul(w.share, scale), dim), class_weights(x, weight)));
  return {out.defined() ? add(out, own) : own};
}

Tensor backward(const VjpCall& call);

void vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  if (call.needs(2))
    return vjp_by_composition(
        call, [attrs](const std::vector<Tensor>& in) { return composed(in, attrs); });
  call.set(0, backward(call));
}
void backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(
      call, [attrs](const std::vector<Tensor>& in) { return composed_backward(in, attrs); });
}

std::string rule_of_parts(Metas in, const Attrs& attrs) {
  const std::string one = classes_rule(in, attrs.integer(0) != Reduction::None);
  const std::string each = classes_rule(in, false);
  const size_t closed = one.find(';'), arrow = each.find("->");
  return one.substr(0, closed) + "," + each.substr(arrow + 2, each.find(';') - arrow - 2) +
         one.substr(closed);
}
// A mean is one over all elements.
std::string rule(Metas in, const Attrs& attrs) {
  const std::string parts = rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}
std::string backward_rule_of_parts(Metas in, const Attrs& attrs) {
  const std::string each = classes_rule(in, false, 2);
  const size_t arrow = each.find("->"), closed = each.find(';');
  const std::string operands = each.substr(0, arrow);
  const std::string rows = each.substr(arrow + 2, closed - arrow - 2);
  const std::string loss = attrs.integer(0) == Reduction::None ? rows : "";
  return loss + "," + rows + "," + operands + "," + rows + "->" +
         operands.substr(0, operands.find(',')) + each.substr(closed);
}
// A mean is one over all elements.
std::string backward_rule(Metas in, const Attrs& attrs) {
  const std::string parts = backward_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}

Samples samples() {
  return {
      {{normal({3, 5}), ints({3}, 0, 5), absent()}, attrs_of(Reduction::Mean, -100, 0.0)},
      {{normal({4, 40}), ints({4}, 0, 40), positive({40})}, attrs_of(Reduction::Mean, 2, 0.1)},
      {{normal({2, 3, 4}), ints({2, 4}, 0, 3), positive({3})}, attrs_of(Reduction::None, 1, 0.2)},
      {{normal({2, 3, 2, 2}), ints({2, 2, 2}, 0, 3), absent()}, attrs_of(Reduction::Sum, 0, 0.3)},
      {{normal({4}), ints({}, 0, 4), absent()}, attrs_of(Reduction::Mean, -100, 0.0)}};
}
Samples backward_samples() {
  return {{{normal({}), normal({3}), normal({3, 5}), ints({3}, 0, 5), absent(), positive({3})},
           attrs_of(Reduction::Mean, -100, 0.0)},
          {{normal({2, 4}), absent(), normal({2, 3, 4}), ints({2, 4}, 0, 3), positive({3}),
            positive({2, 4})},
           attrs_of(Reduction::None, 1, 0.2)},
          {{normal({}), absent(), normal({2, 40}), ints({2}, 0, 40), positive({40}), positive({2})},
           attrs_of(Reduction::Mean, -100, 0.1)}};
}

constinit const Op kCrossEntropy = {
    .name = "cross_entropy_loss",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(2),
    .rule = {.generate = rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_output(1),
    .vjp = vjp,
    .kernels = {kernel},
    .samples = samples};
constinit const Op kCrossEntropyBackward = {
    .name = "cross_entropy_loss_backward",
    .attrs = kAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.linear = kTogether | 3, .generate = backward_rule},
    .saves = kSavesAllInputs,
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = backward_samples};

Tensor backward(const VjpCall& call) {
  const Tensor x = call.input(0), target = call.input(1), weight = call.input(2);
  const Tensor low = call.output(1);
  return call_op(kCrossEntropyBackward, {&call.grad(0), &call.grad(1), &x, &target, &weight, &low},
                 call.attrs());
}

// Targets are probabilities: -sum(target' weight log_softmax(x)), target' being smoothed.
Tensor of_probabilities(const Tensor& x, const Tensor& target, const Tensor& weight,
                        int64_t reduction, double smoothing) {
  OA_REQUIRE(target.is_floating_point(), "cross_entropy_loss: probabilities must be floating, was ",
             name_of(target.dtype()));
  const int64_t dim = class_dim(x.sizes()), classes = x.size(dim);
  Tensor wanted = target;
  if (smoothing > 0)
    wanted = add(mul(target, 1 - smoothing), smoothing / static_cast<double>(classes));
  if (weight.defined()) wanted = mul(wanted, along_classes(weight, x.sizes()));
  const Tensor loss = neg(mul(log_softmax(x, dim), wanted));
  if (reduction == Reduction::None) return sum(loss, Shape{dim});
  const Tensor total = sum(loss);
  if (reduction == Reduction::Sum) return total;
  return div(total, static_cast<double>(x.numel() / std::max<int64_t>(classes, 1)));
}

}  // namespace

Tensor cross_entropy_loss(const Tensor& self, const Tensor& target,
                          const std::optional<Tensor>& weight, int64_t reduction,
                          int64_t ignore_index, double label_smoothing) {
  require_reduction("cross_entropy_loss", reduction);
  OA_REQUIRE(label_smoothing >= 0 && label_smoothing <= 1,
             "label_smoothing must be between 0.0 and 1.0. Got: ", label_smoothing);
  const Tensor weights = weight.value_or(Tensor());
  if (self.sizes() == target.sizes()) {
    OA_REQUIRE(ignore_index < 0,
               "cross_entropy_loss: probabilities cannot be ignored, ignore_index was ",
               ignore_index);
    return of_probabilities(self, target, weights, reduction, label_smoothing);
  }
  if (self.dim() > 1 && target.dim() > 0 && self.size(0) != target.size(0))
    throw ValueError(str("Expected input batch_size (", self.size(0),
                         ") to match target batch_size (", target.size(0), ")."));
  Tensor out[2];
  call_op(kCrossEntropy, {&self, &target, &weights},
          attrs_of(reduction, ignore_index, label_smoothing), out);
  return out[0];
}

OA_OP(cross_entropy, &kCrossEntropy, &kCrossEntropyBackward)

}  // namespace oneagent
