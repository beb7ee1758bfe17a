// Negative logarithms of the probabilities of target classes.
#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_classes.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_loss.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"reduction", AttrKind::kInt}, {"ignore_index", AttrKind::kInt}};

Attrs attrs_of(int64_t reduction, int64_t ignore_index) {
  return Attrs().add(reduction).add(ignore_index);
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  classes_of("nll_loss", *in[0], *in[1], in[2]);
  const bool each = attrs.integer(0) == Reduction::None;
  out.add(each ? in[1]->sizes : Shape{}, in[0]->dtype);
}

// Visits each target that counts: visit(row, index of its element in x, its weight).
template <class T, class Visit>
double each_target(const Classes& c, const Tensor& target, const Tensor& weight, int64_t ignore,
                   const Visit& visit) {
  const int64_t* t = target.data_ptr<int64_t>();
  const T* w = weight.defined() ? weight.data_ptr<T>() : nullptr;
  double total = 0;
  for (int64_t n = 0; n < c.n; ++n)
    for (int64_t i = 0; i < c.inner; ++i) {
      const int64_t row = n * c.inner + i;
      if (t[row] == ignore) continue;
      const T factor = w != nullptr ? w[t[row]] : T(1);
      total += static_cast<double>(factor);
      visit(row, (n * c.classes + t[row]) * c.inner + i, factor);
    }
  return total;
}

Tensor contiguous_or_absent(Stream& stream, Inputs in, size_t i) {
  return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]), target = as_contiguous(stream, in[1]);
  const Tensor weight = contiguous_or_absent(stream, in, 2);
  const Classes c = classes_of("nll_loss", x.impl().meta, target.impl().meta, nullptr);
  require_targets("nll_loss", target, c.classes, attrs.integer(1));
  const bool each = attrs.integer(0) == Reduction::None;
  fill(stream, out[0], 0.0);
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    double sum = 0;
    const double total =
        each_target<T>(c, target, weight, attrs.integer(1), [&](int64_t row, int64_t at, T factor) {
          const T loss = -from[at] * factor;
          if (each) to[row] = loss;
          sum += static_cast<double>(loss);
        });
    if (!each) *to = static_cast<T>(attrs.integer(0) == Reduction::Mean ? sum / total : sum);
  });
}

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  classes_of("nll_loss_backward", *in[1], *in[2], in[3]);
  const Shape expected = attrs.integer(0) == Reduction::None ? in[2]->sizes : Shape{};
  OA_REQUIRE(in[0]->sizes == expected, "nll_loss_backward: expected a gradient of shape ", expected,
             ", was ", in[0]->sizes);
  out.add(in[1]->sizes, in[1]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor gradient = as_contiguous(stream, in[0]), target = as_contiguous(stream, in[2]);
  const Tensor weight = contiguous_or_absent(stream, in, 3);
  const Classes c = classes_of("nll_loss", out[0].impl().meta, target.impl().meta, nullptr);
  require_targets("nll_loss", target, c.classes, attrs.integer(1));
  fill(stream, out[0], 0.0);
  with_floating(out[0].dtype(), [&]<class T>(Type<T>) {
    const T* g = gradient.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    const int64_t ignore = attrs.integer(1);
    if (attrs.integer(0) == Reduction::None) {
      each_target<T>(c, target, weight, ignore,
                     [&](int64_t row, int64_t at, T factor) { to[at] = -g[row] * factor; });
      return;
    }
    const double total =
        attrs.integer(0) == Reduction::Sum
            ? 1.0
            : each_target<T>(c, target, weight, ignore, [](int64_t, int64_t, T) {});
    const T scaled = static_cast<T>(static_cast<double>(*g) / total);
    each_target<T>(c, target, weight, ignore,
                   [&](int64_t, int64_t at, T factor) { to[at] = -scaled * factor; });
  });
}

Composition composition_of(const Attrs& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    const Tensor &x = in[0], &target = in[1];
    const int64_t dim = class_dim(x.sizes());
    const Tensor index = unsqueeze(safe_target(target, attrs.integer(1)), dim);
    const Tensor picked = squeeze(gather(x, dim, index), dim);
    const Tensor weights = target_weights(target, in[2], attrs.integer(1), x.dtype());
    const Tensor loss = neg(mul(picked, weights));
    if (attrs.integer(0) == Reduction::None) return std::vector<Tensor>{loss};
    const Tensor total = sum(loss);
    return std::vector<Tensor>{attrs.integer(0) == Reduction::Mean ? div(total, sum(weights))
                                                                   : total};
  };
}

Tensor backward(const Tensor& g, const Tensor& x, const Tensor& target, const Tensor& weight,
                const Attrs& attrs);

void vjp(VjpCall& call) {
  if (call.needs(2)) return vjp_by_composition(call, composition_of(call.attrs()));
  call.set(0, backward(call.grad(), call.input(0), call.input(1), call.input(2), call.attrs()));
}
void backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(call, [attrs](const std::vector<Tensor>& in) {
    const auto same = [&](const std::vector<Tensor>& x) {
      return composition_of(attrs)({x[0], in[2], in[3]});
    };
    return gradients_of(same, {in[1]}, {in[0]});
  });
}

