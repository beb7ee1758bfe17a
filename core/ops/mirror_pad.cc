#include "core/ops/mirror_pad.h"

#include "core/kernels/copy.h"
#include "core/kernels/pad.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

enum Mode { kReflection, kReplication, kCircular };

constexpr AttrSpec kAttrs[] = {{"pad", AttrKind::kInts}};
constexpr AttrSpec kBackwardAttrs[] = {{"pad", AttrKind::kInts}, {"sizes", AttrKind::kInts}};

// Where coordinate i of the padded dimension comes from. What a negative size cuts does not come
// back around.
int64_t source_of(Mode mode, int64_t i, int64_t before, int64_t after, int64_t size) {
  const int64_t at = i - before;
  if (mode == kReplication) return std::clamp<int64_t>(at, 0, size - 1);
  if (mode == kReflection) return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
  const int64_t first = std::max<int64_t>(-before, 0),
                left = size - first - std::max<int64_t>(-after, 0);
  return first + ((at - first) % left + left) % left;
}

template <Mode M>
Shape padded_sizes(const Shape& sizes, const Shape& pad) {
  constexpr const char* kNames[] = {"reflection_pad", "replication_pad", "_pad_circular"};
  const size_t dims = pad.size() / 2;
  OA_REQUIRE(pad.size() % 2 == 0 && dims >= 1 && sizes.size() > dims, kNames[M],
             ": expected two values for each of the last dimensions, was ", pad, " for ", sizes);
  Shape out = sizes;
  for (size_t i = 0; i < dims; ++i) {
    const size_t d = sizes.size() - 1 - i;
    const int64_t before = pad[2 * i], after = pad[2 * i + 1], size = sizes[d];
    const int64_t limit = M == kReflection ? size - 1 : size;
    OA_REQUIRE(M != kReflection || (before <= limit && after <= limit), kNames[M],
               ": Padding size should be less than the corresponding input dimension, but got: "
               "padding (",
               before, ", ", after, ") at dimension ", d, " of input ", sizes);
    OA_REQUIRE(M == kReplication || (before <= limit && after <= limit), kNames[M],
               ": Padding value causes wrapping around more than once.: ", pad, " for ", sizes);
    out[d] = size + before + after;
    OA_REQUIRE(size > 0 && out[d] > 0, kNames[M], ": ", pad, " leaves nothing of ", sizes,
               " at dimension ", d);
  }
  return out;
}

template <Mode M>
std::vector<PadMap> maps_of(const Shape& sizes, const Shape& padded, const Shape& pad) {
  std::vector<PadMap> maps(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const size_t i = sizes.size() - 1 - d;
    const bool is_padded = 2 * i < pad.size();
    const int64_t before = is_padded ? pad[2 * i] : 0, after = is_padded ? pad[2 * i + 1] : 0;
    maps[d].from.resize(static_cast<size_t>(padded[d]));
    for (int64_t j = 0; j < padded[d]; ++j)
      maps[d].from[static_cast<size_t>(j)] = source_of(M, j, before, after, sizes[d]);
    maps[d].first = std::clamp<int64_t>(before, 0, padded[d]);
    maps[d].last = std::clamp<int64_t>(before + sizes[d], maps[d].first, padded[d]);
  }
  return maps;
}

template <Mode M>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(padded_sizes<M>(in[0]->sizes, attrs.list(0)), in[0]->dtype);
}
template <Mode M>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_pad(stream, out[0], as_contiguous(stream, in[0]),
          maps_of<M>(in[0].sizes(), out[0].sizes(), attrs.list(0)), 0);
}
template <Mode M>
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("pad_backward", *in[0]);
  const Shape expected = padded_sizes<M>(attrs.list(1), attrs.list(0));
  OA_REQUIRE(in[0]->sizes == expected, "pad_backward: expected a gradient of shape ", expected,
             ", was ", in[0]->sizes);
  out.add(attrs.list(1), in[0]->dtype);
}
template <Mode M>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_pad_backward(stream, out[0], as_contiguous(stream, in[0]),
                   maps_of<M>(out[0].sizes(), in[0].sizes(), attrs.list(0)));
}

