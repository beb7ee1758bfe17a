#include "core/ops/prelu.h"

#include <bit>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/activation.h"
#include "core/kernels/loop.h"
#include "core/kernels/random.h"
#include "core/kernels/reduce.h"
#include "core/ops/activation.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

void require_weight(const TensorMeta& x, const TensorMeta& weight) {
  OA_REQUIRE(weight.sizes.size() <= 1, "prelu: expected a weight of at most one dimension, was ",
             weight.sizes);
  const int64_t slopes = weight.sizes.numel();
  const int64_t channels = x.sizes.size() > 1 ? x.sizes[1] : 1;
  OA_REQUIRE(slopes == 1 || slopes == channels,
             "prelu: Mismatch of parameter numbers and "
             "input channel size. Found parameter numbers = ",
             slopes, " and channel size = ", channels, ".");
}

// The shape in which the slopes meet x: [c, 1, 1 ...].
Shape slope_sizes(const Shape& x, int64_t slopes) {
  Shape sizes{slopes};
  for (size_t i = 2; i < x.size(); ++i) sizes.push_back(1);
  return x.size() < 2 ? Shape{} : sizes;
}
Tensor slopes_for(const Tensor& x, const Tensor& weight) {
  TensorMeta meta = weight.impl().meta;
  meta.sizes = slope_sizes(x.sizes(), weight.numel());
  const int64_t stride = weight.dim() == 1 ? weight.strides()[0] : 0;
  meta.strides = Shape(std::vector<int64_t>(meta.sizes.size(), stride));
  return alias_of(weight, meta);
}

void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("prelu", *in[0]);
  require_same_dtype("prelu", in);
  require_weight(*in[0], *in[1]);
  out.add(in[0]->sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor slopes = slopes_for(in[0], in[1]);
  const Tensor* operands[] = {&out[0], &in[0], &slopes};
  run_loop(stream, "prelu", cpu::prelu(in[0].dtype()), operands);
}

void backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("prelu_backward", in);
  require_weight(*in[1], *in[2]);
  OA_REQUIRE(in[0]->sizes == in[1]->sizes, "prelu_backward: a gradient of shape ", in[0]->sizes,
             " for x of shape ", in[1]->sizes);
  out.add(in[1]->sizes, in[1]->dtype);
  out.add(in[2]->sizes, in[2]->dtype);
}
void backward_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor &g = in[0], &x = in[1];
  const Tensor slopes = slopes_for(x, in[2]);
  const Tensor* first[] = {&out[0], &g, &x, &slopes};
  run_loop(stream, "prelu", cpu::prelu_backward_input(x.dtype()), first);
  const Tensor terms = empty_on(stream, x.sizes(), x.dtype());
  const Tensor* second[] = {&terms, &g, &x};
  run_loop(stream, "prelu", cpu::prelu_backward_slope(x.dtype()), second);
  Shape dims;
  for (int64_t i = 0; i < x.dim(); ++i)
    if (i != 1 || in[2].numel() == 1) dims.push_back(i);
  if (dims.empty()) return copy_into(stream, out[1], terms);
  run_reduce(stream, "prelu_backward", cpu::Reduce::kSum, out[1], terms, dims);
}

std::tuple<Tensor, Tensor> backward(const Tensor& gradient, const Tensor& x, const Tensor& weight);

void vjp(VjpCall& call) {
  const auto [x, weight] = backward(call.grad(), call.input(0), call.input(1));
  call.set(0, x);
  call.set(1, weight);
}
void backward_vjp(VjpCall& call) {
  vjp_by_composition(call, [](const std::vector<Tensor>& in) {
    const auto same = [](const std::vector<Tensor>& of) {
      const Tensor slopes = view(of[1], slope_sizes(of[0].sizes(), of[1].numel()));
      return std::vector<Tensor>{where(gt(of[0], 0.0), of[0], mul(of[0], slopes))};
    };
    return gradients_of(same, {in[1], in[2]}, {in[0]});
  });
}

std::string rule(Metas in, const Attrs&) {
  std::string x;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) x += static_cast<char>('a' + i);
  const bool one = in[1]->sizes.numel() == 1;
  return x + "," + (in[1]->sizes.empty() ? "" : one ? "z" : "b") + "->" + x;
}
std::string backward_rule(Metas in, const Attrs& attrs) {
  const std::string forward = rule(in.subspan(1), attrs);
  const std::string x = forward.substr(0, forward.find(','));
  const std::string weight = forward.substr(x.size() + 1, forward.find('-') - x.size() - 1);
  return x + "," + x + "," + weight + "->" + x + "," + weight;
}

constinit const Op kPrelu = {.name = "prelu",
                             .infer = infer,
                             .rule = {.generate = rule},
                             .saves = saves_input(0) | saves_input(1),
                             .vjp = vjp,
                             .kernels = {kernel},
                             .samples = [] {
                               return Samples{{{normal({2, 3, 4}), normal({3})}},
                                              {{normal({5}), normal({1})}},
                                              {{normal({3, 2}), normal({})}},
                                              {{normal({}), normal({1})}}};
                             }};
constinit const Op kPreluBackward = {.name = "prelu_backward",
                                     .infer = backward_infer,
                                     .rule = {.linear = 1, .generate = backward_rule},
                                     .saves = saves_input(0) | saves_input(1) | saves_input(2),
                                     .vjp = backward_vjp,
                                     .kernels = {backward_kernel},
                                     .samples = [] {
                                       return Samples{
                                           {{normal({2, 3, 4}), normal({2, 3, 4}), normal({3})}},
                                           {{normal({5}), normal({5}), normal({1})}},
                                           {{normal({3, 2}), normal({3, 2}), normal({})}}};
                                     }};

