#include "core/ops/index.h"

#include "core/kernels/copy.h"
#include "core/kernels/index.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

void check_index(const char* op, const TensorMeta& index) {
  OA_REQUIRE(index.dtype == DType::kInt64, op, ": the index must be int64, was ",
             name_of(index.dtype));
}

// Every size of the index fits in the operand, except along dim.
void check_fits(const char* op, const Shape& index, const Shape& operand, int64_t dim) {
  OA_REQUIRE(index.size() == operand.size(), op, ": index of shape ", index,
             " and operand of shape ", operand, " differ in rank");
  for (size_t i = 0; i < index.size(); ++i)
    OA_REQUIRE(static_cast<int64_t>(i) == dim || index[i] <= operand[i], op, ": index of shape ",
               index, " reaches beyond ", operand, " at dimension ", i);
}

std::string letters(size_t count) {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += static_cast<char>('a' + i);
  return out;
}
// The indexed dimension is closed and has its own letter on the index side.
std::string gather_rule(Metas in, const Attrs& attrs) {
  const std::string operand = letters(in[0]->sizes.size());
  if (operand.empty()) return ",->";
  std::string index = operand;
  index[static_cast<size_t>(attrs.integer(0))] = 'z';
  return operand + "," + index + "->" + index + ";" + operand;
}
std::string scatter_rule(Metas in, const Attrs& attrs) {
  const std::string operand = letters(in[0]->sizes.size());
  if (operand.empty()) return ",,->";
  std::string index = operand;
  index[static_cast<size_t>(attrs.integer(0))] = 'z';
  return operand + "," + index + "," + index + "->" + operand + ";" + operand + "z";
}

void gather_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("gather", *in[1]);
  check_fits("gather", in[1]->sizes, in[0]->sizes, attrs.integer(0));
  out.add(in[1]->sizes, in[0]->dtype);
}
void gather_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_gather(stream, out[0], in[0], attrs.integer(0), in[1]);
}
void gather_vjp(VjpCall& call) {
  call.set(0, scatter_add(zeros(call.input_sizes(0), call.grad().dtype()), call.attrs().integer(0),
                          call.input(1), call.grad()));
}

constinit const Op kGather = {
    .name = "gather",
    .attrs = kAttrs,
    .infer = gather_infer,
    .rule = {.linear = 1, .generate = gather_rule},
    .saves = saves_input(1),
    .vjp = gather_vjp,
    .kernels = {gather_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({3, 2}, 0, 4)}, Attrs().add(1)},
                         {{normal({5, 3}), ints({2, 3}, 0, 5)}, Attrs().add(0)},
                         {{normal({2, 3, 4}), ints({2, 5, 4}, 0, 3)}, Attrs().add(1)}};
        },
};

template <bool Accumulate>
void scatter_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("scatter", *in[1]);
  check_fits("scatter", in[1]->sizes, in[0]->sizes, attrs.integer(0));
  check_fits("scatter", in[1]->sizes, in[2]->sizes, -1);
  OA_REQUIRE(in[0]->dtype == in[2]->dtype, "scatter: operand and source have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  out.add(in[0]->sizes, in[0]->dtype);
}
template <bool Accumulate>
void scatter_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_scatter(stream, out[0], attrs.integer(0), in[1], in[2], Accumulate);
}
// The source's gradient is read at the index; where the source is larger than the index the rest
// gets none.
Tensor source_gradient(VjpCall& call) {
  Tensor gradient = gather(call.grad(), call.attrs().integer(0), call.input(1));
  OA_REQUIRE(gradient.sizes() == call.input_sizes(2),
             "scatter: has a gradient only where source and index have one shape, was ",
             call.input_sizes(2), " and ", gradient.sizes());
  return gradient;
}
void scatter_add_vjp(VjpCall& call) {
  call.set(0, call.grad());
  if (call.needs(2)) call.set(2, source_gradient(call));
}
void scatter_vjp(VjpCall& call) {
  if (call.needs(0))
    call.set(0, scatter(call.grad(), call.attrs().integer(0), call.input(1),
                        zeros(call.input(1).sizes(), call.grad().dtype())));
  if (call.needs(2)) call.set(2, source_gradient(call));
}

constinit const Op kScatterAdd = {
    .name = "scatter_add",
    .attrs = kAttrs,
    .infer = scatter_infer<true>,
    .rule = {.linear = 5, .generate = scatter_rule},
    .saves = saves_input(1),
    .vjp = scatter_add_vjp,
    .kernels = {scatter_kernel<true>},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({3, 2}, 0, 4), normal({3, 2})}, Attrs().add(1)},
                         {{normal({5}), ints({7}, 0, 5), normal({7})}, Attrs().add(0)}};
        },
};
constinit const Op kScatter = {
    .name = "scatter",
    .attrs = kAttrs,
    .infer = scatter_infer<false>,
    .rule = {.linear = 5, .generate = scatter_rule},
    .saves = saves_input(1),
    .vjp = scatter_vjp,
    .kernels = {scatter_kernel<false>},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({3, 1}, 0, 4), normal({3, 1})}, Attrs().add(1)}};
        },
};

