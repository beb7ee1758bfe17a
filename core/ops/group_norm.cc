#include "core/ops/group_norm.h"

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/op_norm.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"groups", AttrKind::kInt}, {"eps", AttrKind::kNumber}};
constexpr AttrSpec kBackwardAttrs[] = {{"groups", AttrKind::kInt}, {"mask", AttrKind::kInt}};

GroupNormShape shape_of(const Shape& x, int64_t groups) {
  OA_REQUIRE(
      x.size() >= 2 && groups > 0 && x[1] % groups == 0,
      "group_norm: Expected number of channels in input to be divisible by num_groups, but got "
      "input of shape ",
      x, " and num_groups=", groups);
  GroupNormShape shape{x[0], x[1], 1, groups};
  for (size_t d = 2; d < x.size(); ++d) shape.size *= x[d];
  return shape;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_group_norm", in);
  require_floating("native_group_norm", *in[0]);
  const GroupNormShape s = shape_of(in[0]->sizes, attrs.integer(0));
  for (size_t i = 1; i < 3; ++i)
    OA_REQUIRE(in[i] == nullptr || in[i]->sizes == Shape{s.channels},
               "native_group_norm: expected a ", i == 1 ? "weight" : "bias", " of shape [",
               s.channels, "], was ", in[i]->sizes);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add({s.images, s.groups}, in[0]->dtype);
  out.add({s.images, s.groups}, in[0]->dtype);
}
Tensor contiguous_or_none(Stream& stream, Inputs in, size_t i) {
  return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_group_norm(stream, shape_of(in[0].sizes(), attrs.integer(0)), attrs.number(1), out[0], out[1],
                 out[2], as_contiguous(stream, in[0]), contiguous_or_none(stream, in, 1),
                 contiguous_or_none(stream, in, 2));
}
// (g, x, mean, rstd, weight)
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_group_norm_backward", in);
  const Shape& x = in[1]->sizes;
  const GroupNormShape s = shape_of(x, attrs.integer(0));
  const Shape statistics = {s.images, s.groups};
  OA_REQUIRE(in[0]->sizes == x && in[2]->sizes == statistics && in[3]->sizes == statistics,
             "native_group_norm_backward: expected a gradient of shape ", x,
             " and statistics of shape ", statistics, ", was ", in[0]->sizes, ", ", in[2]->sizes,
             " and ", in[3]->sizes);
  infer_norm_gradients(x, {s.channels}, attrs.integer(1), in[0]->dtype, out);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_group_norm_backward(stream, shape_of(in[1].sizes(), attrs.integer(0)),
                          wanted_gradients(out, attrs.integer(1)), as_contiguous(stream, in[0]),
                          as_contiguous(stream, in[1]), as_contiguous(stream, in[2]),
                          as_contiguous(stream, in[3]), contiguous_or_none(stream, in, 4));
}

void backward(const Tensor& g, const Tensor& x, const Tensor& mean, const Tensor& rstd,
              const Tensor& weight, int64_t groups, int64_t mask, Tensor* out);

// Operands seen as [n, groups, channels of a group, size].
struct Seen {
  GroupNormShape s;
  Tensor x(const Tensor& t) const {
    return t.defined() ? reshape(t, {s.images, s.groups, s.channels / s.groups, s.size}) : t;
  }
  Tensor statistics(const Tensor& t) const {
    return t.defined() ? reshape(t, {s.images, s.groups, 1, 1}) : t;
  }
  Tensor weight(const Tensor& t) const {
    return t.defined() ? reshape(t, {1, s.groups, s.channels / s.groups, 1}) : t;
  }
};

void vjp(VjpCall& call) {
  const int64_t groups = call.attrs().integer(0);
  const Tensor x = call.input(0), mean = call.output(1), rstd = call.output(2);
  Tensor dx;
  if (call.grad(0).defined()) {
    Tensor out[3];
    const int64_t mask = mask_of(call.needs(0), call.needs(1), call.needs(2));
    backward(call.grad(0), x, mean, rstd, call.input(1), groups, mask, out);
    dx = out[0];
    if (call.needs(1)) call.set(1, out[1]);
    if (call.needs(2)) call.set(2, out[2]);
  }
  if (!call.needs(0)) return;
  const Seen seen{shape_of(x.sizes(), groups)};
  const Tensor more = statistics_gradient(
      seen.x(x), seen.statistics(mean), seen.statistics(rstd), seen.statistics(call.grad(1)),
      seen.statistics(call.grad(2)), static_cast<double>(seen.s.channels / groups * seen.s.size));
  if (more.defined()) {
    const Tensor shaped = reshape(more, x.sizes());
    dx = call.grad(0).defined() ? add(dx, shaped) : shaped;
  }
  if (dx.defined()) call.set(0, dx);
}

