#include "core/ops/layer_norm.h"

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/op_norm.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dims", AttrKind::kInt}, {"eps", AttrKind::kNumber}};
constexpr AttrSpec kBackwardAttrs[] = {{"dims", AttrKind::kInt}, {"mask", AttrKind::kInt}};

Shape last(const Shape& sizes, int64_t dims) {
  const size_t outer = sizes.size() - static_cast<size_t>(dims);
  return Shape(std::span(sizes.data() + outer, static_cast<size_t>(dims)));
}
Shape statistics_of(const Shape& sizes, int64_t dims) {
  Shape out = sizes;
  for (size_t d = sizes.size() - static_cast<size_t>(dims); d < sizes.size(); ++d) out[d] = 1;
  return out;
}
int64_t rows_of(const Tensor& statistics) { return statistics.numel(); }

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_layer_norm", in);
  require_floating("native_layer_norm", *in[0]);
  const Shape normalized = last(in[0]->sizes, attrs.integer(0));
  for (size_t i = 1; i < 3; ++i)
    OA_REQUIRE(in[i] == nullptr || in[i]->sizes == normalized, "native_layer_norm: expected a ",
               i == 1 ? "weight" : "bias", " of shape ", normalized, ", was ", in[i]->sizes);
  const Shape statistics = statistics_of(in[0]->sizes, attrs.integer(0));
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(statistics, in[0]->dtype);
  out.add(statistics, in[0]->dtype);
}
Tensor contiguous_or_none(Stream& stream, Inputs in, size_t i) {
  return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_layer_norm(stream, rows_of(out[1]), last(in[0].sizes(), attrs.integer(0)).numel(),
                 attrs.number(1), out[0], out[1], out[2], as_contiguous(stream, in[0]),
                 contiguous_or_none(stream, in, 1), contiguous_or_none(stream, in, 2));
}
// (g, x, mean, rstd, weight)
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_layer_norm_backward", in);
  const Shape &x = in[1]->sizes, statistics = statistics_of(x, attrs.integer(0));
  OA_REQUIRE(in[0]->sizes == x && in[2]->sizes == statistics && in[3]->sizes == statistics,
             "native_layer_norm_backward: expected a gradient of shape ", x,
             " and statistics of shape ", statistics, ", was ", in[0]->sizes, ", ", in[2]->sizes,
             " and ", in[3]->sizes);
  infer_norm_gradients(x, last(x, attrs.integer(0)), attrs.integer(1), in[0]->dtype, out);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_layer_norm_backward(stream, rows_of(in[2]), last(in[1].sizes(), attrs.integer(0)).numel(),
                          wanted_gradients(out, attrs.integer(1)), as_contiguous(stream, in[0]),
                          as_contiguous(stream, in[1]), as_contiguous(stream, in[2]),
                          as_contiguous(stream, in[3]), contiguous_or_none(stream, in, 4));
}

void backward(const Tensor& g, const Tensor& x, const Tensor& mean, const Tensor& rstd,
              const Tensor& weight, int64_t dims, int64_t mask, Tensor* out);

void vjp(VjpCall& call) {
  const int64_t dims = call.attrs().integer(0);
  const Tensor x = call.input(0), mean = call.output(1), rstd = call.output(2);
  Tensor dx;
  if (call.grad(0).defined()) {
    Tensor out[3];
    const int64_t mask = mask_of(call.needs(0), call.needs(1), call.needs(2));
    backward(call.grad(0), x, mean, rstd, call.input(1), dims, mask, out);
    dx = out[0];
    if (call.needs(1)) call.set(1, out[1]);
    if (call.needs(2)) call.set(2, out[2]);
  }
  if (!call.needs(0)) return;
  const Tensor more = statistics_gradient(x, mean, rstd, call.grad(1), call.grad(2),
                                          static_cast<double>(last(x.sizes(), dims).numel()));
  if (more.defined()) dx = call.grad(0).defined() ? add(dx, more) : more;
  if (dx.defined()) call.set(0, dx);
}

void backward_vjp(VjpCall& call) {
  const int64_t dims = call.attrs().integer(0), mask = call.attrs().integer(1);
  const Shape& sizes = call.input_sizes(1);
  NormBackward op;
  op.g = call.input(0);
  op.x = call.input(1);
  op.mean = call.input(2);
  op.rstd = call.input(3);
  op.weight = call.input(4);
  const auto outer = static_cast<int64_t>(sizes.size()) - dims;
  for (int64_t d = 0; d < static_cast<int64_t>(sizes.size()); ++d)
    (d < outer ? op.weights : op.statistics).push_back(d);
  const NormBackwardGradients out = gradients_of(
      op, gradient_if(call, 0, mask), gradient_if(call, 1, mask), gradient_if(call, 2, mask));
  const auto set = [&](size_t i, const Tensor& gradient) {
    if (gradient.defined() && call.needs(i)) call.set(i, reshape(gradient, call.input_sizes(i)));
  };
  set(0, out.g);
  set(1, out.x);
  set(2, out.mean);
  set(3, out.rstd);
  set(4, out.weight);
}

