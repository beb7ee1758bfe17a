#include "core/ops/batch_norm.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/group_norm.h"
#include "core/ops/number.h"
#include "core/ops/op_norm.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/running_average.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"training", AttrKind::kBool}, {"eps", AttrKind::kNumber}};
constexpr AttrSpec kBackwardAttrs[] = {
    {"training", AttrKind::kBool}, {"eps", AttrKind::kNumber}, {"mask", AttrKind::kInt}};

BatchNormShape shape_of(const Shape& x) {
  OA_REQUIRE(x.size() >= 2, "batch_norm: expected [n, c, ...], was ", x);
  BatchNormShape shape{x[0], x[1], 1};
  for (size_t d = 2; d < x.size(); ++d) shape.size *= x[d];
  return shape;
}
double count_of(const BatchNormShape& s) { return static_cast<double>(s.images * s.size); }

void check_channels(const char* op, Metas in, size_t first, int64_t channels) {
  for (size_t i = first; i < in.size(); ++i)
    OA_REQUIRE(in[i] == nullptr || in[i]->sizes == Shape{channels} || in[i]->sizes == Shape{0}, op,
               ": weight, bias and running_mean should contain ", channels, " elements not ",
               in[i]->sizes.numel(), ", were ", in[i]->sizes);
}
Tensor contiguous_or_none(Stream& stream, Inputs in, size_t i) {
  return in.has(i) ? as_contiguous(stream, in[i]) : Tensor();
}
Tensor rstd_of(Stream& stream, const Tensor& variance, double eps) {
  const Tensor out = empty_on(stream, variance.sizes(), variance.dtype());
  with_floating(variance.dtype(), [&]<class T>(Type<T>) {
    for (int64_t c = 0; c < variance.numel(); ++c)
      out.data_ptr<T>()[c] =
          static_cast<T>(1.0 / std::sqrt(static_cast<double>(variance.data_ptr<T>()[c]) + eps));
  });
  return out;
}

// (x, weight, bias, running mean, running variance)
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_batch_norm", in);
  require_floating("native_batch_norm", *in[0]);
  const BatchNormShape s = shape_of(in[0]->sizes);
  check_channels("native_batch_norm", in, 1, s.channels);
  const bool training = attrs.flag(0);
  OA_REQUIRE(training || (in[3] != nullptr && in[4] != nullptr),
             "native_batch_norm: without training the running statistics must be given");
  out.add(in[0]->sizes, in[0]->dtype);
  out.add({training ? s.channels : 0}, in[0]->dtype);
  out.add({training ? s.channels : 0}, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const BatchNormShape s = shape_of(in[0].sizes());
  const Tensor x = as_contiguous(stream, in[0]);
  Tensor mean = out[1], rstd = out[2];
  if (attrs.flag(0)) {
    run_batch_moments(stream, s, x, attrs.number(1), mean, rstd);
  } else {
    mean = as_contiguous(stream, in[3]);
    rstd = rstd_of(stream, as_contiguous(stream, in[4]), attrs.number(1));
  }
  run_batch_norm(stream, s, out[0], x, mean, rstd, contiguous_or_none(stream, in, 1),
                 contiguous_or_none(stream, in, 2));
}
// (g, x, weight, running mean, running variance, mean, rstd)
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("native_batch_norm_backward", in);
  const BatchNormShape s = shape_of(in[1]->sizes);
  OA_REQUIRE(in[0]->sizes == in[1]->sizes, "native_batch_norm_backward: expected a gradient of ",
             "shape ", in[1]->sizes, ", was ", in[0]->sizes);
  check_channels("native_batch_norm_backward", in, 2, s.channels);
  const size_t first = attrs.flag(0) ? 5 : 3;
  OA_REQUIRE(in[first] != nullptr && in[first + 1] != nullptr, "native_batch_norm_backward: the ",
             attrs.flag(0) ? "saved" : "running", " statistics must be given");
  infer_norm_gradients(in[1]->sizes, {s.channels}, attrs.integer(2), in[0]->dtype, out);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const bool training = attrs.flag(0);
  const Tensor mean = as_contiguous(stream, in[training ? 5 : 3]),
               spread = as_contiguous(stream, in[training ? 6 : 4]);
  run_batch_norm_backward(stream, shape_of(in[1].sizes()), training,
                          wanted_gradients(out, attrs.integer(2)), as_contiguous(stream, in[0]),
                          as_contiguous(stream, in[1]), mean,
                          training ? spread : rstd_of(stream, spread, attrs.number(1)),
                          contiguous_or_none(stream, in, 2));
}

struct Statistics {
  Tensor running_mean, running_var, mean, rstd;
};
void backward(const Tensor& g, const Tensor& x, const Tensor& weight, const Statistics& statistics,
              bool training, double eps, int64_t mask, Tensor* out);

// Operands seen as [n, c, size].
struct Seen {
  BatchNormShape s;
  Tensor x(const Tensor& t) const {
    return t.defined() ? reshape(t, {s.images, s.channels, s.size}) : t;
  }
  Tensor channels(const Tensor& t) const {
    return t.defined() ? reshape(t, {1, s.channels, 1}) : t;
  }
};

