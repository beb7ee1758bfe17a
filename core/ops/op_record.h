// Records of elementwise ops from the name of their inner loop: infer, rule and kernel are the same
// for all. Numbers that belong to a call travel as attrs in pairs, in both kinds, so that large
// integers stay exact: "number", "integer", and so on.
#pragma once

#include "core/kernels/elementwise.h"
#include "core/ops/op_elementwise.h"

namespace oneagent {

struct ElementwiseRecord {
  using Vjp = void (*)(VjpCall& call);
  using MakeSamples = Samples (*)();

  static constexpr AttrSpec kOneNumber[] = {{"number", AttrKind::kNumber},
                                            {"integer", AttrKind::kInt}};

  static Attrs attrs_of(Scalar value) {
    return Attrs().add(value.number()).add(value.wrapped_to<int64_t>());
  }
  static cpu::Params params_of(const Attrs& attrs) {
    cpu::Params params;
    for (size_t i = 0; 2 * i + 1 < attrs.size(); ++i) {
      params.number[i] = attrs.number(2 * i);
      params.integer[i] = attrs.integer(2 * i + 1);
    }
    return params;
  }

  static void infer_same(Metas in, const Attrs&, Inferred& out) {
    out.add(in[0]->sizes, in[0]->dtype);
  }
  static void infer_bool(Metas in, const Attrs&, Inferred& out) {
    out.add(in[0]->sizes, DType::kBool);
  }
  static void infer_broadcast(Metas in, const Attrs&, Inferred& out) {
    out.add(common_sizes(out.op(), in), in[0]->dtype);
  }
  static void infer_broadcast_bool(Metas in, const Attrs&, Inferred& out) {
    out.add(common_sizes(out.op(), in), DType::kBool);
  }
  static Shape common_sizes(const char* op, Metas in) {
    require_same_dtype(op, in);
    Shape sizes = in[0]->sizes;
    for (size_t i = 1; i < in.size(); ++i) sizes = broadcast_sizes(op, sizes, in[i]->sizes);
    return sizes;
  }

  // F: an enumerator for which core/kernels/cpu has an inner_of().
  template <auto F>
  static void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
    const Tensor* operands[kMaxLoopOperands] = {&out[0]};
    for (size_t i = 0; i < in.size(); ++i) operands[i + 1] = &in[i];
    run_loop(stream, "elementwise", inner_of(F, in[0].scalar_type()),
             std::span<const Tensor* const>(operands, in.size() + 1), params_of(attrs));
  }

  template <auto F>
  static constexpr Op unary(const char* name, Vjp vjp, uint32_t saves, MakeSamples samples,
                            std::span<const AttrSpec> attrs = {}, uint32_t linear = 0) {
    return {.name = name,
            .attrs = attrs,
            .infer = infer_same,
            .rule = {.factors = "...->...", .linear = linear},
            .saves = saves,
            .in_place = true,
            .loop = true,
            .vjp = vjp,
            .kernels = {kernel<F>},
            .samples = samples};
  }

  template <auto F>
  static constexpr Op binary(const char* name, Vjp vjp, uint32_t saves, MakeSamples samples,
                             std::span<const AttrSpec> attrs = {}, uint32_t linear = 0) {
    return {.name = name,
            .attrs = attrs,
            .infer = infer_broadcast,
            .rule = {.factors = "...,...->...", .linear = linear},
            .saves = saves,
            .in_place = true,
            .loop = true,
            .vjp = vjp,
            .kernels = {kernel<F>},
            .samples = samples};
  }

  // The result is bool.
  template <auto F>
  static constexpr Op test(const char* name, MakeSamples samples) {
    return {.name = name,
            .infer = infer_bool,
            .rule = {.factors = "...->..."},
            .loop = true,
            .kernels = {kernel<F>},
            .samples = samples};
  }
  template <auto F>
  static constexpr Op comparison(const char* name, MakeSamples samples,
                                 std::span<const AttrSpec> attrs = {}) {
    return {.name = name,
            .attrs = attrs,
            .infer = infer_broadcast_bool,
            .rule = {.factors = "...,...->..."},
            .loop = true,
            .kernels = {kernel<F>},
            .samples = samples};
  }

  static constexpr uint32_t kX = saves_input(0);
  static constexpr uint32_t kY = saves_output();
  static constexpr uint32_t kBoth = saves_input(0) | saves_input(1);

  // Sets the gradient of a broadcast operand.
  static void set(VjpCall& call, size_t i, const Tensor& gradient) {
    call.set(i, sum_to(gradient, call.input_sizes(i)));
  }
  static void zero(VjpCall& call) {
    for (size_t i = 0; i < call.input_count(); ++i)
      if (call.needs(i)) set(call, i, zero_of(call.grad()));
  }
  static Tensor zero_of(const Tensor& gradient);
};

}  // namespace oneagent
