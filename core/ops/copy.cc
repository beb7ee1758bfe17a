#include "core/ops/copy.h"

#include "core/kernels/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kToAttrs[] = {{"dtype", AttrKind::kDType}};

void to_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(in[0]->sizes, attrs.dtype(0));
}
void clone_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }
void copy_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape common = broadcast_sizes("copy_", in[0]->sizes, in[1]->sizes);
  OA_REQUIRE(common == in[0]->sizes, "copy_: a source of shape ", in[1]->sizes,
             " does not broadcast to ", in[0]->sizes);
  out.add(in[0]->sizes, in[0]->dtype);
}

void copy_first(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
}
void copy_second(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[1]);
}
void fill_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  fill(stream, out[0], Scalar::from_parts(attrs.number(0), attrs.integer(1), out[0].dtype()));
}

void to_vjp(VjpCall& call) { call.set(0, to(call.grad(), call.input_dtype(0))); }
void clone_vjp(VjpCall& call) { call.set(0, call.grad()); }
void copy_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, mul(call.grad(), 0.0));
  if (call.needs(1)) call.set(1, to(sum_to(call.grad(), call.input_sizes(1)), call.input_dtype(1)));
}
void fill_vjp(VjpCall& call) { call.set(0, mul(call.grad(), 0.0)); }

constinit const Op kTo = {
    .name = "to",
    .attrs = kToAttrs,
    .infer = to_infer,
    .rule = {.factors = "...->...", .linear = 1},
    .keeps_layout = true,
    .half = true,
    .complex = true,
    .vjp = to_vjp,
    .kernels = {copy_first},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(DType::kFloat64)},
                         {{ints({5}, -3, 3)}, Attrs().add(DType::kFloat32)},
                         {{ints({5}, 0, 3)}, Attrs().add(DType::kBool)},
                         {{positive({})}, Attrs().add(DType::kInt32)}};
        },
};

constinit const Op kClone = {
    .name = "clone",
    .infer = clone_infer,
    .rule = {.factors = "...->...", .linear = 1},
    .half = true,
    .complex = true,
    .vjp = clone_vjp,
    .kernels = {copy_first},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}}, {{normal({})}}, {{normal({0})}}};
        },
};

constinit const Op kCopy = {
    .name =
        "copy",  // (destination, source) -> the source's values in the destination's shape and type
    .infer = copy_infer,
    .rule = {.factors = "...,...->...", .linear = 2},
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = copy_vjp,
    .kernels = {copy_second},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), normal({3, 4})}}, {{normal({2, 3}), normal({3})}}};
        },
};

constexpr AttrSpec kFillAttrs[] = {{"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}};

constinit const Op kFill = {
    .name = "fill",
    .attrs = kFillAttrs,
    .infer = clone_infer,
    .rule = {.factors = "...->..."},
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = fill_vjp,
    .kernels = {fill_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(2.5).add(2)},
                         {{ints({3}, 0, 2)}, Attrs().add(7.0).add(7)}};
        },
};

}  // namespace

static Tensor laid_out(const Tensor& x, std::optional<MemoryFormat> format) {
  if (!format || *format == MemoryFormat::Preserve || x.is_contiguous(*format)) return x;
  return clone(x, format);
}

Tensor to(const Tensor& self, DType dtype, bool, bool copy,
          std::optional<MemoryFormat> memory_format) {
  Tensor out = self;
  if (self.dtype() != dtype)
    out = call_op(kTo, {&self}, Attrs().add(dtype));
  else if (copy)
    out = clone(self, memory_format);
  return laid_out(out, memory_format);
}
Tensor to(const Tensor& self, TypeMeta dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  return to(self, DType(dtype), non_blocking, copy, memory_format);
}
Tensor to(const Tensor& self, Device device, DType dtype, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  if (device.type() != self.device().type())
    throw NotImplementedError(str("to: this build has no device ", device));
  return to(self, dtype, non_blocking, copy, memory_format);
}
Tensor to(const Tensor& self, const TensorOptions& options, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  OA_REQUIRE(options.layout() == kStrided, "to: only the strided layout is served");
  return to(self, options.device_opt().value_or(self.device()),
            options.dtype_opt().value_or(self.dtype()), non_blocking, copy,
            memory_format ? memory_format : options.memory_format_opt());
}
Tensor to(const Tensor& self, const Tensor& other, bool non_blocking, bool copy,
          std::optional<MemoryFormat> memory_format) {
  return to(self, other.device(), other.dtype(), non_blocking, copy, memory_format);
}
Tensor toType(const Tensor& self, DType dtype) { return to(self, dtype); }
Tensor type_as(const Tensor& self, const Tensor& other) { return to(self, other); }

Tensor clone(const Tensor& self, std::optional<MemoryFormat> memory_format) {
  const MemoryFormat format = memory_format.value_or(MemoryFormat::Preserve);
  if (self.is_contiguous() &&
      (format == MemoryFormat::Preserve || format == MemoryFormat::Contiguous))
    return call_op(kClone, {&self});
  Shape strides;
  if (format == MemoryFormat::Preserve)
    strides =
        self.is_non_overlapping_and_dense() ? self.strides() : contiguous_strides(self.sizes());
  else
    strides = strides_of(format, self.sizes());
  if (strides == contiguous_strides(self.sizes())) return call_op(kClone, {&self});
  // The copy of a permuted tensor, permuted back.
  Shape order, back;
  for (int64_t i = 0; i < self.dim(); ++i) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return strides[static_cast<size_t>(a)] > strides[static_cast<size_t>(b)];
  });
  back = order;
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const Tensor moved = permute(self, order);
  return permute(call_op(kClone, {&moved}), back);
}
Tensor contiguous(const Tensor& self, MemoryFormat memory_format) {
  OA_REQUIRE(memory_format != MemoryFormat::Preserve,
             "contiguous: the memory format must not be Preserve");
  return self.is_contiguous(memory_format) ? self : clone(self, memory_format);
}

const Tensor& copy_(const Tensor& self, const Tensor& source, bool) {
  OA_REQUIRE(source.defined(), "copy_: the source is an undefined tensor");
  return call_in_place(kCopy, {&self, &source});
}
static Attrs fill_attrs(const Tensor& self, Scalar value) {
  const Scalar same = value.as(self.scalar_type());
  require_fits(same, self.scalar_type());
  return Attrs()
      .add(same.number())
      .add(same.is_floating() ? same.wrapped_to<int64_t>() : same.integer());
}
const Tensor& fill_(const Tensor& self, Scalar value) {
  return call_in_place(kFill, {&self}, fill_attrs(self, value));
}
const Tensor& fill_(const Tensor& self, const Tensor& value) {
  OA_REQUIRE(value.dim() == 0, "fill_: the value must have no dimensions, was of shape ",
             value.sizes());
  return copy_(self, value);
}
const Tensor& zero_(const Tensor& self) { return fill_(self, 0); }
Tensor fill(const Tensor& self, Scalar value) {
  return call_op(kFill, {&self}, fill_attrs(self, value));
}

OA_OP(copy, &kTo, &kClone, &kCopy, &kFill)

}  // namespace oneagent
