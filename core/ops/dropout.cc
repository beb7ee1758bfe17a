#include "core/ops/dropout.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/dropout.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_random.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 16384;

// Of a part of a tensor: the sizes of the whole one, and where the part begins in each dimension;
// its elements draw what they would draw there. Empty for a whole tensor.
constexpr AttrSpec kAttrs[] = {{"p", AttrKind::kNumber},         {"seed", AttrKind::kInt},
                               {"stream", AttrKind::kInt},       {"offset", AttrKind::kInt},
                               {"whole_sizes", AttrKind::kInts}, {"begins", AttrKind::kInts}};
constexpr AttrSpec kScaleAttrs[] = {{"scale", AttrKind::kNumber}};
constexpr AttrSpec kNoiseAttrs[] = {{"sizes", AttrKind::kInts}, {"dtype", AttrKind::kDType},
                                    {"p", AttrKind::kNumber},   {"scale", AttrKind::kNumber},
                                    {"seed", AttrKind::kInt},   {"stream", AttrKind::kInt},
                                    {"offset", AttrKind::kInt}};

double scale_of(double p) { return p == 1 ? 0.0 : 1 / (1 - p); }

void run(Stream& stream, const RngState& at, double p, double scale, const Tensor& out,
         const Tensor& in, const Tensor& mask) {
  const auto size = static_cast<int64_t>(out.element_size());
  stream.parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
    cpu::DropoutArgs args;
    args.seed = at.seed;
    args.stream = at.stream;
    args.counter = at.position + static_cast<uint64_t>(begin);
    args.keep = 1 - p;
    args.scale = scale;
    args.n = end - begin;
    if (in.defined()) args.in = static_cast<const char*>(in.data_ptr()) + begin * size;
    args.out = static_cast<char*>(out.data_ptr()) + begin * size;
    if (mask.defined()) args.mask = mask.data_ptr<bool>() + begin;
    cpu::dropout(out.dtype(), args);
  });
}

Tensor flat_run(const Tensor& x, int64_t first, int64_t count) {
  TensorMeta meta = x.impl().meta;
  meta.sizes = {count};
  meta.strides = {1};
  meta.offset += first;
  return Tensor(make_ref<TensorImpl>(std::move(meta), x.impl().storage));
}

// Calls body(first, count, position) for runs of elements whose positions in the whole tensor
// follow each other.
template <class Body>
void each_run(const Shape& sizes, const Shape& whole, const Shape& begins, const Body& body) {
  size_t inner = sizes.size();  // from here on the part is whole
  while (inner > 0 && sizes[inner - 1] == whole[inner - 1]) --inner;
  const size_t rows = inner == 0 ? 0 : inner - 1;
  int64_t run = 1;
  for (size_t i = rows; i < sizes.size(); ++i) run *= sizes[i];
  const Shape strides = contiguous_strides(whole);
  std::vector<int64_t> at(rows, 0);
  for (int64_t first = 0; first < sizes.numel(); first += run) {
    int64_t position = 0;
    for (size_t i = 0; i < sizes.size(); ++i)
      position += (begins[i] + (i < rows ? at[i] : 0)) * strides[i];
    body(first, run, position);
    for (size_t i = rows; i-- > 0;) {
      if (++at[i] < sizes[i]) break;
      at[i] = 0;
    }
  }
}

void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("dropout", *in[0]);
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(in[0]->sizes, DType::kBool);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  const double p = attrs.number(0);
  const RngState state = random_state(attrs, 1);
  const Shape whole = attrs.list(4);
  if (whole.empty()) return run(stream, state, p, scale_of(p), out[0], x, out[1]);
  each_run(x.sizes(), whole, attrs.list(5), [&](int64_t first, int64_t count, int64_t position) {
    RngState at = state;
    at.position += static_cast<uint64_t>(position);
    run(stream, at, p, scale_of(p), flat_run(out[0], first, count), flat_run(x, first, count),
        flat_run(out[1], first, count));
  });
}

void backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("native_dropout_backward", *in[0]);
  OA_REQUIRE(in[1]->dtype == DType::kBool && in[1]->sizes == in[0]->sizes,
             "native_dropout_backward: expected a bool mask of shape ", in[0]->sizes, ", was ",
             name_of(in[1]->dtype), " ", in[1]->sizes);
  out.add(in[0]->sizes, in[0]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), mask = as_contiguous(stream, in[1]);
  const auto size = static_cast<int64_t>(g.element_size());
  stream.parallel_for(g.numel(), kGrain, [&](int64_t begin, int64_t end) {
    cpu::MaskedScaleArgs args;
    args.in = static_cast<const char*>(g.data_ptr()) + begin * size;
    args.mask = mask.data_ptr<bool>() + begin;
    args.out = static_cast<char*>(out[0].data_ptr()) + begin * size;
    args.n = end - begin;
    args.scale = attrs.number(0);
    cpu::masked_scale(g.dtype(), args);
  });
}

void noise_infer(Metas, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), attrs.dtype(1));
}
void noise_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  run(stream, random_state(attrs, 4), attrs.number(2), attrs.number(3), out[0], {}, {});
}

constinit const Op kDropout = {
    .name = "native_dropout",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "...->...,...", .linear = 1},
    .saves = saves_output(1),
    .random = true,
    .vjp =
        [](VjpCall& call) {
          call.set(0, native_dropout_backward(call.grad(), call.output(1),
                                              scale_of(call.attrs().number(0))));
        },
    .kernels = {kernel},
    .samples =
        [] {
          const auto attrs = [](double p) {
            return Attrs().add(p).add(5).add(6).add(7).add(Shape()).add(Shape());
          };
          return Samples{{{normal({3, 50})}, attrs(0.4)},
                         {{normal({3, 4, 5})}, attrs(0.4)},
                         {{normal({})}, attrs(0.5)},
                         {{normal({0, 2})}, attrs(0.5)},
                         {{normal({4})}, attrs(1)}};
        }};