void backward_vjp(VjpCall& call) {
  const int64_t mask = call.attrs().integer(1);
  const Seen seen{shape_of(call.input_sizes(1), call.attrs().integer(0))};
  NormBackward op;
  op.g = seen.x(call.input(0));
  op.x = seen.x(call.input(1));
  op.mean = seen.statistics(call.input(2));
  op.rstd = seen.statistics(call.input(3));
  op.weight = seen.weight(call.input(4));
  op.statistics = {2, 3};
  op.weights = {0, 3};
  const NormBackwardGradients out =
      gradients_of(op, seen.x(gradient_if(call, 0, mask)), seen.weight(gradient_if(call, 1, mask)),
                   seen.weight(gradient_if(call, 2, mask)));
  const auto set = [&](size_t i, const Tensor& gradient) {
    if (gradient.defined() && call.needs(i)) call.set(i, reshape(gradient, call.input_sizes(i)));
  };
  set(0, out.g);
  set(1, out.x);
  set(2, out.mean);
  set(3, out.rstd);
  set(4, out.weight);
}

// Channels are tied to groups and stay whole.
std::string rule(Metas in, const Attrs&) {
  std::string x = "nc", closed = "cg";
  for (size_t d = 2; d < in[0]->sizes.size(); ++d) {
    x += static_cast<char>('o' + d);
    closed += x.back();
  }
  return x + ",c,c->" + x + ",ng,ng;" + closed;
}
std::string backward_rule(Metas in, const Attrs& attrs) {
  std::string x = "nc", closed = "cg";
  for (size_t d = 2; d < in[1]->sizes.size(); ++d) {
    x += static_cast<char>('o' + d);
    closed += x.back();
  }
  const int64_t mask = attrs.integer(1);
  return x + "," + x + ",ng,ng,c->" + ((mask & 1) != 0 ? x : "1") + "," +
         ((mask & 2) != 0 ? "c" : "1") + "," + ((mask & 4) != 0 ? "c" : "1") + ";" + closed;
}

Attrs forward_attrs(int64_t groups, double eps) { return Attrs().add(groups).add(eps); }
Attrs backward_attrs(int64_t groups, int64_t mask) { return Attrs().add(groups).add(mask); }

constinit const Op kGroupNorm = {
    .name = "native_group_norm",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(1) | saves_input(2),
    .rule = {.generate = rule},
    .saves = saves_input(0) | saves_input(1) | saves_output(1) | saves_output(2),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 4, 3}), normal({4}), normal({4})}, forward_attrs(2, 1e-5)},
                         {{normal({2, 6, 3, 2}), absent(), absent()}, forward_attrs(3, 0.1)},
                         {{normal({3, 4}), normal({4}), absent()}, forward_attrs(1, 1e-3)},
                         {{normal({1, 3, 40}), absent(), normal({3})}, forward_attrs(3, 1e-3)}};
        },
};
constinit const Op kGroupNormBackward = {
    .name = "native_group_norm_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.generate = backward_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_input(3) | saves_input(4),
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 4, 3}), normal({2, 4, 3}), normal({2, 2}), positive({2, 2}),
                           normal({4})},
                          backward_attrs(2, 7)},
                         {{normal({2, 4, 2, 2}), normal({2, 4, 2, 2}), normal({2, 1}),
                           positive({2, 1}), absent()},
                          backward_attrs(1, 3)}};
        },
};

void backward(const Tensor& g, const Tensor& x, const Tensor& mean, const Tensor& rstd,
              const Tensor& weight, int64_t groups, int64_t mask, Tensor* out) {
  call_op(kGroupNormBackward, {&g, &x, &mean, &rstd, &weight}, backward_attrs(groups, mask),
          std::span(out, 3));
}

void check_sizes(const Tensor& input, int64_t N, int64_t C, int64_t HxW) {
  OA_REQUIRE(
      input.dim() >= 2 && input.size(0) == N && input.size(1) == C && input.numel() == N * C * HxW,
      "native_group_norm: expected ", N, " x ", C, " x ", HxW, " values, was ", input.sizes());
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias, int64_t N,
                                                     int64_t C, int64_t HxW, int64_t group,
                                                     double eps) {
  check_sizes(input, N, C, HxW);
  const Tensor none;
  Tensor out[3];
  call_op(kGroupNorm, {&input, weight ? &*weight : &none, bias ? &*bias : &none},
          forward_attrs(group, eps), out);
  return {out[0], out[1], out[2]};
}

Tensor group_norm(const Tensor& input, int64_t num_groups, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, double eps, bool) {
  const Tensor none;
  Tensor out[3];
  call_op(kGroupNorm, {&input, weight ? &*weight : &none, bias ? &*bias : &none},
          forward_attrs(num_groups, eps), out);
  return out[0];
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Tensor& mean, const Tensor& rstd,
    const std::optional<Tensor>& weight, int64_t N, int64_t C, int64_t HxW, int64_t group,
    const std::array<bool, 3>& output_mask) {
  check_sizes(input, N, C, HxW);
  Tensor out[3];
  backward(grad_out, input, mean, rstd, weight.value_or(Tensor()), group,
           mask_of(output_mask[0], output_mask[1], output_mask[2]), out);
  for (size_t i = 0; i < 3; ++i)
    if (!output_mask[i]) out[i] = Tensor();
  return {out[0], out[1], out[2]};
}

OA_OP(group_norm, &kGroupNorm, &kGroupNormBackward)

}  // namespace oneagent
