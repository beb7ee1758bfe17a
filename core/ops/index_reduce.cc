#include "core/ops/index_reduce.h"

#include "core/kernels/copy.h"
#include "core/kernels/indexed.h"
#include "core/ops/copy.h"
#include "core/ops/index.h"
#include "core/ops/op_index.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"dim", AttrKind::kInt}, {"reduction", AttrKind::kInt}, {"include_self", AttrKind::kBool}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[1]->dtype == DType::kInt64 || in[1]->dtype == DType::kInt32,
             "index_reduce: the index must be int32 or int64, was ", name_of(in[1]->dtype));
  OA_REQUIRE(in[1]->sizes.size() <= 1 && !in[0]->sizes.empty(),
             "index_reduce: expected a 1-d index and a tensor of at least 1 dimension, were ",
             in[1]->sizes, " and ", in[0]->sizes);
  Shape expected = in[0]->sizes;
  expected[static_cast<size_t>(attrs.integer(0))] = in[1]->sizes.numel();
  OA_REQUIRE(in[2]->sizes == expected && in[2]->dtype == in[0]->dtype,
             "index_reduce: expected a source of shape ", expected, " ", name_of(in[0]->dtype),
             ", was ", in[2]->sizes, " ", name_of(in[2]->dtype));
  out.add(in[0]->sizes, in[0]->dtype);
}

void reduce_contiguous(Stream& stream, const Attrs& attrs, Inputs in, const Tensor& out) {
  const auto reduction = static_cast<WriteReduction>(attrs.integer(1));
  const bool include_self = attrs.flag(2);
  const DType dtype = out.dtype();
  const auto at = [&](const Tensor& target) {
    return indexed_along("index_reduce", target, attrs.integer(0), in[1]);
  };
  copy_into(stream, out, in[0]);
  if (!include_self)
    run_index_put(stream, at(out), one_value(stream, dtype, start_of(reduction, dtype)),
                  Combine::kAssign);
  run_index_put(stream, at(out), in[2], combine_of(reduction));
  if (reduction != WriteReduction::kMean) return;
  OA_REQUIRE(dtype != DType::kBool, "index_reduce: bool has no mean");
  const Tensor count = empty_on(stream, out.sizes(), dtype);
  fill(stream, count, include_self ? 1 : 0);
  run_index_put(stream, at(count), one_value(stream, dtype, 1), Combine::kAdd);
  divide_by_count(out, count);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].is_contiguous()) return reduce_contiguous(stream, attrs, in, out[0]);
  const Tensor result = empty_on(stream, out[0].sizes(), out[0].dtype());
  reduce_contiguous(stream, attrs, in, result);
  copy_into(stream, out[0], result);
}
void vjp(VjpCall& call);

Samples samples() {
  Samples out;
  for (const int64_t reduction : {1, 2, 3, 4})
    for (const bool include_self : {true, false}) {
      const Attrs first = Attrs().add(0).add(reduction).add(include_self);
      const Attrs second = Attrs().add(1).add(reduction).add(include_self);
      out.push_back({{distinct({4, 2}), ints({6}, 0, 4), distinct({6, 2})}, first});
      const DType dtype = include_self ? DType::kInt32 : DType::kInt64;  // as PyTorch's gradient
      out.push_back({{positive({2, 3}), ints({2}, 0, 3, dtype), positive({2, 2})}, second});
    }
  return out;
}
constinit const Op kIndexReduce = {
    .name = "index_reduce",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = closed_same_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_output(),
    .in_place = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples = samples,
};

Attrs reduce_attrs(const Tensor& x, int64_t dim, WriteReduction reduction, bool include_self) {
  return Attrs()
      .add(wrap_dim(dim, x.dim(), "index_reduce"))
      .add(static_cast<int64_t>(reduction))
      .add(include_self);
}
Tensor call_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                   WriteReduction reduction, bool include_self) {
  return call_op(kIndexReduce, {&self, &index, &source},
                 reduce_attrs(self, dim, reduction, include_self));
}
void vjp(VjpCall& call) {
  constexpr ReducingWrite kFamily = {
      .read = index_select,
      .add = [](const Tensor& x, int64_t dim, const Tensor& i,
                const Tensor& source) { return index_add(x, dim, i, source); },
      .reduce = call_reduce,
      .fill = [](const Tensor& x, int64_t dim,
                 const Tensor& i) { return index_fill(x, dim, to(i, DType::kInt64), 0); }};
  reducing_write_vjp(call, kFamily);
}

WriteReduction parse(std::string_view reduce) {
  OA_REQUIRE(reduce != "sum", "index_reduce: reduce must be prod, mean, amax or amin, was sum");
  return parse_reduction("index_reduce", reduce);
}

}  // namespace

Tensor index_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                    std::string_view reduce, bool include_self) {
  return call_reduce(self, dim, index, source, parse(reduce), include_self);
}
const Tensor& index_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                            const Tensor& source, std::string_view reduce, bool include_self) {
  return call_in_place(kIndexReduce, {&self, &index, &source},
                       reduce_attrs(self, dim, parse(reduce), include_self));
}

OA_OP(index_reduce, &kIndexReduce)

}  // namespace oneagent