std::string rule(Metas in, const Attrs& attrs, bool backward) {
  std::string x, statistics, weight;
  const size_t rank = in[0]->sizes.size(), outer = rank - static_cast<size_t>(attrs.integer(0));
  for (size_t d = 0; d < rank; ++d) {
    x += static_cast<char>('a' + d);
    statistics += d < outer ? x.back() : '1';
    if (d >= outer) weight += x.back();
  }
  if (!backward)
    return x + "," + weight + "," + weight + "->" + x + "," + statistics + "," + statistics + ";" +
           weight;
  const int64_t mask = attrs.integer(1);
  const auto result = [&](int64_t bit, const std::string& letters) {
    return (mask & bit) != 0 ? letters : std::string("1");
  };
  return x + "," + x + "," + statistics + "," + statistics + "," + weight + "->" + result(1, x) +
         "," + result(2, weight) + "," + result(4, weight) + ";" + weight;
}
std::string forward_rule(Metas in, const Attrs& attrs) { return rule(in, attrs, false); }
std::string backward_rule(Metas in, const Attrs& attrs) { return rule(in, attrs, true); }

Attrs forward_attrs(int64_t dims, double eps) { return Attrs().add(dims).add(eps); }
Attrs backward_attrs(int64_t dims, int64_t mask) { return Attrs().add(dims).add(mask); }

constinit const Op kLayerNorm = {
    .name = "native_layer_norm",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(1) | saves_input(2),
    .rule = {.generate = forward_rule},
    .saves = saves_input(0) | saves_input(1) | saves_output(1) | saves_output(2),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 5}), normal({5}), normal({5})}, forward_attrs(1, 1e-5)},
                         {{normal({2, 3, 4}), normal({3, 4}), absent()}, forward_attrs(2, 0.1)},
                         {{normal({2, 40}), absent(), absent()}, forward_attrs(1, 1e-3)},
                         {{normal({2, 3}), absent(), normal({3})}, forward_attrs(1, 1e-3)},
                         {{normal({0, 3}), normal({3}), normal({3})}, forward_attrs(1, 1e-5)}};
        },
};
constinit const Op kLayerNormBackward = {
    .name = "native_layer_norm_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.generate = backward_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_input(3) | saves_input(4),
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 5}), normal({3, 5}), normal({3, 1}), positive({3, 1}), normal({5})},
               backward_attrs(1, 7)},
              {{normal({2, 3, 4}), normal({2, 3, 4}), normal({2, 1, 1}), positive({2, 1, 1}),
                absent()},
               backward_attrs(2, 5)}};
        },
};

void backward(const Tensor& g, const Tensor& x, const Tensor& mean, const Tensor& rstd,
              const Tensor& weight, int64_t dims, int64_t mask, Tensor* out) {
  call_op(kLayerNormBackward, {&g, &x, &mean, &rstd, &weight}, backward_attrs(dims, mask),
          std::span(out, 3));
}

int64_t checked_dims(const Tensor& input, const Shape& normalized_shape) {
  const auto dims = static_cast<int64_t>(normalized_shape.size());
  OA_REQUIRE(dims >= 1 && dims <= input.dim() && last(input.sizes(), dims) == normalized_shape,
             "Given normalized_shape=", normalized_shape,
             ", expected input with these as its last sizes, but got input of size", input.sizes());
  return dims;
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input,
                                                     const Shape& normalized_shape,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias,
                                                     double eps) {
  const Tensor none;
  Tensor out[3];
  call_op(kLayerNorm, {&input, weight ? &*weight : &none, bias ? &*bias : &none},
          forward_attrs(checked_dims(input, normalized_shape), eps), out);
  return {out[0], out[1], out[2]};
}

Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                  const std::optional<Tensor>& weight, const std::optional<Tensor>& bias,
                  double eps, bool) {
  return std::get<0>(native_layer_norm(input, normalized_shape, weight, bias, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm_backward(
    const Tensor& grad_out, const Tensor& input, const Shape& normalized_shape, const Tensor& mean,
    const Tensor& rstd, const std::optional<Tensor>& weight, const std::optional<Tensor>&,
    const std::array<bool, 3>& output_mask) {
  Tensor out[3];
  backward(grad_out, input, mean, rstd, weight.value_or(Tensor()),
           checked_dims(input, normalized_shape),
           mask_of(output_mask[0], output_mask[1], output_mask[2]), out);
  for (size_t i = 0; i < 3; ++i)
    if (!output_mask[i]) out[i] = Tensor();
  return {out[0], out[1], out[2]};
}

OA_OP(layer_norm, &kLayerNorm, &kLayerNormBackward)

}  // namespace oneagent
