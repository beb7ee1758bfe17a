#include "core/ops/scatter.h"

#include "core/kernels/copy.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/index.h"
#include "core/ops/creation.h"
#include "core/ops/gather.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_index.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};
constexpr AttrSpec kValueAttrs[] = {
    {"dim", AttrKind::kInt}, {"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}};
constexpr AttrSpec kReduceAttrs[] = {
    {"dim", AttrKind::kInt}, {"reduction", AttrKind::kInt}, {"include_self", AttrKind::kBool}};

void infer_value(Metas in, const Attrs& attrs, Inferred& out) {
  require_int64_index("scatter", *in[1]);
  require_index_fits("scatter", in[1]->sizes, in[0]->sizes, attrs.integer(0));
  out.add(in[0]->sizes, in[0]->dtype);
}
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_index_fits("scatter", in[1]->sizes, in[2]->sizes, -1);
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, "scatter: tensor and source have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  infer_value(in, attrs, out);
}
template <Combine how>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_scatter(stream, out[0], attrs.integer(0), in[1], in[2], how);
}
void value_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  const DType dtype = out[0].dtype();
  const Scalar value = is_floating(dtype) ? Scalar(attrs.number(1)) : Scalar(attrs.integer(2));
  run_scatter(stream, out[0], attrs.integer(0), in[1], one_value(stream, dtype, value),
              Combine::kAssign);
}

// Works on a contiguous tensor, so that counts lie beside values.
void reduce_contiguous(Stream& stream, const Attrs& attrs, Inputs in, const Tensor& out) {
  const int64_t dim = attrs.integer(0);
  const auto reduction = static_cast<WriteReduction>(attrs.integer(1));
  const bool include_self = attrs.flag(2);
  copy_into(stream, out, in[0]);
  if (!include_self)
    run_scatter(stream, out, dim, in[1],
                one_value(stream, out.dtype(), start_of(reduction, out.dtype())), Combine::kAssign);
  run_scatter(stream, out, dim, in[1], in[2], combine_of(reduction));
  if (reduction != WriteReduction::kMean) return;
  OA_REQUIRE(out.dtype() != DType::kBool, "scatter_reduce: bool has no mean");
  const Tensor count = empty_on(stream, out.sizes(), out.dtype());
  fill(stream, count, include_self ? 1 : 0);
  run_scatter(stream, count, dim, in[1], one_value(stream, out.dtype(), 1), Combine::kAdd);
  divide_by_count(out, count);
}
void reduce_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].is_contiguous()) return reduce_contiguous(stream, attrs, in, out[0]);
  const Tensor result = empty_on(stream, out[0].sizes(), out[0].dtype());
  reduce_contiguous(stream, attrs, in, result);
  copy_into(stream, out[0], result);
}

// The source's gradient is read at the index; where the source is larger than the index there is
// none.
Tensor source_gradient(VjpCall& call) {
  Tensor gradient = gather(call.grad(), call.attrs().integer(0), call.input(1));
  OA_REQUIRE(gradient.sizes() == call.input_sizes(2),
             "scatter: has a gradient only where source and index have one shape, was ",
             call.input_sizes(2), " and ", gradient.sizes());
  return gradient;
}
void add_vjp(VjpCall& call) {
  call.set(0, call.grad());
  if (call.needs(2)) call.set(2, source_gradient(call));
}
void vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, scatter(call.grad(), call.attrs().integer(0), call.input(1), 0));
  if (call.needs(2)) call.set(2, source_gradient(call));
}
void value_vjp(VjpCall& call) {
  call.set(0, scatter(call.grad(), call.attrs().integer(0), call.input(1), 0));
}
void reduce_vjp(VjpCall& call);

constinit const Op kScatterAdd = {
    .name = "scatter_add",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = kTogether | 5, .generate = scatter_rule},
    .saves = saves_input(1),
    .in_place = true,
    .vjp = add_vjp,
    .kernels = {kernel<Combine::kAdd>},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4}), ints({3, 2}, 0, 4), normal({3, 2})}, Attrs().add(1)},
              {{normal({5}), ints({7}, 0, 5), normal({7})}, Attrs().add(0)},
              {{normal({2, 3, 2}), ints({2, 5, 1}, 0, 3), normal({2, 5, 1})}, Attrs().add(1)}};
        },
};
constinit const Op kScatter = {
    .name = "scatter",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = kTogether | 5, .generate = scatter_rule},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel<Combine::kAssign>},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({3, 1}, 0, 4), normal({3, 1})}, Attrs().add(1)},
                         {{normal({1, 3}), ints({1, 3}, 0, 1), normal({1, 3})}, Attrs().add(0)},
                         {{normal({}), ints({}, 0, 1), normal({})}, Attrs().add(0)}};
        },
};
constinit const Op kScatterValue = {
    .name = "scatter_value",
    .attrs = kValueAttrs,
    .infer = infer_value,
    .rule = {.generate = scatter_rule},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .vjp = value_vjp,
    .kernels = {value_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4}), ints({3, 2}, 0, 4)}, Attrs().add(1).add(2.5).add(2)},
              {{normal({5}), ints({3}, 0, 5)}, Attrs().add(0).add(-1.0).add(-1)},
              {{ints({2, 3}, 0, 9), ints({2, 2}, 0, 3)}, Attrs().add(1).add(7.0).add(7)}};
        },
};

