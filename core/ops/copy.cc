#include "core/ops/copy.h"

#include "core/kernels/copy.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"

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
  fill(stream, out[0],
       is_floating(out[0].dtype()) ? Scalar(attrs.number(0)) : Scalar(attrs.integer(1)));
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
    .half = true,
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
    .vjp = fill_vjp,
    .kernels = {fill_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(2.5).add(2)},
                         {{ints({3}, 0, 2)}, Attrs().add(7.0).add(7)}};
        },
};

}  // namespace

Tensor to(const Tensor& x, DType dtype) {
  return x.dtype() == dtype ? x : call_op(kTo, {&x}, Attrs().add(dtype));
}
Tensor clone(const Tensor& x) { return call_op(kClone, {&x}); }
Tensor contiguous(const Tensor& x) { return x.is_contiguous() ? x : clone(x); }
const Tensor& copy_(const Tensor& self, const Tensor& source) {
  return call_in_place(kCopy, {&self, &source});
}
const Tensor& fill_(const Tensor& self, Scalar value) {
  return call_in_place(kFill, {&self}, Attrs().add(value.number()).add(value.to<int64_t>()));
}

OA_OP(copy, &kTo, &kClone, &kCopy, &kFill)

}  // namespace oneagent
