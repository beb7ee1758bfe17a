#include "core/ops/random.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/kernels/random.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"sizes", AttrKind::kInts}, {"dtype", AttrKind::kDType},
                               {"low", AttrKind::kNumber}, {"high", AttrKind::kNumber},
                               {"seed", AttrKind::kInt},   {"stream", AttrKind::kInt},
                               {"offset", AttrKind::kInt}};

RngState state_of(const Attrs& attrs, size_t first) {
  return {static_cast<uint64_t>(attrs.integer(first)),
          static_cast<uint64_t>(attrs.integer(first + 1)),
          static_cast<uint64_t>(attrs.integer(first + 2))};
}

Attrs& add_state(Attrs& attrs, Generator& generator, int64_t count) {
  const RngState at = generator.state();
  attrs.add(std::bit_cast<int64_t>(at.seed)).add(std::bit_cast<int64_t>(at.stream));
  return attrs.add(std::bit_cast<int64_t>(generator.reserve(static_cast<uint64_t>(count))));
}

void infer(Metas, const Attrs& attrs, Inferred& out) { out.add(attrs.list(0), attrs.dtype(1)); }
void uniform_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  run_uniform(stream, out[0], state_of(attrs, 4), attrs.number(2), attrs.number(3));
}
void normal_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  run_normal(stream, out[0], state_of(attrs, 4), attrs.number(2), attrs.number(3));
}
void ints_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  run_random_ints(stream, out[0], state_of(attrs, 4), static_cast<int64_t>(attrs.number(2)),
                  static_cast<int64_t>(attrs.number(3)));
}

template <int Kind>
Samples samples() {
  return {{{},
           Attrs()
               .add(Shape{3, 4})
               .add(Kind == 2 ? DType::kInt64 : DType::kFloat32)
               .add(0.0)
               .add(4.0)
               .add(5)
               .add(6)
               .add(7)}};
}

constexpr Op random_op(const char* name, Kernel kernel, Samples (*examples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer,
          .rule = {.factors = "->..."},
          .random = true,
          .kernels = {kernel},
          .samples = examples};
}
constinit const Op kUniform = random_op("uniform", uniform_kernel, samples<0>);
constinit const Op kNormal = random_op("normal", normal_kernel, samples<1>);
constinit const Op kInts = random_op("random_ints", ints_kernel, samples<2>);

constexpr AttrSpec kMultinomialAttrs[] = {{"samples", AttrKind::kInt},
                                          {"seed", AttrKind::kInt},
                                          {"stream", AttrKind::kInt},
                                          {"offset", AttrKind::kInt}};

void multinomial_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("multinomial", *in[0]);
  OA_REQUIRE(in[0]->sizes.size() == 1 || in[0]->sizes.size() == 2,
             "multinomial: expected weights [n] or [rows, n], was ", in[0]->sizes);
  Shape sizes = in[0]->sizes;
  sizes[sizes.size() - 1] = attrs.integer(0);
  out.add(sizes, DType::kInt64);
}
void multinomial_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_multinomial(stream, out[0], in[0], state_of(attrs, 1));
}
std::string multinomial_rule(Metas in, const Attrs&) {
  return in[0]->sizes.size() == 1 ? "x->s;xs" : "rx->rs;xs";
}

constinit const Op kMultinomial = {
    .name = "multinomial",
    .attrs = kMultinomialAttrs,
    .infer = multinomial_infer,
    .rule = {.generate = multinomial_rule},
    .random = true,
    .kernels = {multinomial_kernel},
    .samples =
        [] {
          return Samples{{{positive({3, 4})}, Attrs().add(2).add(5).add(6).add(7)},
                         {{positive({4})}, Attrs().add(3).add(5).add(6).add(7)}};
        },
};

Tensor draw(const Op& op, const Shape& sizes, DType dtype, double low, double high,
            Generator& generator) {
  Attrs attrs = Attrs().add(sizes).add(dtype).add(low).add(high);
  return call_op(op, {}, add_state(attrs, generator, sizes.numel()));
}

Tensor finished(Tensor out, const TensorOptions& options) {
  if (options.requires_grad()) out.requires_grad_();
  return out;
}
DType dtype_of_options(const TensorOptions& options) {
  return options.dtype_opt().value_or(get_default_dtype());
}

}  // namespace

Tensor rand(const Shape& sizes, Generator& generator, const TensorOptions& options) {
  return finished(draw(kUniform, sizes, dtype_of_options(options), 0, 1, generator), options);
}
Tensor rand(const Shape& sizes, const TensorOptions& options) {
  return rand(sizes, default_generator(), options);
}
Tensor randn(const Shape& sizes, Generator& generator, const TensorOptions& options) {
  return finished(draw(kNormal, sizes, dtype_of_options(options), 0, 1, generator), options);
}
Tensor randn(const Shape& sizes, const TensorOptions& options) {
  return randn(sizes, default_generator(), options);
}

Tensor randint(int64_t low, int64_t high, const Shape& sizes, Generator& generator,
               const TensorOptions& options) {
  OA_REQUIRE(low < high, "randint: low must be less than high, was ", low, " and ", high);
  return draw(kInts, sizes, options.dtype_opt().value_or(DType::kInt64), static_cast<double>(low),
              static_cast<double>(high), generator);
}
Tensor randint(int64_t low, int64_t high, const Shape& sizes, const TensorOptions& options) {
  return randint(low, high, sizes, default_generator(), options);
}

Tensor randperm(int64_t n, Generator& generator) {
  const Tensor keys = rand({n}, generator, DType::kFloat64);
  const double* key = keys.data_ptr<double>();
  Tensor out = empty({n}, DType::kInt64);
  int64_t* order = out.data_ptr<int64_t>();
  std::iota(order, order + n, int64_t{0});
  std::stable_sort(order, order + n, [key](int64_t a, int64_t b) { return key[a] < key[b]; });
  return out;
}

Tensor bernoulli(const Tensor& probability, Generator& generator) {
  return to(lt(rand(probability.sizes(), generator, probability.dtype()), probability.detach()),
            probability.dtype());
}

Tensor multinomial(const Tensor& weights, int64_t samples, Generator& generator) {
  OA_REQUIRE(samples > 0, "multinomial: samples must be positive, was ", samples);
  const int64_t rows = weights.dim() == 2 ? weights.size(0) : 1;
  Attrs attrs = Attrs().add(samples);
  return call_op(kMultinomial, {&weights}, add_state(attrs, generator, rows * samples));
}

const Tensor& uniform_(const Tensor& self, double low, double high, Generator& generator) {
  return copy_(self, draw(kUniform, self.sizes(), self.dtype(), low, high, generator));
}
const Tensor& normal_(const Tensor& self, double mean, double deviation, Generator& generator) {
  return copy_(self, draw(kNormal, self.sizes(), self.dtype(), mean, deviation, generator));
}

OA_OP(random, &kUniform, &kNormal, &kInts, &kMultinomial)

}  // namespace oneagent
