#include "core/ops/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/kernels/random.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/op_random.h"
#include "core/ops/op_support.h"
#include "core/ops/ops.h"
#include "core/ops/view.h"
#include "core/tensor/global_parts.h"

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
  OA_REQUIRE(in[0]->sizes.back() > 0, "multinomial: there is nothing to draw from in shape ",
             in[0]->sizes);
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

using MaybeGenerator = std::optional<Generator>;

[[noreturn]] void require_floating_draw(const Op& op, DType dtype) {
  throw_error(str('"', op.name,
                  "\" not"
                  " implemented for '",
                  toString(dtype), "': random real numbers need a floating type"));
}

Tensor draw(const Op& op, const Shape& sizes, DType dtype, double low, double high,
            const MaybeGenerator& given) {
  if (is_complex(dtype)) {  // both parts; together they have the variance of a real number
    Shape parts = sizes;
    parts.push_back(2);
    const double high_of_part = &op == &kNormal ? high * std::sqrt(0.5) : high;
    return view_as_complex(draw(op, parts, real_type_of(dtype), low, high_of_part, given));
  }
  if (&op != &kInts && !is_floating(dtype)) require_floating_draw(op, dtype);
  Generator& generator = given ? const_cast<Generator&>(*given) : default_generator();
  Attrs attrs = Attrs().add(sizes).add(dtype).add(low).add(high);
  return call_op(op, {}, add_state(attrs, generator, sizes.numel()));
}

Tensor finished(Tensor out, const TensorOptions& options) {
  if (options.requires_grad()) out.requires_grad_();
  return out;
}

TensorOptions like_options(const Tensor& like, const TensorOptions& options) {
  return TensorOptions(like.dtype()).device(like.device()).merge_in(options);
}

Tensor& changed(const Tensor& self) { return const_cast<Tensor&>(self); }

Tensor& copied(const Tensor& self, const Tensor& values) {
  copy_(self, values);
  return changed(self);
}

// Draws over the tensor itself where it lies in one piece and has no history.
template <class Run>
Tensor& redrawn(const Tensor& self, const Op& op, const Run& run, DType dtype, double low,
                double high, const MaybeGenerator& given) {
  const DType own = self.dtype();
  const bool plain = own == DType::kFloat32 || own == DType::kFloat64 || own == DType::kInt64;
  if (!plain || is_global(self) || !self.is_contiguous() || self.requires_grad() ||
      self.device().type() != DeviceType::kCPU)
    return copied(self, draw(op, self.sizes(), dtype, low, high, given));
  Generator& generator = given ? const_cast<Generator&>(*given) : default_generator();
  RngState at = generator.state();
  at.position = generator.reserve(static_cast<uint64_t>(self.numel()));
  self.impl().bump_version();
  run(context().stream, self, at);
  return changed(self);
}

// Uniform in (0, 1], of the tensor's shape, in float64.
Tensor positive_uniform(const Tensor& self, const MaybeGenerator& generator) {
  return 1.0 - draw(kUniform, self.sizes(), DType::kFloat64, 0, 1, generator);
}

}  // namespace

Tensor rand(const Shape& size, const TensorOptions& options) {
  return rand(size, std::nullopt, options);
}
Tensor rand(const Shape& size, MaybeGenerator generator, const TensorOptions& options) {
  return finished(draw(kUniform, size, options.dtype(), 0, 1, generator), options);
}
Tensor rand_like(const Tensor& like, const TensorOptions& options, std::optional<MemoryFormat>) {
  return rand(like.sizes(), like_options(like, options));
}
Tensor randn(const Shape& size, const TensorOptions& options) {
  return randn(size, std::nullopt, options);
}
Tensor randn(const Shape& size, MaybeGenerator generator, const TensorOptions& options) {
  return finished(draw(kNormal, size, options.dtype(), 0, 1, generator), options);
}
Tensor randn_like(const Tensor& like, const TensorOptions& options, std::optional<MemoryFormat>) {
  return randn(like.sizes(), like_options(like, options));
}

Tensor randint(int64_t low, int64_t high, const Shape& size, MaybeGenerator generator,
               const TensorOptions& options) {
  OA_REQUIRE(low < high, "randint: random_ expects 'from' to be less than 'to', but got from=", low,
             " >= to=", high);
  const DType dtype = options.dtype_opt().value_or(DType::kInt64);
  check_random_range("randint", low, high - 1, dtype);
  const DType drawn = dtype == DType::kBool ? DType::kUInt8 : dtype;
  const Tensor out =
      draw(kInts, size, drawn, static_cast<double>(low), static_cast<double>(high), generator);
  return finished(to(out, dtype), options);
}
Tensor randint(int64_t low, int64_t high, const Shape& size, const TensorOptions& options) {
  return randint(low, high, size, std::nullopt, options);
}
Tensor randint(int64_t high, const Shape& size, const TensorOptions& options) {
  return randint(0, high, size, std::nullopt, options);
}
Tensor randint(int64_t high, const Shape& size, MaybeGenerator generator,
               const TensorOptions& options) {
  return randint(0, high, size, generator, options);
}
Tensor randint_like(const Tensor& like, int64_t low, int64_t high, const TensorOptions& options,
                    std::optional<MemoryFormat>) {
  return randint(low, high, like.sizes(), like_options(like, options));
}
Tensor randint_like(const Tensor& like, int64_t high, const TensorOptions& options,
                    std::optional<MemoryFormat> format) {
  return randint_like(like, 0, high, options, format);
}