void vjp(VjpCall& call) {
  const bool training = call.attrs().flag(0);
  const double eps = call.attrs().number(1);
  const Tensor x = call.input(0), weight = call.input(1);
  Statistics statistics;
  if (training)
    statistics = {{}, {}, call.output(1), call.output(2)};
  else
    statistics = {call.input(3), call.input(4), {}, {}};
  const Seen seen{shape_of(x.sizes())};
  Tensor dx;
  if (call.grad(0).defined()) {
    Tensor out[3];
    const int64_t mask = mask_of(call.needs(0), call.needs(1), call.needs(2));
    backward(call.grad(0), x, weight, statistics, training, eps, mask, out);
    dx = out[0];
    if (call.needs(1)) call.set(1, out[1]);
    if (call.needs(2)) call.set(2, out[2]);
  }
  if (training && call.needs(0)) {
    const Tensor more = statistics_gradient(
        seen.x(x), seen.channels(statistics.mean), seen.channels(statistics.rstd),
        seen.channels(call.grad(1)), seen.channels(call.grad(2)), count_of(seen.s));
    if (more.defined()) {
      const Tensor shaped = reshape(more, x.sizes());
      dx = call.grad(0).defined() ? add(dx, shaped) : shaped;
    }
  }
  if (call.needs(0) && dx.defined()) call.set(0, dx);
  if (training || !call.grad(0).defined() || (!call.needs(3) && !call.needs(4))) return;
  // y is linear in the running mean and in rstd.
  const Tensor rstd = rsqrt(add(statistics.running_var, eps)), g = seen.x(call.grad(0));
  const Tensor factor = weight.defined() ? mul(weight, rstd) : rstd;
  call.set(3, neg(mul(factor, sum(g, Shape{0, 2}))));
  const Tensor centred = sub(seen.x(x), seen.channels(statistics.running_mean));
  call.set(4, mul(mul(mul(factor, square(rstd)), -0.5), sum(mul(g, centred), Shape{0, 2})));
}

void backward_vjp(VjpCall& call) {
  const bool training = call.attrs().flag(0);
  const int64_t mask = call.attrs().integer(2);
  const Seen seen{shape_of(call.input_sizes(1))};
  NormBackward op;
  op.g = seen.x(call.input(0));
  op.x = seen.x(call.input(1));
  op.weight = seen.channels(call.input(2));
  op.mean = seen.channels(call.input(training ? 5 : 3));
  const Tensor variance = training ? Tensor() : call.input(4);
  op.rstd = seen.channels(training ? call.input(6) : rsqrt(add(variance, call.attrs().number(1))));
  op.statistics = op.weights = {0, 2};
  op.own_statistics = training;
  const NormBackwardGradients out = gradients_of(op, seen.x(gradient_if(call, 0, mask)),
                                                 seen.channels(gradient_if(call, 1, mask)),
                                                 seen.channels(gradient_if(call, 2, mask)));
  const auto set = [&](size_t i, const Tensor& gradient) {
    if (gradient.defined() && call.needs(i)) call.set(i, reshape(gradient, call.input_sizes(i)));
  };
  set(0, out.g);
  set(1, out.x);
  set(2, out.weight);
  set(training ? 5 : 3, out.mean);
  if (training)
    set(6, out.rstd);
  else if (out.rstd.defined())
    set(4, mul(mul(out.rstd, mul(op.rstd, square(op.rstd))), -0.5));
}

std::string spatial_letters(const Shape& x) {
  std::string out;
  for (size_t d = 2; d < x.size(); ++d) out += static_cast<char>('o' + d);
  return out;
}
// Statistics over the batch need all of it.
std::string rule(Metas in, const Attrs& attrs) {
  const std::string size = spatial_letters(in[0]->sizes), x = "nc" + size;
  const std::string statistics = attrs.flag(0) ? "c" : "1";
  return x + ",c,c,c,c->" + x + "," + statistics + "," + statistics +
         (attrs.flag(0) ? ";n" + size : ";");
}
std::string backward_rule(Metas in, const Attrs& attrs) {
  const std::string size = spatial_letters(in[1]->sizes), x = "nc" + size;
  const int64_t mask = attrs.integer(2);
  return x + "," + x + ",c,c,c,c,c->" + ((mask & 1) != 0 ? x : "1") + "," +
         ((mask & 2) != 0 ? "c" : "1") + "," + ((mask & 4) != 0 ? "c" : "1") + ";n" + size;
}

Attrs forward_attrs(bool training, double eps) { return Attrs().add(training).add(eps); }
Attrs backward_attrs(bool training, double eps, int64_t mask) {
  return forward_attrs(training, eps).add(mask);
}