std::string rule(const Shape& sizes, const Attrs& attrs, bool backward) {
  std::string from, to, closed;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const size_t i = sizes.size() - 1 - d;
    const bool padded = 2 * i < attrs.list(0).size();
    from += static_cast<char>('a' + d);
    to += static_cast<char>((padded ? 'A' : 'a') + d);
    if (padded) closed += {from.back(), to.back()};
  }
  return (backward ? to + "->" + from : from + "->" + to) + ";" + closed;
}
std::string forward_rule(Metas in, const Attrs& attrs) { return rule(in[0]->sizes, attrs, false); }
std::string backward_rule(Metas in, const Attrs& attrs) { return rule(in[0]->sizes, attrs, true); }

template <Mode M>
Tensor forward(const Tensor& x, const Shape& pad);
template <Mode M>
Tensor backward(const Tensor& gradient, const Shape& pad, const Shape& sizes);

template <Mode M>
void vjp(VjpCall& call) {
  call.set(0, backward<M>(call.grad(), call.attrs().list(0), call.input_sizes(0)));
}
template <Mode M>
void backward_vjp(VjpCall& call) {
  call.set(0, forward<M>(call.grad(), call.attrs().list(0)));
}

Samples samples1() {
  return {{{normal({2, 3, 4})}, Attrs().add(Shape{2, 1})},
          {{normal({2, 3})}, Attrs().add(Shape{1, 2})},
          {{normal({2, 1, 5})}, Attrs().add(Shape{-1, 3})}};
}
Samples samples2() {
  return {{{normal({1, 2, 3, 4})}, Attrs().add(Shape{2, 1, 0, 2})},
          {{normal({2, 4, 4})}, Attrs().add(Shape{1, 3, 2, -1})}};
}
Samples samples3() { return {{{normal({1, 2, 2, 3, 3})}, Attrs().add(Shape{1, 2, 0, 1, 1, 1})}}; }
Samples circular_samples() {
  return {{{normal({2, 3, 4})}, Attrs().add(Shape{2, 4})},
          {{normal({1, 2, 3, 4})}, Attrs().add(Shape{3, 1, -1, 2})},
          {{normal({1, 1, 2, 3, 2})}, Attrs().add(Shape{1, 0, 2, 1, 0, 2})}};
}
// Gradients for the forward samples of the same operands.
template <Mode M, Samples (*Forward)()>
Samples backward_samples() {
  Samples out;
  for (const Sample& sample : Forward()) {
    const Shape& sizes = sample.inputs[0].sizes;
    const Shape pad = sample.attrs.list(0);
    out.push_back({{normal(padded_sizes<M>(sizes, pad))}, Attrs().add(pad).add(sizes)});
  }
  return out;
}

template <Mode M>
constexpr Op forward_op(const char* name, Samples (*samples)()) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<M>,
          .rule = {.linear = 1, .generate = forward_rule},
          .vjp = vjp<M>,
          .kernels = {kernel<M>},
          .samples = samples};
}
template <Mode M, Samples (*Forward)()>
constexpr Op backward_op(const char* name) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_infer<M>,
          .rule = {.linear = 1, .generate = backward_rule},
          .vjp = backward_vjp<M>,
          .kernels = {backward_kernel<M>},
          .samples = backward_samples<M, Forward>};
}

constinit const Op kForward[] = {forward_op<kReflection>("reflection_pad1d", samples1),
                                 forward_op<kReflection>("reflection_pad2d", samples2),
                                 forward_op<kReflection>("reflection_pad3d", samples3),
                                 forward_op<kReplication>("replication_pad1d", samples1),
                                 forward_op<kReplication>("replication_pad2d", samples2),
                                 forward_op<kReplication>("replication_pad3d", samples3),
                                 forward_op<kCircular>("_pad_circular", circular_samples)};
constinit const Op kBackward[] = {
    backward_op<kReflection, samples1>("reflection_pad1d_backward"),
    backward_op<kReflection, samples2>("reflection_pad2d_backward"),
    backward_op<kReflection, samples3>("reflection_pad3d_backward"),
    backward_op<kReplication, samples1>("replication_pad1d_backward"),
    backward_op<kReplication, samples2>("replication_pad2d_backward"),
    backward_op<kReplication, samples3>("replication_pad3d_backward"),
    backward_op<kCircular, circular_samples>("_pad_circular_backward")};

