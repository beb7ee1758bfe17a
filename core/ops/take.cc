#include "core/ops/take.h"

#include "core/kernels/copy.h"
#include "core/kernels/indexed.h"
#include "core/ops/creation.h"
#include "core/ops/op_index.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kPutAttrs[] = {{"accumulate", AttrKind::kBool}};

TensorMeta flat_meta(const Tensor& contiguous) {
  TensorMeta meta = contiguous.impl().meta;
  meta.sizes = {contiguous.numel()};
  meta.strides = {1};
  return meta;
}
Tensor flat(const Tensor& contiguous) { return alias_of(contiguous, flat_meta(contiguous)); }
// All dimensions as one that the index addresses.
Indexed all_of(Stream& stream, const char* op, const Tensor& contiguous, const Tensor& index) {
  return indexed_along(op, flat(contiguous), 0, flat(as_contiguous(stream, index)), true);
}

void take_infer(Metas in, const Attrs&, Inferred& out) {
  require_int64_index("take", *in[1]);
  out.add(in[1]->sizes, in[0]->dtype);
}
void take_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_index(stream, out[0], all_of(stream, "take", as_contiguous(stream, in[0]), in[1]));
}
void take_vjp(VjpCall& call) {
  const Tensor to = zeros(call.input_sizes(0), call.grad().dtype());
  call.set(0, put_(to, call.input(1), call.grad(), true));
}
std::string take_rule(Metas in, const Attrs&) { return closed_rule(in, {in[1]->sizes.size()}); }

constinit const Op kTake = {
    .name = "take",
    .infer = take_infer,
    .rule = {.linear = 1, .generate = take_rule},
    .saves = saves_input(1),
    .half = true,
    .complex = true,
    .vjp = take_vjp,
    .kernels = {take_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({5}, -12, 12)}},
                         {{normal({2, 3}), ints({2, 2}, 0, 6)}},
                         {{normal({}), ints({3}, 0, 1)}},
                         {{normal({4}), ints({0}, 0, 1)}}};
        },
};

void put_infer(Metas in, const Attrs&, Inferred& out) {
  require_int64_index("put", *in[1]);
  OA_REQUIRE(in[1]->sizes.numel() == in[2]->sizes.numel(), "put: index of shape ", in[1]->sizes,
             " and source of shape ", in[2]->sizes, " differ in their number of elements");
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, "put: tensor and source have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  out.add(in[0]->sizes, in[0]->dtype);
}
void put_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Combine how = attrs.flag(0) ? Combine::kAdd : Combine::kAssign;
  const Tensor source = flat(as_contiguous(stream, in[2]));
  if (out[0].is_contiguous()) {
    copy_into(stream, out[0], in[0]);
    return run_index_put(stream, all_of(stream, "put", out[0], in[1]), source, how);
  }
  const Tensor result = contiguous_copy(stream, in[0]);
  run_index_put(stream, all_of(stream, "put", result, in[1]), source, how);
  copy_into(stream, out[0], result);
}
void put_vjp(VjpCall& call) {
  const bool accumulate = call.attrs().flag(0);
  if (call.needs(0))
    call.set(0, accumulate ? call.grad()
                           : put(call.grad(), call.input(1),
                                 zeros(call.input_sizes(2), call.grad().dtype())));
  if (call.needs(2)) call.set(2, reshape(take(call.grad(), call.input(1)), call.input_sizes(2)));
}

constinit const Op kPut = {
    .name = "put",
    .attrs = kPutAttrs,
    .infer = put_infer,
    .rule = {.linear = kTogether | 5, .generate = closed_same_rule},
    .saves = saves_input(1),
    .in_place = true,
    .vjp = put_vjp,
    .kernels = {put_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({5}, -12, 12), normal({5})}, Attrs().add(true)},
                         {{normal({2, 3}), ints({1, 1}, 0, 6), normal({1})}, Attrs().add(false)},
                         {{normal({2}), ints({0}, 0, 6), normal({0})}, Attrs().add(false)}};
        },
};

}  // namespace

Tensor take(const Tensor& self, const Tensor& index) {
  OA_REQUIRE(self.defined() && index.defined(), "take: an operand is an undefined tensor");
  return call_op(kTake, {&self, &index});
}
Tensor put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  return call_op(kPut, {&self, &index, &source}, Attrs().add(accumulate));
}
const Tensor& put_(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate) {
  return call_in_place(kPut, {&self, &index, &source}, Attrs().add(accumulate));
}

OA_OP(take, &kTake, &kPut)

}  // namespace oneagent
