// Losses of pairs of elements: the loss and its reduction in one pass, without a tensor of terms.
#include "core/kernels/copy.h"
#include "core/kernels/cpu/loss.h"
#include "core/kernels/loop.h"
#include "core/kernels/reduce.h"
#include "core/kernels/scratch.h"
#include "core/ops/activation.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/loss.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_loss.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

using cpu::PairLoss;

constexpr AttrSpec kAttrs[] = {{"reduction", AttrKind::kInt}, {"parameter", AttrKind::kNumber}};
constexpr int64_t kBlock = 8192;  // pairs of one partial sum, for any number of threads

Attrs attrs_of(int64_t reduction, double parameter = 0) {
  return Attrs().add(reduction).add(parameter);
}

Shape pair_sizes(Metas in) { return broadcast_sizes("loss", in[0]->sizes, in[1]->sizes); }

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("loss", in);
  require_floating("loss", *in[0]);
  const Shape sizes = pair_sizes(in);
  out.add(attrs.integer(0) == Reduction::None ? sizes : Shape{}, in[0]->dtype);
}

double sum_of_flat(Stream& stream, PairLoss f, const Tensor& x, const Tensor& t, double parameter) {
  const int64_t n = x.numel();
  const auto size = static_cast<int64_t>(x.element_size());
  const int64_t blocks = (n + kBlock - 1) / kBlock;
  const Scratch sums(stream, static_cast<size_t>(blocks) * sizeof(double));
  double* partial = sums.as<double>();
  stream.parallel_for(blocks, 8, [&](int64_t begin, int64_t end) {
    for (int64_t block = begin; block < end; ++block) {
      cpu::PairLossArgs args;
      const int64_t skip = block * kBlock * size;
      args.x = static_cast<const char*>(x.data_ptr()) + skip;
      args.t = static_cast<const char*>(t.data_ptr()) + skip;
      args.n = std::min(kBlock, n - block * kBlock);
      args.params.number[0] = parameter;
      partial[block] = cpu::pair_loss_sum(f, x.dtype(), args);
    }
  });
  double total = 0;
  for (int64_t i = 0; i < blocks; ++i) total += partial[i];
  return total;
}

Tensor expanded(Stream& stream, const Tensor& x, const Shape& sizes) {
  if (x.sizes() == sizes) return as_contiguous(stream, x);
  const Tensor out = empty_on(stream, sizes, x.dtype());
  copy_into(stream, out, x);
  return out;
}

template <PairLoss F>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor &x = in[0], &t = in[1];
  if constexpr (F == PairLoss::kCrossEntropy) {
    const Tensor flat = as_contiguous(stream, x);
    OA_REQUIRE(cpu::all_probabilities(x.dtype(), flat.data_ptr(), x.numel()),
               "binary_cross_entropy: all elements of input should be between 0 and 1");
  }
  const int64_t reduction = attrs.integer(0);
  if (reduction == Reduction::None) {
    cpu::Params params;
    params.number[0] = attrs.number(1);
    const Tensor* operands[] = {&out[0], &x, &t};
    return run_loop(stream, "loss", cpu::pair_loss(F, x.dtype()), operands, params);
  }
  const Shape sizes = broadcast_sizes("loss", x.sizes(), t.sizes());
  double total = sum_of_flat(stream, F, expanded(stream, x, sizes), expanded(stream, t, sizes),
                             attrs.number(1));
  if (reduction == Reduction::Mean) total /= static_cast<double>(sizes.numel());
  fill(stream, out[0], total);
}

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("loss_backward", in);
  const Shape sizes = pair_sizes(in.subspan(1));
  const Shape expected = attrs.integer(0) == Reduction::None ? sizes : Shape{};
  OA_REQUIRE(in[0]->sizes == expected, "loss_backward: expected a gradient of shape ", expected,
             ", was ", in[0]->sizes);
  out.add(sizes, in[0]->dtype);
}
template <PairLoss F>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  cpu::Params params;
  params.number[0] = attrs.number(1);
  params.number[1] =
      attrs.integer(0) == Reduction::Mean ? 1.0 / static_cast<double>(out[0].numel()) : 1.0;
  const Tensor* operands[] = {&out[0], &in[0], &in[1], &in[2]};
  run_loop(stream, "loss", cpu::pair_loss_backward(F, out[0].dtype()), operands, params);
}