template <Mode M>
size_t record_of(const Shape& pad) {
  return M == kCircular ? 6 : 3 * M + pad.size() / 2 - 1;
}
template <Mode M>
Tensor forward(const Tensor& x, const Shape& pad) {
  return call_op(kForward[record_of<M>(pad)], {&x}, Attrs().add(pad));
}
template <Mode M>
Tensor backward(const Tensor& gradient, const Shape& pad, const Shape& sizes) {
  return call_op(kBackward[record_of<M>(pad)], {&gradient}, Attrs().add(pad).add(sizes));
}

void check(const char* name, const Tensor& input, const Shape& pad, int64_t dims) {
  OA_REQUIRE(static_cast<int64_t>(pad.size()) == 2 * dims &&
                 (input.dim() == dims + 1 || input.dim() == dims + 2),
             name, dims, "d: expected ", 2 * dims, " values and a tensor of ", dims + 1, " or ",
             dims + 2, " dimensions, was ", pad, " for ", input.sizes());
}
template <Mode M>
Tensor checked(const Tensor& input, const Shape& pad, int64_t dims) {
  check(M == kReflection ? "reflection_pad" : "replication_pad", input, pad, dims);
  return forward<M>(input, pad);
}
template <Mode M>
Tensor checked_backward(const Tensor& gradient, const Tensor& input, const Shape& pad,
                        int64_t dims) {
  check(M == kReflection ? "reflection_pad" : "replication_pad", input, pad, dims);
  return backward<M>(gradient, pad, input.sizes());
}

}  // namespace

Tensor reflection_pad1d(const Tensor& input, const Shape& padding) {
  return checked<kReflection>(input, padding, 1);
}
Tensor reflection_pad2d(const Tensor& input, const Shape& padding) {
  return checked<kReflection>(input, padding, 2);
}
Tensor reflection_pad3d(const Tensor& input, const Shape& padding) {
  return checked<kReflection>(input, padding, 3);
}
Tensor replication_pad1d(const Tensor& input, const Shape& padding) {
  return checked<kReplication>(input, padding, 1);
}
Tensor replication_pad2d(const Tensor& input, const Shape& padding) {
  return checked<kReplication>(input, padding, 2);
}
Tensor replication_pad3d(const Tensor& input, const Shape& padding) {
  return checked<kReplication>(input, padding, 3);
}
Tensor _pad_circular(const Tensor& input, const Shape& pad) {
  OA_REQUIRE(2 * input.dim() == static_cast<int64_t>(pad.size()) + 4,
             "_pad_circular: expected two values for each dimension but the first two, was ", pad,
             " for ", input.sizes());
  return forward<kCircular>(input, pad);
}

Tensor reflection_pad1d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding) {
  return checked_backward<kReflection>(grad_output, input, padding, 1);
}
Tensor reflection_pad2d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding) {
  return checked_backward<kReflection>(grad_output, input, padding, 2);
}
Tensor reflection_pad3d_backward(const Tensor& grad_output, const Tensor& input,
                                 const Shape& padding) {
  return checked_backward<kReflection>(grad_output, input, padding, 3);
}
Tensor replication_pad1d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding) {
  return checked_backward<kReplication>(grad_output, input, padding, 1);
}
Tensor replication_pad2d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding) {
  return checked_backward<kReplication>(grad_output, input, padding, 2);
}
Tensor replication_pad3d_backward(const Tensor& grad_output, const Tensor& input,
                                  const Shape& padding) {
  return checked_backward<kReplication>(grad_output, input, padding, 3);
}

OA_OP(mirror_pad, &kForward[0], &kForward[1], &kForward[2], &kForward[3], &kForward[4],
      &kForward[5], &kForward[6], &kBackward[0], &kBackward[1], &kBackward[2], &kBackward[3],
      &kBackward[4], &kBackward[5], &kBackward[6])

}  // namespace oneagent
