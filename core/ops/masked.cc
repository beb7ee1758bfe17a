#include "core/ops/masked.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/masked_fill.h"
#include "core/kernels/loop.h"
#include "core/kernels/masked.h"
#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/expand.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kFillAttrs[] = {{"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}};
constexpr AttrSpec kSelectAttrs[] = {{"count", AttrKind::kInt}};

void require_mask(const char* op, const TensorMeta& mask) {
  OA_REQUIRE(mask.dtype == DType::kBool, op, ": expected BoolTensor or ByteTensor for mask, was ",
             name_of(mask.dtype));
}

void fill_infer(Metas in, const Attrs&, Inferred& out) {
  require_mask("masked_fill", *in[1]);
  out.add(broadcast_sizes("masked_fill", in[0]->sizes, in[1]->sizes), in[0]->dtype);
}
void fill_tensor_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[2]->sizes.empty(),
             "masked_fill: masked_fill_ only supports a 0-dimensional value tensor, but got tensor "
             "with ",
             in[2]->sizes.size(), " dimension(s).");
  OA_REQUIRE(in[2]->dtype == in[0]->dtype, "masked_fill: tensor and value have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  fill_infer(in, attrs, out);
}
void run_fill(Stream& stream, const Tensor& out, const Tensor& in, const Tensor& mask,
              const Tensor& value) {
  const Tensor* operands[] = {&out, &mask, &in, &value};
  run_loop(stream, "masked_fill", cpu::masked_fill(out.element_size()), operands);
}
void fill_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const DType dtype = out[0].dtype();
  const Tensor value = empty_on(stream, {}, dtype);
  fill(stream, value, is_floating(dtype) ? Scalar(attrs.number(0)) : Scalar(attrs.integer(1)));
  run_fill(stream, out[0], in[0], in[1], value);
}
void fill_tensor_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_fill(stream, out[0], in[0], in[1], in[2]);
}
void fill_vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, sum_to(masked_fill(call.grad(), call.input(1), 0), call.input_sizes(0)));
}
void fill_tensor_vjp(VjpCall& call) {
  fill_vjp(call);
  if (!call.needs(2)) return;
  const Tensor zero = zeros({}, call.grad().scalar_type());
  call.set(2, sum(where(call.input(1), call.grad(), zero)));
}

constinit const Op kMaskedFill = {
    .name = "masked_fill",
    .attrs = kFillAttrs,
    .infer = fill_infer,
    .rule = {.factors = "...,...->..."},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .vjp = fill_vjp,
    .kernels = {fill_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), mask({3, 4})}, Attrs().add(2.5).add(2)},
                         {{normal({2, 3}), mask({3})}, Attrs().add(-1.0).add(-1)},
                         {{normal({3}), mask({2, 1})}, Attrs().add(0.0).add(0)},
                         {{ints({2, 3}, 0, 9), mask({2, 1})}, Attrs().add(7.0).add(7)},
                         {{normal({}), mask({})}, Attrs().add(1.0).add(1)}};
        },
};
constinit const Op kMaskedFillTensor = {
    .name = "masked_fill_tensor",
    .infer = fill_tensor_infer,
    .rule = {.factors = "...,...,->..."},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .vjp = fill_tensor_vjp,
    .kernels = {fill_tensor_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), mask({3, 4}), normal({})}},
                         {{normal({2, 3}), mask({3}), normal({})}},
                         {{normal({3}), mask({2, 1}), normal({})}}};
        },
};

Tensor expanded(const Tensor& x, const Shape& sizes) {  // without a graph
  if (x.sizes() == sizes) return x;
  TensorMeta meta = x.impl().meta;
  const size_t missing = sizes.size() - meta.sizes.size();
  Shape strides = sizes;
  for (size_t i = 0; i < sizes.size(); ++i)
    strides[i] = i < missing || meta.sizes[i - missing] == 1 ? 0 : meta.strides[i - missing];
  meta.sizes = sizes;
  meta.strides = strides;
  return alias_of(x, meta);
}

void select_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_mask("masked_select", *in[1]);
  out.add({attrs.integer(0)}, in[0]->dtype);
}
void select_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Shape sizes = broadcast_sizes("masked_select", in[0].sizes(), in[1].sizes());
  run_masked_select(stream, out[0], expanded(in[0], sizes), expanded(in[1], sizes));
}
void select_vjp(VjpCall& call) {
  const Tensor mask = call.input(1);
  const Shape sizes = broadcast_sizes("masked_select", call.input_sizes(0), mask.sizes());
  const Tensor to = zeros(sizes, call.grad().dtype());
  call.set(0, sum_to(masked_scatter_(to, mask, call.grad()), call.input_sizes(0)));
}
std::string select_rule(Metas in, const Attrs&) { return closed_rule(in, {1}); }