// The same from other ops, for gradients of the target and of gradients.
template <PairLoss F>
Tensor composed(const Tensor& x, const Tensor& t, double p) {
  const Tensor d = sub(x, t);
  switch (F) {
    case PairLoss::kSquared:
      return square(d);
    case PairLoss::kAbsolute:
      return abs(d);
    case PairLoss::kSmoothL1:
      return where(lt(abs(d), p), mul(square(d), 0.5 / p), sub(abs(d), 0.5 * p));
    case PairLoss::kHuber:
      return where(le(abs(d), p), mul(square(d), 0.5), mul(sub(abs(d), 0.5 * p), p));
    case PairLoss::kCrossEntropy:
      return sub(mul(sub(t, 1.0), clamp(log(sub(1.0, x)), -100.0)), mul(t, clamp(log(x), -100.0)));
    case PairLoss::kLogitsCrossEntropy:
      return sub(softplus(x), mul(x, t));
    case PairLoss::kSoftMargin:
      return softplus(neg(mul(x, t)));
    case PairLoss::kDivergence:
      return mul(t, sub(log(clamp(t, 1e-300)), x));
    case PairLoss::kLogDivergence:
      return mul(exp(t), neg(d));
  }
  return {};
}
constexpr bool is_of_difference(PairLoss f) {
  return f == PairLoss::kSquared || f == PairLoss::kAbsolute || f == PairLoss::kSmoothL1 ||
         f == PairLoss::kHuber;
}

template <PairLoss F>
Composition composition_of(const Attrs& attrs) {
  return [attrs](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{
        reduced(composed<F>(in[0], in[1], attrs.number(1)), attrs.integer(0))};
  };
}

template <PairLoss F>
Tensor backward(const Tensor& gradient, const Tensor& x, const Tensor& t, const Attrs& attrs);

template <PairLoss F>
void vjp(VjpCall& call) {
  if (call.needs(1) && !is_of_difference(F))
    return vjp_by_composition(call, composition_of<F>(call.attrs()));
  const Tensor gradient = backward<F>(call.grad(), call.input(0), call.input(1), call.attrs());
  if (call.needs(0)) call.set(0, sum_to(gradient, call.input_sizes(0)));
  if (call.needs(1)) call.set(1, sum_to(neg(gradient), call.input_sizes(1)));
}
template <PairLoss F>
void backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(call, [attrs](const std::vector<Tensor>& in) {
    const Shape sizes = broadcast_sizes("loss", in[1].sizes(), in[2].sizes());
    const auto same = [attrs, &in](const std::vector<Tensor>& x) {
      return composition_of<F>(attrs)({x[0], in[2]});
    };
    const Tensor wide = in[1].sizes() == sizes ? in[1] : add(in[1], zeros(sizes, in[1].dtype()));
    return gradients_of(same, {wide}, {in[0]});
  });
}

struct About {
  const char* name;
  const char* backward;
  SampleInput (*x)(const Shape&) = normal;
  SampleInput (*t)(const Shape&) = normal;
  double parameter = 0;
};
template <PairLoss F>
struct Of;

SampleInput probability(const Shape& sizes) { return between(sizes, 0.05, 0.95); }

#define OA_ABOUT(F, ...)                          \
  template <>                                     \
  struct Of<PairLoss::F> {                        \
    static constexpr About about = {__VA_ARGS__}; \
  };
OA_ABOUT(kSquared, "mse_loss", "mse_loss_backward")
OA_ABOUT(kAbsolute, "l1_loss", "l1_loss_backward")
OA_ABOUT(kSmoothL1, "smooth_l1_loss", "smooth_l1_loss_backward", normal, normal, 0.7)
OA_ABOUT(kHuber, "huber_loss", "huber_loss_backward", normal, normal, 0.8)
OA_ABOUT(kCrossEntropy, "binary_cross_entropy", "binary_cross_entropy_backward", probability,
         probability)