Tensor randperm(int64_t n, const TensorOptions& options) {
  return randperm(n, std::nullopt, options);
}
Tensor bernoulli(const Tensor& self, MaybeGenerator generator) {
  OA_REQUIRE(self.is_floating_point(), "bernoulli: needs floating probabilities, was ",
             name_of(self.dtype()));
  check_probabilities(self);
  const DType precise = is_half(self.dtype()) ? DType::kFloat32 : DType(self.dtype());
  return to(lt(rand(self.sizes(), generator, precise), to(self.detach(), precise)), self.dtype());
}
Tensor bernoulli(const Tensor& self, double p, MaybeGenerator generator) {
  OA_REQUIRE(p >= 0 && p <= 1, "bernoulli: bernoulli_ expects p to be in [0, 1], but got p=", p);
  return to(lt(rand(self.sizes(), generator, DType::kFloat64), p), self.dtype());
}
Tensor& bernoulli_(const Tensor& self, const Tensor& p, MaybeGenerator generator) {
  return copied(self, bernoulli(expand(to(p, DType::kFloat64), self.sizes()), generator));
}
Tensor& bernoulli_(const Tensor& self, double p, MaybeGenerator generator) {
  return copied(self, bernoulli(self, p, generator));
}

Tensor multinomial(const Tensor& self, int64_t num_samples, bool replacement,
                   MaybeGenerator given) {
  OA_REQUIRE(num_samples > 0, "multinomial: cannot sample n_sample <= 0 samples, was ",
             num_samples);
  Generator generator = given ? *given : default_generator();
  if (replacement || num_samples == 1) {
    const int64_t rows = self.dim() == 2 ? self.size(0) : 1;
    Attrs attrs = Attrs().add(num_samples);
    return call_op(kMultinomial, {&self}, add_state(attrs, generator, rows * num_samples));
  }
  require_floating("multinomial", self.impl().meta);
  OA_REQUIRE(self.dim() == 1 || self.dim() == 2,
             "multinomial: expected weights [n] or [rows, n], was ", self.sizes());
  const Tensor weights = contiguous(to(self.detach(), DType::kFloat64));
  const int64_t n = self.size(-1), rows = n == 0 ? 0 : self.numel() / n;
  const Tensor keys = log(positive_uniform(weights, generator)) / weights;
  Shape sizes = self.sizes();
  sizes[sizes.size() - 1] = num_samples;
  const Tensor out = empty(sizes, DType::kInt64);
  std::vector<int64_t> order(static_cast<size_t>(n));
  for (int64_t r = 0; r < rows; ++r) {
    const double* key = keys.data_ptr<double>() + r * n;
    const double* weight = weights.data_ptr<double>() + r * n;
    order.clear();
    for (int64_t i = 0; i < n; ++i) {
      OA_REQUIRE(weight[i] >= 0 && std::isfinite(weight[i]), "multinomial: weight ", i, " of row ",
                 r, " is ", weight[i], "; weights must be finite and not negative");
      order.push_back(i);
    }
    OA_REQUIRE(n >= num_samples,
               "multinomial: cannot sample n_sample > prob_dist.size(-1) samples without "
               "replacement; were ",
               num_samples, " and ", n);
    OA_REQUIRE(std::any_of(weight, weight + n, [](double w) { return w > 0; }), "multinomial: row ",
               r, " is an invalid multinomial distribution (sum of probabilities <= 0)");
    // Those of weight 0 come last.
    std::partial_sort(order.begin(), order.begin() + num_samples, order.end(),
                      [key, weight](int64_t a, int64_t b) {
                        const bool first = weight[a] > 0, second = weight[b] > 0;
                        if (first != second) return first;
                        return first && key[a] != key[b] ? key[a] > key[b] : a < b;
                      });
    std::copy_n(order.begin(), num_samples, out.data_ptr<int64_t>() + r * num_samples);
  }
  return out;
}

Tensor normal(double mean, double std, const Shape& size, MaybeGenerator generator,
              const TensorOptions& options) {
  OA_REQUIRE(std >= 0, "normal: normal expects std >= 0.0, but found std ", std);
  return finished(draw(kNormal, size, options.dtype(), mean, std, generator), options);
}
Tensor normal(const Tensor& mean, double std, MaybeGenerator generator) {
  OA_REQUIRE(std >= 0, "normal: normal expects std >= 0.0, but found std ", std);
  return add(draw(kNormal, mean.sizes(), mean.dtype(), 0, std, generator), mean.detach());
}
Tensor normal(double mean, const Tensor& std, MaybeGenerator generator) {
  check_deviations(std);
  return add(mul(draw(kNormal, std.sizes(), std.dtype(), 0, 1, generator), std.detach()), mean);
}
Tensor normal(const Tensor& mean, const Tensor& std, MaybeGenerator generator) {
  check_deviations(std);
  const Shape sizes = broadcast_sizes("normal", mean.sizes(), std.sizes());
  return addcmul(mean.detach(), draw(kNormal, sizes, mean.dtype(), 0, 1, generator), std.detach());
}