constinit const Op kBatchNorm = {
    .name = "native_batch_norm",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(1) | saves_input(2) | saves_input(3) | saves_input(4),
    .rule = {.generate = rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(3) | saves_input(4) | saves_output(1) |
             saves_output(2),
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto c = normal({3});
          return Samples{
              {{normal({4, 3}), c, c, absent(), absent()}, forward_attrs(true, 1e-5)},
              {{normal({2, 3, 4}), c, absent(), absent(), absent()}, forward_attrs(true, 0.1)},
              {{normal({2, 3, 3, 5}), absent(), absent(), absent(), absent()},
               forward_attrs(true, 1e-3)},
              {{normal({4, 3}), c, c, c, positive({3})}, forward_attrs(false, 1e-5)},
              {{normal({2, 3, 4}), absent(), c, c, positive({3})}, forward_attrs(false, 0.1)}};
        },
};
constinit const Op kBatchNormBackward = {
    .name = "native_batch_norm_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.generate = backward_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_input(3) | saves_input(4) |
             saves_input(5) | saves_input(6),
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples =
        [] {
          const auto c = normal({3}), spread = positive({3});
          const auto none = absent();
          return Samples{{{normal({4, 3}), normal({4, 3}), c, none, none, c, spread},
                          backward_attrs(true, 1e-5, 7)},
                         {{normal({2, 3, 4}), normal({2, 3, 4}), none, none, none, c, spread},
                          backward_attrs(true, 1e-5, 5)},
                         {{normal({2, 3, 2}), normal({2, 3, 2}), c, c, spread, none, none},
                          backward_attrs(false, 0.1, 7)}};
        },
};

void backward(const Tensor& g, const Tensor& x, const Tensor& weight, const Statistics& s,
              bool training, double eps, int64_t mask, Tensor* out) {
  call_op(kBatchNormBackward, {&g, &x, &weight, &s.running_mean, &s.running_var, &s.mean, &s.rstd},
          backward_attrs(training, eps, mask), std::span(out, 3));
}

bool is_given(const std::optional<Tensor>& x) { return x.has_value() && x->defined(); }

}  // namespace

std::tuple<Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input,
                                                     const std::optional<Tensor>& weight,
                                                     const std::optional<Tensor>& bias,
                                                     const std::optional<Tensor>& running_mean,
                                                     const std::optional<Tensor>& running_var,
                                                     bool training, double momentum, double eps) {
  const Tensor none;
  Tensor out[3];
  call_op(kBatchNorm,
          {&input, weight ? &*weight : &none, bias ? &*bias : &none,
           running_mean && !training ? &*running_mean : &none,
           running_var && !training ? &*running_var : &none},
          forward_attrs(training, eps), out);
  if (training) {
    const double count = count_of(shape_of(input.sizes()));
    if (is_given(running_mean)) running_mean_(*running_mean, out[1].detach(), momentum);
    if (is_given(running_var))
      running_var_(*running_var, out[2].detach(), momentum, eps, count / (count - 1.0));
  }
  return {out[0], out[1], out[2]};
}

Tensor batch_norm(const Tensor& input, const std::optional<Tensor>& weight,
                  const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean,
                  const std::optional<Tensor>& running_var, bool training, double momentum,
                  double eps, bool) {
  return std::get<0>(
      native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_batch_norm_backward(
    const Tensor& grad_out, const Tensor& input, const std::optional<Tensor>& weight,
    const std::optional<Tensor>& running_mean, const std::optional<Tensor>& running_var,
    const std::optional<Tensor>& save_mean, const std::optional<Tensor>& save_invstd, bool train,
    double eps, const std::array<bool, 3>& output_mask) {
  Tensor out[3];
  backward(grad_out, input, weight.value_or(Tensor()),
           {running_mean.value_or(Tensor()), running_var.value_or(Tensor()),
            save_mean.value_or(Tensor()), save_invstd.value_or(Tensor())},
           train, eps, mask_of(output_mask[0], output_mask[1], output_mask[2]), out);
  for (size_t i = 0; i < 3; ++i)
    if (!output_mask[i]) out[i] = Tensor();
  return {out[0], out[1], out[2]};
}

// Groups of one channel each.
Tensor instance_norm(const Tensor& input, const std::optional<Tensor>& weight,
                     const std::optional<Tensor>& bias, const std::optional<Tensor>& running_mean,
                     const std::optional<Tensor>& running_var, bool use_input_stats,
                     double momentum, double eps, bool) {
  if (!use_input_stats) {
    OA_REQUIRE(is_given(running_mean) && is_given(running_var),
               "instance_norm: without use_input_stats the running statistics must be given");
    return batch_norm(input, weight, bias, running_mean, running_var, false, momentum, eps, true);
  }
  const BatchNormShape s = shape_of(input.sizes());
  const auto [y, mean, rstd] =
      native_group_norm(input, weight, bias, s.images, s.channels, s.size, s.channels, eps);
  const NoGradGuard guard;
  if (is_given(running_mean))
    running_mean_(*running_mean, oneagent::mean(mean.detach(), Shape{0}), momentum);
  if (is_given(running_var)) {
    const auto count = static_cast<double>(s.size);
    // The average over images first: 1 / sqrt of it stands for one batch's.
    const Tensor variance = oneagent::mean(reciprocal(square(rstd.detach())), Shape{0});
    running_var_(*running_var, rsqrt(variance), momentum, eps, count / (count - 1.0));
  }
  return y;
}

OA_OP(batch_norm, &kBatchNorm, &kBatchNormBackward)

}  // namespace oneagent