constinit const Op kDropoutBackward = {
    .name = "native_dropout_backward",
    .attrs = kScaleAttrs,
    .infer = backward_infer,
    .rule = {.factors = "...,...->...", .linear = 1},
    .saves = saves_input(1),
    .vjp =
        [](VjpCall& call) {
          call.set(0, native_dropout_backward(call.grad(), call.input(1), call.attrs().number(0)));
        },
    .kernels = {backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 5}), mask({3, 5})}, Attrs().add(1.5)},
                         {{normal({}), mask({})}, Attrs().add(2.0)}};
        }};
// A tensor that is `scale` with probability 1 - p, else 0.
constinit const Op kNoise = {
    .name = "dropout_noise",
    .attrs = kNoiseAttrs,
    .infer = noise_infer,
    .rule = {.factors = "->..."},
    .random = true,
    .kernels = {noise_kernel},
    .samples = [] {
      return Samples{
          {{},
           Attrs().add(Shape{3, 4}).add(DType::kFloat32).add(0.5).add(2.0).add(5).add(6).add(7)}};
    }};

// False where nothing is dropped.
bool begins(const char* op, const Tensor& x, double p, bool train) {
  OA_REQUIRE(p >= 0 && p <= 1, op, ": dropout probability has to be between 0 and 1, but got ", p);
  return train && p > 0 && x.numel() > 0;
}

Tensor noise_like(const Tensor& x, double p, double scale, bool features) {
  Shape sizes = x.sizes();
  if (features) {
    OA_REQUIRE(x.dim() >= 2, "feature_dropout: expected at least two dimensions, was ", x.sizes());
    for (size_t i = 2; i < sizes.size(); ++i) sizes[i] = 1;
  }
  Attrs attrs = Attrs().add(sizes).add(x.dtype()).add(p).add(scale);
  return call_op(kNoise, {}, add_random_state(attrs, std::nullopt, sizes.numel()));
}

// Dropped elements become -alpha before the affine map that restores mean and variance.
struct Affine {
  Affine(const Tensor& x, double p, bool features) {
    constexpr double kAlpha = 1.7580993408473766;
    const double a = p == 1 ? 0.0 : 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
    factor = noise_like(x, p, a, features);
    added = p == 1 ? mul(factor, 0.0) : add(mul(factor, kAlpha), kAlpha * a * p - kAlpha * a);
  }
  Tensor factor, added;
};

Tensor& changed(const Tensor& self) { return const_cast<Tensor&>(self); }

}  // namespace

std::tuple<Tensor, Tensor> native_dropout(const Tensor& input, double p,
                                          std::optional<bool> train) {
  OA_REQUIRE(p >= 0 && p <= 1,
             "native_dropout: dropout probability has to be between 0 and 1, but got ", p);
  Attrs attrs = Attrs().add(train.value_or(true) ? p : 0.0);
  Tensor out[2];
  add_random_state(attrs, std::nullopt, input.numel()).add(Shape()).add(Shape());
  call_op(kDropout, {&input}, attrs, out);
  return {out[0], out[1]};
}
Tensor native_dropout_backward(const Tensor& grad_output, const Tensor& mask, double scale) {
  return call_op(kDropoutBackward, {&grad_output, &mask}, Attrs().add(scale));
}

Tensor dropout(const Tensor& input, double p, bool train) {
  if (!begins("dropout", input, p, train)) return input;
  return std::get<0>(native_dropout(input, p, true));
}
Tensor& dropout_(const Tensor& self, double p, bool train) {
  if (begins("dropout_", self, p, train)) mul_(self, noise_like(self, p, scale_of(p), false));
  return changed(self);
}
Tensor feature_dropout(const Tensor& input, double p, bool train) {
  if (!begins("feature_dropout", input, p, train)) return input;
  return mul(input, noise_like(input, p, scale_of(p), true));
}
Tensor& feature_dropout_(const Tensor& self, double p, bool train) {
  if (begins("feature_dropout_", self, p, train))
    mul_(self, noise_like(self, p, scale_of(p), true));
  return changed(self);
}
Tensor alpha_dropout(const Tensor& input, double p, bool train) {
  if (!begins("alpha_dropout", input, p, train)) return input;
  const Affine affine(input, p, false);
  return add(mul(input, affine.factor), affine.added);
}
Tensor& alpha_dropout_(const Tensor& self, double p, bool train) {
  if (!begins("alpha_dropout_", self, p, train)) return changed(self);
  const Affine affine(self, p, false);
  mul_(self, affine.factor);
  add_(self, affine.added);
  return changed(self);
}
Tensor feature_alpha_dropout(const Tensor& input, double p, bool train) {
  if (!begins("feature_alpha_dropout", input, p, train)) return input;
  const Affine affine(input, p, true);
  return add(mul(input, affine.factor), affine.added);
}
Tensor& feature_alpha_dropout_(const Tensor& self, double p, bool train) {
  if (!begins("feature_alpha_dropout_", self, p, train)) return changed(self);
  const Affine affine(self, p, true);
  mul_(self, affine.factor);
  add_(self, affine.added);
  return changed(self);
}

OA_OP(dropout, &kDropout, &kDropoutBackward, &kNoise)

}  // namespace oneagent