OA_ABOUT(kLogitsCrossEntropy, "binary_cross_entropy_with_logits",
         "binary_cross_entropy_with_logits_backward", normal, probability)
OA_ABOUT(kSoftMargin, "soft_margin_loss", "soft_margin_loss_backward")
OA_ABOUT(kDivergence, "kl_div", "kl_div_backward", normal, probability)
OA_ABOUT(kLogDivergence, "kl_div_log_target", "kl_div_log_target_backward")
#undef OA_ABOUT

template <PairLoss F>
Samples samples() {
  constexpr About about = Of<F>::about;
  const auto attrs = [&](int64_t reduction) { return attrs_of(reduction, about.parameter); };
  return {{{about.x({3, 4}), about.t({3, 4})}, attrs(Reduction::None)},
          {{about.x({2, 19}), about.t({2, 19})}, attrs(Reduction::Mean)},
          {{about.x({2, 3}), about.t({3})}, attrs(Reduction::Sum)},
          {{about.x({}), about.t({})}, attrs(Reduction::Mean)},
          {{about.x({0, 3}), about.t({0, 3})}, attrs(Reduction::Sum)}};
}
template <PairLoss F>
Samples backward_samples() {
  constexpr About about = Of<F>::about;
  const auto attrs = [&](int64_t reduction) { return attrs_of(reduction, about.parameter); };
  return {{{normal({3, 4}), about.x({3, 4}), about.t({3, 4})}, attrs(Reduction::None)},
          {{normal({}), about.x({2, 19}), about.t({2, 19})}, attrs(Reduction::Mean)},
          {{normal({}), about.x({2, 3}), about.t({3})}, attrs(Reduction::Sum)}};
}

std::string rule(Metas, const Attrs& attrs) {
  return attrs.integer(0) == Reduction::None  ? "...,...->..."
         : attrs.integer(0) == Reduction::Sum ? "...,...->"
                                              : "...,...->;...";
}
std::string backward_rule(Metas, const Attrs& attrs) {
  return attrs.integer(0) == Reduction::None  ? "...,...,...->..."
         : attrs.integer(0) == Reduction::Sum ? ",...,...->..."
                                              : ",...,...->...;...";
}

template <PairLoss F>
constinit const Op kForward = {.name = Of<F>::about.name,
                               .attrs = kAttrs,
                               .infer = infer,
                               .rule = {.generate = rule},
                               .saves = saves_input(0) | saves_input(1),
                               .vjp = vjp<F>,
                               .kernels = {kernel<F>},
                               .samples = samples<F>};
template <PairLoss F>
constinit const Op kBackward = {.name = Of<F>::about.backward,
                                .attrs = kAttrs,
                                .infer = backward_infer,
                                .rule = {.linear = 1, .generate = backward_rule},
                                .saves = saves_input(0) | saves_input(1) | saves_input(2),
                                .vjp = backward_vjp<F>,
                                .kernels = {backward_kernel<F>},
                                .samples = backward_samples<F>};

template <PairLoss F>
Tensor backward(const Tensor& gradient, const Tensor& x, const Tensor& t, const Attrs& attrs) {
  return call_op(kBackward<F>, {&gradient, &x, &t}, attrs);
}

template <PairLoss F>
Tensor forward(const Tensor& x, const Tensor& t, int64_t reduction, double parameter = 0) {
  require_reduction(Of<F>::about.name, reduction);
  const Attrs attrs = attrs_of(reduction, parameter);
  if (x.dtype() == t.dtype()) return call_op(kForward<F>, {&x, &t}, attrs);
  const DType dtype = result_type(x, t);
  const Tensor a = to(x, dtype), b = to(t, dtype);
  return call_op(kForward<F>, {&a, &b}, attrs);
}

Tensor weighted(const Tensor& loss, const Tensor& weight, int64_t reduction) {
  return reduced(mul(loss, weight), reduction);
}
bool is_given(const std::optional<Tensor>& x) { return x.has_value() && x->defined(); }
void require_same_sizes(const char* op, const Tensor& x, const Tensor& t) {
  OA_REQUIRE(x.sizes() == t.sizes(), op, ": the target has shape ", t.sizes(), ", the input ",
             x.sizes());
}

}  // namespace

