#include "core/ops/running_average.h"

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

constexpr AttrSpec kMeanAttrs[] = {{"momentum", AttrKind::kNumber}};
constexpr AttrSpec kVarAttrs[] = {
    {"momentum", AttrKind::kNumber}, {"eps", AttrKind::kNumber}, {"correction", AttrKind::kNumber}};

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("running_average", in);
  require_floating("running_average", *in[0]);
  OA_REQUIRE(in[0]->sizes == in[1]->sizes, "running_average: shapes ", in[0]->sizes, " and ",
             in[1]->sizes, " differ");
  out.add(in[0]->sizes, in[0]->dtype);
}

template <class Value>
void average(Stream& stream, Inputs in, const Tensor& out, double momentum, const Value& value) {
  const Tensor running = as_contiguous(stream, in[0]), batch = as_contiguous(stream, in[1]);
  const Tensor to = out.is_contiguous() ? out : empty_on(stream, out.sizes(), out.dtype());
  with_floating(to.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < to.numel(); ++i)
      to.data_ptr<T>()[i] =
          static_cast<T>((1.0 - momentum) * static_cast<double>(running.data_ptr<T>()[i]) +
                         momentum * value(static_cast<double>(batch.data_ptr<T>()[i])));
  });
  if (!to.is_same(out)) copy_into(stream, out, to);
}
void mean_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  average(stream, in, out[0], attrs.number(0), [](double mean) { return mean; });
}
void var_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const double eps = attrs.number(1), correction = attrs.number(2);
  average(stream, in, out[0], attrs.number(0), [=](double rstd) {
    const double variance = 1.0 / (rstd * rstd) - eps;
    return (variance < 0 ? 0 : variance) * correction;
  });
}
void mean_vjp(VjpCall& call) {
  const double momentum = call.attrs().number(0);
  call.set(0, mul(call.grad(), 1.0 - momentum));
  call.set(1, mul(call.grad(), momentum));
}
void var_vjp(VjpCall& call) {
  const double momentum = call.attrs().number(0);
  call.set(0, mul(call.grad(), 1.0 - momentum));
  if (!call.needs(1)) return;
  const Tensor rstd = call.input(1);
  call.set(
      1, mul(div(call.grad(), mul(rstd, square(rstd))), -2.0 * momentum * call.attrs().number(2)));
}

constinit const Op kRunningMean = {.name = "running_mean",
                                   .attrs = kMeanAttrs,
                                   .infer = infer,
                                   .rule = {.factors = "...,...->...", .linear = kTogether | 3},
                                   .in_place = true,
                                   .vjp = mean_vjp,
                                   .kernels = {mean_kernel},
                                   .samples = [] {
                                     return Samples{{{normal({3}), normal({3})}, Attrs().add(0.1)}};
                                   }};
constinit const Op kRunningVar = {
    .name = "running_var",
    .attrs = kVarAttrs,
    .infer = infer,
    .rule = {.factors = "...,...->..."},
    .saves = saves_input(1),
    .in_place = true,
    .vjp = var_vjp,
    .kernels = {var_kernel},
    .samples = [] {
      return Samples{{{normal({3}), positive({3})}, Attrs().add(0.3).add(0.125).add(1.25)}};
    }};

}  // namespace

void running_mean_(const Tensor& running, const Tensor& batch, double momentum) {
  const NoGradGuard guard;
  call_in_place(kRunningMean, {&running, &batch}, Attrs().add(momentum));
}
void running_var_(const Tensor& running, const Tensor& rstd, double momentum, double eps,
                  double correction) {
  const NoGradGuard guard;
  call_in_place(kRunningVar, {&running, &rstd}, Attrs().add(momentum).add(eps).add(correction));
}

OA_OP(running_average, &kRunningMean, &kRunningVar)

}  // namespace oneagent