Tensor& uniform_(const Tensor& self, double from, double to, MaybeGenerator generator) {
  OA_REQUIRE(from <= to,
             "uniform_: uniform_ expects to return a [from, to) range, but found from=", from,
             " > to=", to);
  OA_REQUIRE(has_gradient(self.scalar_type()), "uniform_: draws no ", self.scalar_type(),
             "; draw integers with random_()");
  return redrawn(
      self, kUniform,
      [=](Stream& stream, const Tensor& out, const RngState& at) {
        run_uniform(stream, out, at, from, to);
      },
      self.dtype(), from, to, generator);
}
Tensor& normal_(const Tensor& self, double mean, double std, MaybeGenerator generator) {
  OA_REQUIRE(std >= 0, "normal_: normal expects std >= 0.0, but found std ", std);
  return redrawn(
      self, kNormal,
      [=](Stream& stream, const Tensor& out, const RngState& at) {
        run_normal(stream, out, at, mean, std);
      },
      self.dtype(), mean, std, generator);
}
static void require_continuous(const char* op, const Tensor& self) {
  OA_REQUIRE(!self.defined() || has_gradient(self.scalar_type()), op, ": draws no ",
             self.scalar_type());
}
Tensor& exponential_(const Tensor& self, double lambd, MaybeGenerator generator) {
  OA_REQUIRE(lambd >= 0,
             "exponential_: exponential_ expects lambda >= 0.0, but found lambda=", lambd);
  require_continuous("exponential_", self);
  if (lambd == 0) return const_cast<Tensor&>(fill_(self, std::numeric_limits<double>::infinity()));
  return copied(self, log(positive_uniform(self, generator)) * (-1.0 / lambd));
}
Tensor& cauchy_(const Tensor& self, double median, double sigma, MaybeGenerator generator) {
  require_continuous("cauchy_", self);
  const Tensor angle = (positive_uniform(self, generator) - 0.5) * 3.14159265358979323846;
  return copied(self, sin(angle) / cos(angle) * sigma + median);
}
Tensor& log_normal_(const Tensor& self, double mean, double std, MaybeGenerator generator) {
  OA_REQUIRE(std > 0, "log_normal_: std must be positive, was ", std);
  require_continuous("log_normal_", self);
  return copied(self, exp(draw(kNormal, self.sizes(), DType::kFloat64, mean, std, generator)));
}
Tensor& geometric_(const Tensor& self, double p, MaybeGenerator generator) {
  OA_REQUIRE(p > 0 && p < 1, "geometric_: geometric_ expects p to be in (0, 1), but got p=", p);
  OA_REQUIRE(!self.defined() || self.scalar_type() != DType::kBool, "geometric_: draws no bool");
  const Tensor trials = log(positive_uniform(self, generator)) * (1.0 / std::log1p(-p));
  return copied(self, ceil(trials));
}
Tensor& random_(const Tensor& self, int64_t from, std::optional<int64_t> to,
                MaybeGenerator generator) {
  const int64_t end = to.value_or(int64_t{1} << 53);
  OA_REQUIRE(from < end, "random_: expects 'from' to be less than 'to', but got from=", from,
             " >= to=", end);
  if (to) check_random_range("random_", from, end - 1, self.dtype());
  return redrawn(
      self, kInts,
      [=](Stream& stream, const Tensor& out, const RngState& at) {
        run_random_ints(stream, out, at, from, end);
      },
      DType::kInt64, static_cast<double>(from), static_cast<double>(end), generator);
}
Tensor& random_(const Tensor& self, int64_t to, MaybeGenerator generator) {
  return random_(self, 0, to, std::move(generator));
}
// All whole numbers that the type holds exactly.
Tensor& random_(const Tensor& self, MaybeGenerator generator) {
  int64_t end = int64_t{1} << 53;
  switch (self.scalar_type()) {
    case DType::kFloat32:
      end = (1 << 24) + 1;
      break;
    case DType::kFloat16:
      end = (1 << 11) + 1;
      break;
    case DType::kBFloat16:
      end = (1 << 8) + 1;
      break;
    case DType::kInt32:
      end = int64_t{1} << 31;
      break;
    case DType::kInt16:
      end = 1 << 15;
      break;
    case DType::kInt8:
      end = 1 << 7;
      break;
    case DType::kUInt8:
      end = 1 << 8;
      break;
    case DType::kBool:
      end = 2;
      break;
    default:
      break;
  }
  return random_(self, 0, end, std::move(generator));
}

OA_OP(random, &kUniform, &kNormal, &kInts, &kMultinomial)

}  // namespace oneagent
