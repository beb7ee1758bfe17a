#include "core/ops/gamma_sample.h"

#include <bit>

#include "core/graph/context.h"
#include "core/kernels/gamma_sample.h"
#include "core/ops/op_support.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"seed", AttrKind::kInt}, {"stream", AttrKind::kInt}, {"offset", AttrKind::kInt}};

void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("_standard_gamma", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_standard_gamma(
      stream, out[0], in[0],
      {std::bit_cast<uint64_t>(attrs.integer(0)), std::bit_cast<uint64_t>(attrs.integer(1)),
       std::bit_cast<uint64_t>(attrs.integer(2))});
}

constinit const Op kStandardGamma = {
    .name = "_standard_gamma",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "...->..."},
    .random = true,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{positive({3, 4})}, Attrs().add(5).add(6).add(7)},
                         {{positive({})}, Attrs().add(5).add(6).add(7)}};
        },
};

void grad_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("_standard_gamma_grad", *in[0]);
  require_same_dtype("_standard_gamma_grad", in);
  OA_REQUIRE(in[0]->sizes == in[1]->sizes, "_standard_gamma_grad: concentration is ", in[0]->sizes,
             ", output is ", in[1]->sizes);
  out.add(in[0]->sizes, in[0]->dtype);
}

void grad_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_standard_gamma_grad(stream, out[0], in[0], in[1]);
}

constinit const Op kStandardGammaGrad = {
    .name = "_standard_gamma_grad",
    .infer = grad_infer,
    .rule = {.factors = "...,...->..."},
    .kernels = {grad_kernel},
    .samples =
        [] {
          return Samples{{{positive({3, 4}), positive({3, 4})}},
                         {{positive({17}), positive({17})}},
                         {{positive({}), positive({})}},
                         {{positive({0, 3}), positive({0, 3})}}};
        },
};

}  // namespace

Tensor _standard_gamma(const Tensor& concentration, std::optional<Generator> generator) {
  Generator& from = generator ? *generator : default_generator();
  const RngState at = from.state();
  const Attrs attrs =
      Attrs()
          .add(std::bit_cast<int64_t>(at.seed))
          .add(std::bit_cast<int64_t>(at.stream))
          .add(std::bit_cast<int64_t>(from.reserve(static_cast<uint64_t>(concentration.numel()))));
  const Tensor fixed = concentration.detach();
  const Tensor drawn = call_op(kStandardGamma, {&fixed}, attrs);
  if (!GradMode::is_enabled() || !concentration.requires_grad()) return drawn;
  // The gradient is not that of the sampler's own path, which jumps where it refuses a candidate:
  // this adds 0, with the implicit derivative as its gradient.
  return drawn + (concentration - fixed) * _standard_gamma_grad(fixed, drawn);
}

Tensor _standard_gamma_grad(const Tensor& concentration, const Tensor& output) {
  return call_op(kStandardGammaGrad, {&concentration, &output});
}

Tensor _sample_dirichlet(const Tensor& concentration, std::optional<Generator> generator) {
  const Tensor parts = _standard_gamma(concentration, std::move(generator));
  return parts / sum(parts, {-1}, true);
}

OA_OP(gamma_sample, &kStandardGamma, &kStandardGammaGrad)

}  // namespace oneagent