constinit const Op kMaskedSelect = {
    .name = "masked_select",
    .attrs = kSelectAttrs,
    .infer = select_infer,
    .rule = {.linear = 1, .generate = select_rule},
    .saves = saves_input(1),
    .half = true,
    .complex = true,
    .vjp = select_vjp,
    .kernels = {select_kernel},
    .samples =
        [] {  // the counts are those of the masks that these samples get
          return Samples{{{normal({3, 4}), ints({3, 4}, 1, 2, DType::kBool)}, Attrs().add(12)},
                         {{normal({2, 3}), ints({3}, 1, 2, DType::kBool)}, Attrs().add(6)},
                         {{normal({3}), ints({2, 1}, 1, 2, DType::kBool)}, Attrs().add(6)},
                         {{normal({4}), ints({4}, 0, 1, DType::kBool)}, Attrs().add(0)}};
        },
};

void scatter_infer(Metas in, const Attrs&, Inferred& out) {
  require_mask("masked_scatter", *in[1]);
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, "masked_scatter: tensor and source have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  out.add(broadcast_sizes("masked_scatter", in[0]->sizes, in[1]->sizes), in[0]->dtype);
}
void scatter_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  const Tensor whole = as_contiguous(stream, expanded(in[1], out[0].sizes()));
  const int64_t count = count_true(stream, whole);
  OA_REQUIRE(count <= in[2].numel(),
             "masked_scatter: Number of elements of source < number of ones in mask, ",
             in[2].numel(), " < ", count);
  copy_into(stream, out[0], in[0]);
  run_masked_scatter(stream, out[0], whole, as_contiguous(stream, in[2]));
}
void scatter_vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, sum_to(masked_fill(call.grad(), call.input(1), 0), call.input_sizes(0)));
  if (!call.needs(2)) return;
  Tensor chosen = masked_select(call.grad(), call.input(1));
  const int64_t rest = call.input_sizes(2).numel() - chosen.numel();
  if (rest > 0) chosen = cat({chosen, zeros({rest}, chosen.dtype())});
  call.set(2, reshape(chosen, call.input_sizes(2)));
}
std::string scatter_rule_closed(Metas in, const Attrs&) {
  return closed_rule(in, {std::max(in[0]->sizes.size(), in[1]->sizes.size())});
}

constinit const Op kMaskedScatter = {
    .name = "masked_scatter",
    .infer = scatter_infer,
    .rule = {.linear = kTogether | 5, .generate = scatter_rule_closed},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = scatter_vjp,
    .kernels = {scatter_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), mask({3, 4}), normal({3, 5})}},
                         {{normal({2, 3}), mask({3}), normal({6})}},
                         {{normal({3}), mask({2, 1}), normal({2, 3})}}};
        },
};

Tensor as_mask(const Tensor& mask) { return mask.dtype() == DType::kUInt8 ? ne(mask, 0) : mask; }
Attrs value_attrs(const Tensor& self, Scalar value) {
  require_fits(value, self.scalar_type());
  return Attrs().add(value.number()).add(value.wrapped_to<int64_t>());
}

}  // namespace

Tensor masked_fill(const Tensor& self, const Tensor& mask, Scalar value) {
  if (value.is_complex()) return masked_fill(self, mask, wrapped_scalar(value, self.dtype()));
  const Tensor chosen = as_mask(mask);
  return call_op(kMaskedFill, {&self, &chosen}, value_attrs(self, value));
}
Tensor masked_fill(const Tensor& self, const Tensor& mask, const Tensor& value) {
  const Tensor chosen = as_mask(mask), same = to(value, self.dtype());
  return call_op(kMaskedFillTensor, {&self, &chosen, &same});
}

Tensor masked_select(const Tensor& self, const Tensor& mask) {
  const Tensor chosen = as_mask(mask);
  require_mask("masked_select", chosen.impl().meta);
  const Shape sizes = broadcast_sizes("masked_select", self.sizes(), chosen.sizes());
  const int64_t repeats = chosen.numel() == 0 ? 0 : sizes.numel() / chosen.numel();
  const int64_t count = count_true(context().stream, chosen) * repeats;
  return call_op(kMaskedSelect, {&self, &chosen}, Attrs().add(count));
}

Tensor masked_scatter(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const Tensor chosen = as_mask(mask);
  return call_op(kMaskedScatter, {&self, &chosen, &source});
}

const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, Scalar value) {
  const Tensor chosen = as_mask(mask);
  return call_in_place(kMaskedFill, {&self, &chosen}, value_attrs(self, value));
}
const Tensor& masked_fill_(const Tensor& self, const Tensor& mask, const Tensor& value) {
  const Tensor chosen = as_mask(mask), same = to(value, self.dtype());
  return call_in_place(kMaskedFillTensor, {&self, &chosen, &same});
}
const Tensor& masked_scatter_(const Tensor& self, const Tensor& mask, const Tensor& source) {
  const Tensor chosen = as_mask(mask);
  return call_in_place(kMaskedScatter, {&self, &chosen, &source});
}

OA_OP(masked, &kMaskedFill, &kMaskedFillTensor, &kMaskedSelect, &kMaskedScatter)

}  // namespace oneagent