std::string rule_of_parts(Metas in, const Attrs& attrs) {
  return classes_rule(in, attrs.integer(0) != Reduction::None);
}
// A mean is one over all elements.
std::string rule(Metas in, const Attrs& attrs) {
  const std::string parts = rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}
std::string backward_rule_of_parts(Metas in, const Attrs& attrs) {
  const std::string forward = classes_rule(in, attrs.integer(0) != Reduction::None, 1);
  const size_t arrow = forward.find("->"), closed = forward.find(';');
  const std::string loss = forward.substr(arrow + 2, closed - arrow - 2);
  const std::string operands = forward.substr(0, arrow);
  return loss + "," + operands + "->" + operands.substr(0, operands.find(',')) +
         forward.substr(closed);
}
// A mean is one over all elements.
std::string backward_rule(Metas in, const Attrs& attrs) {
  const std::string parts = backward_rule_of_parts(in, attrs);
  return attrs.integer(0) == Reduction::Mean ? closed_whole(parts) : parts;
}

Samples samples() {
  return {{{normal({3, 5}), ints({3}, 0, 5), absent()}, attrs_of(Reduction::Mean, -100)},
          {{normal({4, 5}), ints({4}, 0, 5), positive({5})}, attrs_of(Reduction::Mean, 2)},
          {{normal({2, 3, 4}), ints({2, 4}, 0, 3), positive({3})}, attrs_of(Reduction::None, 1)},
          {{normal({2, 3, 2, 2}), ints({2, 2, 2}, 0, 3), absent()}, attrs_of(Reduction::Sum, 0)},
          {{normal({4}), ints({}, 0, 4), positive({4})}, attrs_of(Reduction::None, -100)}};
}
Samples backward_samples() {
  return {
      {{normal({}), normal({3, 5}), ints({3}, 0, 5), absent()}, attrs_of(Reduction::Mean, -100)},
      {{normal({2, 4}), normal({2, 3, 4}), ints({2, 4}, 0, 3), positive({3})},
       attrs_of(Reduction::None, 1)},
      {{normal({}), normal({4, 3}), ints({4}, 0, 3), positive({3})}, attrs_of(Reduction::Mean, 2)}};
}

constinit const Op kNllLoss = {.name = "nll_loss",
                               .attrs = kAttrs,
                               .infer = infer,
                               .absent = saves_input(2),
                               .rule = {.linear = 1, .generate = rule},
                               .saves = saves_input(0) | saves_input(1) | saves_input(2),
                               .vjp = vjp,
                               .kernels = {kernel},
                               .samples = samples};
constinit const Op kNllLossBackward = {
    .name = "nll_loss_backward",
    .attrs = kAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.linear = 1, .generate = backward_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_input(3),
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = backward_samples};

Tensor backward(const Tensor& g, const Tensor& x, const Tensor& target, const Tensor& weight,
                const Attrs& attrs) {
  return call_op(kNllLossBackward, {&g, &x, &target, &weight}, attrs);
}

}  // namespace

Tensor nll_loss_nd(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                   int64_t reduction, int64_t ignore_index) {
  require_reduction("nll_loss", reduction);
  const Tensor weights = weight.value_or(Tensor());
  return call_op(kNllLoss, {&self, &target, &weights}, attrs_of(reduction, ignore_index));
}
Tensor nll_loss(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                int64_t reduction, int64_t ignore_index) {
  OA_REQUIRE(self.dim() == 1 || self.dim() == 2, "nll_loss: expected x [c] or [n, c], was ",
             self.sizes());
  return nll_loss_nd(self, target, weight, reduction, ignore_index);
}
Tensor nll_loss2d(const Tensor& self, const Tensor& target, const std::optional<Tensor>& weight,
                  int64_t reduction, int64_t ignore_index) {
  OA_REQUIRE(self.dim() == 4, "nll_loss2d: expected x [n, c, h, w], was ", self.sizes());
  return nll_loss_nd(self, target, weight, reduction, ignore_index);
}
std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                              const std::optional<Tensor>& weight,
                                              int64_t reduction, int64_t ignore_index) {
  OA_REQUIRE(self.dim() == 4, "nll_loss2d: expected x [n, c, h, w], was ", self.sizes());
  return nll_loss_forward(self, target, weight, reduction, ignore_index);
}
std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& self, const Tensor& target,
                                            const std::optional<Tensor>& weight, int64_t reduction,
                                            int64_t ignore_index) {
  const Tensor weights =
      target_weights(target, weight.value_or(Tensor()), ignore_index, self.dtype());
  return {nll_loss_nd(self, target, weight, reduction, ignore_index),
          reduction == Reduction::None ? wrapped_scalar(0.0, self.dtype()) : sum(weights)};
}
Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         const std::optional<Tensor>& weight, int64_t reduction,
                         int64_t ignore_index, const Tensor&) {
  return backward(grad_output, self, target, weight.value_or(Tensor()),
                  attrs_of(reduction, ignore_index));
}

OA_OP(nll_loss, &kNllLoss, &kNllLossBackward)

}  // namespace oneagent