Tensor mse_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return forward<PairLoss::kSquared>(self, target, reduction);
}
Tensor l1_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  if (!is_floating(result_type(self, target))) return reduced(abs(sub(self, target)), reduction);
  return forward<PairLoss::kAbsolute>(self, target, reduction);
}
Tensor smooth_l1_loss(const Tensor& self, const Tensor& target, int64_t reduction, double beta) {
  OA_REQUIRE(beta >= 0, "smooth_l1_loss does not support negative values for beta., was ", beta);
  if (beta == 0) return l1_loss(self, target, reduction);
  return forward<PairLoss::kSmoothL1>(self, target, reduction, beta);
}
Tensor huber_loss(const Tensor& self, const Tensor& target, int64_t reduction, double delta) {
  OA_REQUIRE(delta > 0, "huber_loss does not support non-positive values for delta., was ", delta);
  return forward<PairLoss::kHuber>(self, target, reduction, delta);
}
Tensor binary_cross_entropy(const Tensor& self, const Tensor& target,
                            const std::optional<Tensor>& weight, int64_t reduction) {
  require_same_sizes("binary_cross_entropy", self, target);
  if (!is_given(weight)) return forward<PairLoss::kCrossEntropy>(self, target, reduction);
  return weighted(forward<PairLoss::kCrossEntropy>(self, target, Reduction::None), *weight,
                  reduction);
}
Tensor binary_cross_entropy_with_logits(const Tensor& self, const Tensor& target,
                                        const std::optional<Tensor>& weight,
                                        const std::optional<Tensor>& pos_weight,
                                        int64_t reduction) {
  const bool plain = !is_given(weight) && !is_given(pos_weight);
  if (plain) return forward<PairLoss::kLogitsCrossEntropy>(self, target, reduction);
  Tensor loss;
  if (is_given(pos_weight)) {
    const Tensor factor = add(mul(sub(*pos_weight, 1.0), target), 1.0);
    loss = add(mul(sub(1.0, target), self), mul(factor, softplus(neg(self))));
  } else {
    loss = forward<PairLoss::kLogitsCrossEntropy>(self, target, Reduction::None);
  }
  return is_given(weight) ? weighted(loss, *weight, reduction) : reduced(loss, reduction);
}
Tensor soft_margin_loss(const Tensor& self, const Tensor& target, int64_t reduction) {
  return forward<PairLoss::kSoftMargin>(self, target, reduction);
}
Tensor kl_div(const Tensor& self, const Tensor& target, int64_t reduction, bool log_target) {
  if (log_target) return forward<PairLoss::kLogDivergence>(self, target, reduction);
  return forward<PairLoss::kDivergence>(self, target, reduction);
}

Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                         int64_t reduction) {
  return backward<PairLoss::kSquared>(grad_output, self, target, attrs_of(reduction));
}
Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                               int64_t reduction, double beta) {
  return backward<PairLoss::kSmoothL1>(grad_output, self, target, attrs_of(reduction, beta));
}
Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& self, const Tensor& target,
                           int64_t reduction, double delta) {
  return backward<PairLoss::kHuber>(grad_output, self, target, attrs_of(reduction, delta));
}
Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& self,
                                 const Tensor& target, int64_t reduction) {
  return backward<PairLoss::kSoftMargin>(grad_output, self, target, attrs_of(reduction));
}
Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& self,
                                     const Tensor& target, const std::optional<Tensor>& weight,
                                     int64_t reduction) {
  const Tensor out =
      backward<PairLoss::kCrossEntropy>(grad_output, self, target, attrs_of(reduction));
  return is_given(weight) ? mul(out, *weight) : out;
}

#define OA_BOTH(F) &kForward<PairLoss::F>, &kBackward<PairLoss::F>
OA_OP(pair_loss, OA_BOTH(kSquared), OA_BOTH(kAbsolute), OA_BOTH(kSmoothL1), OA_BOTH(kHuber),
      OA_BOTH(kCrossEntropy), OA_BOTH(kLogitsCrossEntropy), OA_BOTH(kSoftMargin),
      OA_BOTH(kDivergence), OA_BOTH(kLogDivergence))

}  // namespace oneagent