std::string select_rule(Metas in, const Attrs& attrs) {
  const std::string operand = letters(in[0]->sizes.size());
  const auto dim = static_cast<size_t>(attrs.integer(0));
  std::string result = operand;
  result[dim] = 'z';
  return operand + ",z->" + result + ";" + operand[dim];
}
std::string index_add_rule(Metas in, const Attrs& attrs) {
  const std::string operand = letters(in[0]->sizes.size());
  const auto dim = static_cast<size_t>(attrs.integer(0));
  std::string source = operand;
  source[dim] = 'z';
  return operand + ",z," + source + "->" + operand + ";" + operand[dim] + "z";
}

void select_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("index_select", *in[1]);
  OA_REQUIRE(in[1]->sizes.size() == 1,
             "index_select: the index must have one dimension, was shape ", in[1]->sizes);
  OA_REQUIRE(!in[0]->sizes.empty(), "index_select: the operand needs at least one dimension");
  Shape sizes = in[0]->sizes;
  sizes[static_cast<size_t>(attrs.integer(0))] = in[1]->sizes[0];
  out.add(sizes, in[0]->dtype);
}
void select_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_index_select(stream, out[0], in[0], attrs.integer(0), in[1]);
}
void select_vjp(VjpCall& call) {
  call.set(0, index_add(zeros(call.input_sizes(0), call.grad().dtype()), call.attrs().integer(0),
                        call.input(1), call.grad()));
}
void index_add_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("index_add", *in[1]);
  Shape expected = in[0]->sizes;
  OA_REQUIRE(in[1]->sizes.size() == 1 && !expected.empty(),
             "index_add: expected a 1-d index, was shape ", in[1]->sizes);
  expected[static_cast<size_t>(attrs.integer(0))] = in[1]->sizes[0];
  OA_REQUIRE(in[2]->sizes == expected && in[2]->dtype == in[0]->dtype,
             "index_add: expected a source of shape ", expected, " ", name_of(in[0]->dtype),
             ", was ", in[2]->sizes, " ", name_of(in[2]->dtype));
  out.add(in[0]->sizes, in[0]->dtype);
}
void index_add_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_index_add(stream, out[0], attrs.integer(0), in[1], in[2]);
}
void index_add_vjp(VjpCall& call) {
  call.set(0, call.grad());
  if (call.needs(2)) call.set(2, index_select(call.grad(), call.attrs().integer(0), call.input(1)));
}

constinit const Op kIndexSelect = {
    .name = "index_select",
    .attrs = kAttrs,
    .infer = select_infer,
    .rule = {.linear = 1, .generate = select_rule},
    .saves = saves_input(1),
    .vjp = select_vjp,
    .kernels = {select_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({4}, 0, 5)}, Attrs().add(0)},
                         {{normal({2, 4, 3}), ints({6}, 0, 4)}, Attrs().add(1)},
                         {{normal({5}), ints({0}, 0, 5)}, Attrs().add(0)}};
        },
};
constinit const Op kIndexAdd = {
    .name = "index_add",
    .attrs = kAttrs,
    .infer = index_add_infer,
    .rule = {.linear = 5, .generate = index_add_rule},
    .saves = saves_input(1),
    .vjp = index_add_vjp,
    .kernels = {index_add_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({4}, 0, 5), normal({4, 3})}, Attrs().add(0)},
                         {{normal({2, 4}), ints({3}, 0, 4), normal({2, 3})}, Attrs().add(1)}};
        },
};

Attrs dim_attrs(const char* op, const Tensor& x, int64_t dim) {
  return Attrs().add(wrap_dim(dim, x.dim(), op));
}

}  // namespace

Tensor gather(const Tensor& x, int64_t dim, const Tensor& index) {
  return call_op(kGather, {&x, &index}, dim_attrs("gather", x, dim));
}
Tensor scatter(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  return call_op(kScatter, {&x, &index, &source}, dim_attrs("scatter", x, dim));
}
Tensor scatter_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  return call_op(kScatterAdd, {&x, &index, &source}, dim_attrs("scatter_add", x, dim));
}
Tensor index_select(const Tensor& x, int64_t dim, const Tensor& index) {
  return call_op(kIndexSelect, {&x, &index}, dim_attrs("index_select", x, dim));
}
Tensor index_add(const Tensor& x, int64_t dim, const Tensor& index, const Tensor& source) {
  return call_op(kIndexAdd, {&x, &index, &source}, dim_attrs("index_add", x, dim));
}

Tensor one_hot(const Tensor& index, int64_t num_classes) {
  OA_REQUIRE(index.dtype() == DType::kInt64, "one_hot: the index must be int64, was ",
             name_of(index.dtype()));
  OA_REQUIRE(num_classes > 0 || index.numel() > 0,
             "one_hot: num_classes must be given for an empty index");
  const int64_t classes = num_classes > 0 ? num_classes : amax(index).item<int64_t>() + 1;
  if (index.numel() > 0) {
    const int64_t low = amin(index).item<int64_t>(), high = amax(index).item<int64_t>();
    OA_REQUIRE(low >= 0 && high < classes, "one_hot: indices must be in 0 .. ", classes - 1,
               ", were ", low, " .. ", high);
  }
  return to(eq(unsqueeze(index, -1), arange(classes)), DType::kInt64);
}

OA_OP(index, &kGather, &kScatterAdd, &kScatter, &kIndexSelect, &kIndexAdd)

}  // namespace oneagent