std::tuple<Tensor, Tensor> backward(const Tensor& gradient, const Tensor& x, const Tensor& weight) {
  Tensor out[2];
  call_op(kPreluBackward, {&gradient, &x, &weight}, {}, out);
  return {out[0], out[1]};
}

constexpr AttrSpec kDrawAttrs[] = {{"lower", AttrKind::kNumber},
                                   {"upper", AttrKind::kNumber},
                                   {"seed", AttrKind::kInt},
                                   {"stream", AttrKind::kInt},
                                   {"offset", AttrKind::kInt}};

// Results: y and the slopes that were used.
void draw_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("rrelu", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(in[0]->sizes, in[0]->dtype);
}
void draw_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const RngState at{std::bit_cast<uint64_t>(attrs.integer(2)),
                    std::bit_cast<uint64_t>(attrs.integer(3)),
                    std::bit_cast<uint64_t>(attrs.integer(4))};
  run_uniform(stream, out[1], at, attrs.number(0), attrs.number(1));
  const Tensor x = as_contiguous(stream, in[0]);
  with_floating(x.dtype(), [&]<class T>(Type<T>) {
    const T* from = x.data_ptr<T>();
    T *y = out[0].data_ptr<T>(), *slope = out[1].data_ptr<T>();
    stream.parallel_for(x.numel(), 32768, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        slope[i] = from[i] > T(0) ? T(1) : slope[i];
        y[i] = from[i] * slope[i];
      }
    });
  });
}

constinit const Op kRrelu = {
    .name = "rrelu",
    .attrs = kDrawAttrs,
    .infer = draw_infer,
    .rule = {.factors = "...->...,..."},
    .saves = saves_output(1),
    .random = true,
    .vjp =
        [](VjpCall& call) {
          if (call.grad().defined()) call.set(0, mul(call.grad(), call.output(1)));
        },
    .kernels = {draw_kernel},
    .samples =
        [] {
          const Attrs attrs = Attrs().add(0.1).add(0.4).add(5).add(6).add(7);
          return Samples{{{normal({3, 4})}, attrs}, {{normal({})}, attrs}, {{normal({0})}, attrs}};
        }};

void require_range(Scalar lower, Scalar upper) {
  OA_REQUIRE(lower.number() <= upper.number(),
             "rrelu: Lower bound should be less than or equal to the upper bound, was ", lower,
             " and ", upper);
}
std::tuple<Tensor, Tensor> draw(const Tensor& x, Scalar lower, Scalar upper,
                                std::optional<Generator> given) {
  Generator generator = given.value_or(default_generator());
  const RngState at = generator.state();
  const Attrs attrs =
      Attrs()
          .add(lower.number())
          .add(upper.number())
          .add(std::bit_cast<int64_t>(at.seed))
          .add(std::bit_cast<int64_t>(at.stream))
          .add(std::bit_cast<int64_t>(generator.reserve(static_cast<uint64_t>(x.numel()))));
  Tensor out[2];
  call_op(kRrelu, {&x}, attrs, out);
  return {out[0], out[1]};
}
double middle(Scalar lower, Scalar upper) { return (lower.number() + upper.number()) / 2; }

}  // namespace

Tensor prelu(const Tensor& self, const Tensor& weight) { return call_op(kPrelu, {&self, &weight}); }
std::tuple<Tensor, Tensor> prelu_backward(const Tensor& grad_output, const Tensor& self,
                                          const Tensor& weight) {
  return backward(grad_output, self, weight);
}

Tensor rrelu(const Tensor& self, Scalar lower, Scalar upper, bool training,
             std::optional<Generator> generator) {
  require_range(lower, upper);
  if (!training) return leaky_relu(self, middle(lower, upper));
  return std::get<0>(draw(self, lower, upper, generator));
}
Tensor& rrelu_(const Tensor& self, Scalar lower, Scalar upper, bool training,
               std::optional<Generator> generator) {
  require_range(lower, upper);
  if (!training) return leaky_relu_(self, middle(lower, upper));
  mul_(self, std::get<1>(draw(self.detach(), lower, upper, generator)));
  return const_cast<Tensor&>(self);
}
Tensor rrelu_with_noise(const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper,
                        bool training, std::optional<Generator> generator) {
  require_range(lower, upper);
  if (!training) return leaky_relu(self, middle(lower, upper));
  const auto [y, slopes] = draw(self, lower, upper, generator);
  copy_(noise, slopes.detach());
  return y;
}
Tensor& rrelu_with_noise_(const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper,
                          bool training, std::optional<Generator> generator) {
  require_range(lower, upper);
  if (!training) return leaky_relu_(self, middle(lower, upper));
  copy_(noise, std::get<1>(draw(self.detach(), lower, upper, generator)).detach());
  mul_(self, noise);
  return const_cast<Tensor&>(self);
}
Tensor rrelu_with_noise_backward(const Tensor& grad_output, const Tensor& self, const Tensor& noise,
                                 Scalar lower, Scalar upper, bool training, bool self_is_result) {
  if (training && upper.number() - lower.number() > 1e-6) return mul(grad_output, noise);
  return leaky_relu_backward(grad_output, self, middle(lower, upper), self_is_result);
}

OA_OP(prelu, &kPrelu, &kPreluBackward, &kRrelu)

}  // namespace oneagent