Samples reduce_samples() {
  Samples out;
  for (const int64_t reduction : {0, 1, 2, 3, 4})
    for (const bool include_self : {true, false}) {
      const Attrs attrs = Attrs().add(0).add(reduction).add(include_self);
      out.push_back({{distinct({4, 2}), ints({6, 2}, 0, 4), distinct({6, 2})}, attrs});
      out.push_back({{positive({3}), ints({2}, 0, 3), positive({2})}, attrs});
    }
  return out;
}
constinit const Op kScatterReduce = {
    .name = "scatter_reduce",
    .attrs = kReduceAttrs,
    .infer = infer,
    .rule = {.generate = scatter_rule},
    .saves = saves_input(0) | saves_input(1) | saves_input(2) | saves_output(),
    .in_place = true,
    .vjp = reduce_vjp,
    .kernels = {reduce_kernel},
    .samples = reduce_samples,
};

Attrs dim_attrs(const Tensor& x, int64_t dim) {
  return Attrs().add(wrap_dim(dim, x.dim(), "scatter"));
}
Attrs value_attrs(const Tensor& x, int64_t dim, Scalar value) {
  require_fits(value, x.scalar_type());
  return dim_attrs(x, dim).add(value.number()).add(value.wrapped_to<int64_t>());
}
Attrs reduce_attrs(const Tensor& x, int64_t dim, WriteReduction reduction, bool include_self) {
  return dim_attrs(x, dim).add(static_cast<int64_t>(reduction)).add(include_self);
}
Tensor call_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                   WriteReduction reduction, bool include_self) {
  return call_op(kScatterReduce, {&self, &index, &src},
                 reduce_attrs(self, dim, reduction, include_self));
}
void reduce_vjp(VjpCall& call) {
  constexpr ReducingWrite kFamily = {
      .read = [](const Tensor& x, int64_t dim, const Tensor& i) { return gather(x, dim, i); },
      .add = scatter_add,
      .reduce = call_reduce,
      .fill = [](const Tensor& x, int64_t dim, const Tensor& i) { return scatter(x, dim, i, 0); }};
  reducing_write_vjp(call, kFamily);
}

// The old names of two reductions.
WriteReduction parse_scatter(std::string_view reduce) {
  OA_REQUIRE(reduce == "add" || reduce == "multiply",
             "scatter: reduce argument must be either add or multiply, was ", reduce);
  return reduce == "add" ? WriteReduction::kSum : WriteReduction::kProd;
}
Tensor expanded_value(const Tensor& self, const Tensor& index, Scalar value) {
  return full(index.sizes(), value, self.dtype());
}

}  // namespace

Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return call_op(kScatter, {&self, &index, &src}, dim_attrs(self, dim));
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  return call_op(kScatterValue, {&self, &index}, value_attrs(self, dim, value));
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
               std::string_view reduce) {
  return call_reduce(self, dim, index, src, parse_scatter(reduce), true);
}
Tensor scatter(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
               std::string_view reduce) {
  return scatter(self, dim, index, expanded_value(self, index, value), reduce);
}
Tensor scatter_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return call_op(kScatterAdd, {&self, &index, &src}, dim_attrs(self, dim));
}
Tensor scatter_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                      std::string_view reduce, bool include_self) {
  return call_reduce(self, dim, index, src, parse_reduction("scatter_reduce", reduce),
                     include_self);
}

const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src) {
  return call_in_place(kScatter, {&self, &index, &src}, dim_attrs(self, dim));
}
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  return call_in_place(kScatterValue, {&self, &index}, value_attrs(self, dim, value));
}
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src,
                       std::string_view reduce) {
  return call_in_place(kScatterReduce, {&self, &index, &src},
                       reduce_attrs(self, dim, parse_scatter(reduce), true));
}
const Tensor& scatter_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value,
                       std::string_view reduce) {
  return scatter_(self, dim, index, expanded_value(self, index, value), reduce);
}
const Tensor& scatter_add_(const Tensor& self, int64_t dim, const Tensor& index,
                           const Tensor& src) {
  return call_in_place(kScatterAdd, {&self, &index, &src}, dim_attrs(self, dim));
}
const Tensor& scatter_reduce_(const Tensor& self, int64_t dim, const Tensor& index,
                              const Tensor& src, std::string_view reduce, bool include_self) {
  return call_in_place(
      kScatterReduce, {&self, &index, &src},
      reduce_attrs(self, dim, parse_reduction("scatter_reduce", reduce), include_self));
}

OA_OP(scatter, &kScatter, &kScatterAdd, &kScatterValue, &kScatterReduce)

}  // namespace oneagent
