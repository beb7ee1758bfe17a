#include "core/ops/index.h"

#include "core/kernels/copy.h"
#include "core/kernels/indexed.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_index.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};
// Of index_add (alpha) and index_fill (the value): a number in both kinds.
constexpr AttrSpec kNumberAttrs[] = {
    {"dim", AttrKind::kInt}, {"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}};

std::string select_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  if (operand.empty() || in[1]->sizes.empty()) return closed_rule(in, {operand.size()});
  const auto dim = static_cast<size_t>(attrs.integer(0));
  std::string result = operand;
  result[dim] = 'z';
  return operand + ",z->" + result + ";" + operand[dim];
}
std::string write_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  if (operand.empty() || in[1]->sizes.empty() || in[2]->sizes.empty())
    return closed_rule(in, {operand.size()});
  const auto dim = static_cast<size_t>(attrs.integer(0));
  std::string source = operand;
  source[dim] = 'z';
  return operand + ",z," + source + "->" + operand + ";" + operand[dim] + "z";
}

void check_index(const char* op, const TensorMeta& index, bool also_int32) {
  OA_REQUIRE(index.dtype == DType::kInt64 || (also_int32 && index.dtype == DType::kInt32), op,
             ": the index must be ", also_int32 ? "int32 or int64" : "int64", ", was ",
             name_of(index.dtype));
  if (index.sizes.size() > 1)
    throw IndexError(
        str(op, ": the index must have at most one dimension, was shape ", index.sizes));
}

// The source of an indexed write has the operand's shape but for the length of the index.
void check_source(const char* op, Metas in, int64_t dim) {
  Shape expected = in[0]->sizes;
  const int64_t count = in[1]->sizes.numel();
  if (expected.empty())
    OA_REQUIRE(in[2]->sizes.numel() == count, op, ": an index of shape ", in[1]->sizes,
               " and a source of shape ", in[2]->sizes, " differ");
  else
    expected[static_cast<size_t>(dim)] = count;
  OA_REQUIRE(in[0]->sizes.empty() || in[2]->sizes == expected ||
                 (in[2]->sizes.empty() && expected.size() == 1 && count == 1),
             op, ": expected a source of shape ", expected, ", was ", in[2]->sizes);
  OA_REQUIRE(in[2]->dtype == in[0]->dtype, op, ": tensor and source have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
}

Scalar number_of(const Attrs& attrs, DType dtype) {
  return is_floating(dtype) ? Scalar(attrs.number(1)) : Scalar(attrs.integer(2));
}

void select_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("index_select", *in[1], true);
  Shape sizes = in[0]->sizes;
  if (sizes.empty())
    OA_REQUIRE(in[1]->sizes.numel() == 1, "index_select: a 0-d tensor takes one index, was shape ",
               in[1]->sizes);
  else
    sizes[static_cast<size_t>(attrs.integer(0))] = in[1]->sizes.numel();
  out.add(sizes, in[0]->dtype);
}
void select_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_index(stream, out[0], indexed_along("index_select", in[0], attrs.integer(0), in[1]));
}
void select_vjp(VjpCall& call) {
  const Tensor to = zeros(call.input_sizes(0), call.grad().dtype());
  call.set(0, index_add_(to, call.attrs().integer(0), call.input(1), call.grad()));
}

void add_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("index_add", *in[1], true);
  check_source("index_add", in, attrs.integer(0));
  out.add(in[0]->sizes, in[0]->dtype);
}
void add_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_index_put(stream, indexed_along("index_add", out[0], attrs.integer(0), in[1]), in[2],
                Combine::kAdd, number_of(attrs, out[0].dtype()));
}
void add_vjp(VjpCall& call) {
  call.set(0, call.grad());
  if (!call.needs(2)) return;
  const double alpha = call.attrs().number(1);
  const Tensor read = reshape(index_select(call.grad(), call.attrs().integer(0), call.input(1)),
                              call.input_sizes(2));
  call.set(2, alpha == 1 ? read : mul(read, alpha));
}

void copy_infer(Metas in, const Attrs& attrs, Inferred& out) {
  check_index("index_copy", *in[1], false);
  check_source("index_copy", in, attrs.integer(0));
  out.add(in[0]->sizes, in[0]->dtype);
}
void copy_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_index_put(stream, indexed_along("index_copy", out[0], attrs.integer(0), in[1]), in[2],
                Combine::kAssign);
}
void copy_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  if (call.needs(0)) call.set(0, index_fill(call.grad(), dim, call.input(1), 0));
  if (call.needs(2))
    call.set(2, reshape(index_select(call.grad(), dim, call.input(1)), call.input_sizes(2)));
}

void fill_infer(Metas in, const Attrs&, Inferred& out) {
  check_index("index_fill", *in[1], false);
  out.add(in[0]->sizes, in[0]->dtype);
}
void fill_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  const Tensor value = empty_on(stream, {}, out[0].dtype());
  fill(stream, value, number_of(attrs, out[0].dtype()));
  run_index_put(stream, indexed_along("index_fill", out[0], attrs.integer(0), in[1], true), value,
                Combine::kAssign);
}
void fill_vjp(VjpCall& call) {
  call.set(0, index_fill(call.grad(), call.attrs().integer(0), call.input(1), 0));
}

void fill_tensor_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[2]->sizes.empty(), "index_fill: the value must be 0-d, was shape ", in[2]->sizes);
  OA_REQUIRE(in[2]->dtype == in[0]->dtype, "index_fill: tensor and value have types ",
             name_of(in[0]->dtype), " and ", name_of(in[2]->dtype));
  fill_infer(in, attrs, out);
}
void fill_tensor_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_index_put(stream, indexed_along("index_fill", out[0], attrs.integer(0), in[1], true), in[2],
                Combine::kAssign);
}
void fill_tensor_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  if (call.needs(0)) call.set(0, index_fill(call.grad(), dim, call.input(1), 0));
  // Of equal indices one counts: what a tensor of zeros with ones at the indices reads.
  if (call.needs(2)) {
    const Tensor filled =
        index_fill(zeros(call.input_sizes(0), call.grad().dtype()), dim, call.input(1), 1);
    call.set(2, sum(mul(call.grad(), filled)));
  }
}

constinit const Op kIndexSelect = {
    .name = "index_select",
    .attrs = kAttrs,
    .infer = select_infer,
    .rule = {.linear = 1, .generate = select_rule},
    .saves = saves_input(1),
    .half = true,
    .complex = true,
    .vjp = select_vjp,
    .kernels = {select_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({4}, 0, 5)}, Attrs().add(0)},
                         {{normal({2, 4, 3}), ints({6}, 0, 4, DType::kInt32)}, Attrs().add(1)},
                         {{normal({2, 3}), ints({4}, 0, 3)}, Attrs().add(1)},
                         {{normal({5}), ints({0}, 0, 5)}, Attrs().add(0)},
                         {{normal({}), ints({1}, 0, 1)}, Attrs().add(0)}};
        },
};
constinit const Op kIndexAdd = {
    .name = "index_add",
    .attrs = kNumberAttrs,
    .infer = add_infer,
    .rule = {.linear = kTogether | 5, .generate = write_rule},
    .saves = saves_input(1),
    .in_place = true,
    .vjp = add_vjp,
    .kernels = {add_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({5, 3}), ints({4}, 0, 5), normal({4, 3})}, Attrs().add(0).add(1.0).add(1)},
              {{normal({2, 4}), ints({3}, 0, 4, DType::kInt32), normal({2, 3})},
               Attrs().add(1).add(-2.5).add(-2)},
              {{normal({3}), ints({2}, 0, 3), normal({2})}, Attrs().add(0).add(0.5).add(0)}};
        },
};
constinit const Op kIndexCopy = {
    .name = "index_copy",
    .attrs = kAttrs,
    .infer = copy_infer,
    .rule = {.linear = kTogether | 5, .generate = write_rule},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = copy_vjp,
    .kernels = {copy_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({1}, 0, 5), normal({1, 3})}, Attrs().add(0)},
                         {{normal({2, 4}), ints({1}, 0, 4), normal({2, 1})}, Attrs().add(1)},
                         {{normal({3}), ints({}, 0, 3), normal({})}, Attrs().add(0)}};
        },
};
constinit const Op kIndexFill = {
    .name = "index_fill",
    .attrs = kNumberAttrs,
    .infer = fill_infer,
    .rule = {.generate = closed_same_rule},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .vjp = fill_vjp,
    .kernels = {fill_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({4}, -5, 5)}, Attrs().add(0).add(2.5).add(2)},
                         {{normal({2, 4, 2}), ints({2}, 0, 4)}, Attrs().add(1).add(0.0).add(0)},
                         {{ints({4}, 0, 9), ints({2}, 0, 4)}, Attrs().add(0).add(-3.0).add(-3)}};
        },
};
constinit const Op kIndexFillTensor = {
    .name = "index_fill_tensor",
    .attrs = kAttrs,
    .infer = fill_tensor_infer,
    .rule = {.generate = closed_same_rule},
    .saves = saves_input(1),
    .in_place = true,
    .half = true,
    .vjp = fill_tensor_vjp,
    .kernels = {fill_tensor_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), ints({1}, 0, 5), normal({})}, Attrs().add(0)},
                         {{normal({2, 4, 2}), ints({1}, 0, 4), normal({})}, Attrs().add(1)}};
        },
};

Attrs dim_attrs(const char* op, const Tensor& x, int64_t dim) {
  return Attrs().add(wrap_dim(dim, x.dim(), op));
}
Attrs number_attrs(const char* op, const Tensor& x, int64_t dim, Scalar value) {
  require_fits(value, x.scalar_type());
  return dim_attrs(op, x, dim).add(value.number()).add(value.wrapped_to<int64_t>());
}
Attrs add_attrs(const Tensor& x, int64_t dim, Scalar alpha) {
  OA_REQUIRE(has_gradient(x.dtype()) || !alpha.is_floating(), "index_add: alpha ", alpha,
             " is no integer, but the tensor is ", name_of(x.dtype()));
  return number_attrs("index_add", x, dim, alpha);
}

}  // namespace

Tensor index_select(const Tensor& self, int64_t dim, const Tensor& index) {
  return call_op(kIndexSelect, {&self, &index}, dim_attrs("index_select", self, dim));
}
Tensor index_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                 Scalar alpha) {
  return call_op(kIndexAdd, {&self, &index, &source}, add_attrs(self, dim, alpha));
}
Tensor index_copy(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source) {
  return call_op(kIndexCopy, {&self, &index, &source}, dim_attrs("index_copy", self, dim));
}
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  return call_op(kIndexFill, {&self, &index}, number_attrs("index_fill", self, dim, value));
}
Tensor index_fill(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value) {
  const Tensor same = to(value, self.dtype());
  return call_op(kIndexFillTensor, {&self, &index, &same}, dim_attrs("index_fill", self, dim));
}

const Tensor& index_add_(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source,
                         Scalar alpha) {
  return call_in_place(kIndexAdd, {&self, &index, &source}, add_attrs(self, dim, alpha));
}
const Tensor& index_copy_(const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& source) {
  return call_in_place(kIndexCopy, {&self, &index, &source}, dim_attrs("index_copy_", self, dim));
}
const Tensor& index_fill_(const Tensor& self, int64_t dim, const Tensor& index, Scalar value) {
  return call_in_place(kIndexFill, {&self, &index}, number_attrs("index_fill_", self, dim, value));
}
const Tensor& index_fill_(const Tensor& self, int64_t dim, const Tensor& index,
                          const Tensor& value) {
  const Tensor same = to(value, self.dtype());
  return call_in_place(kIndexFillTensor, {&self, &index, &same},
                       dim_attrs("index_fill_", self, dim));
}

OA_OP(index, &kIndexSelect, &kIndexAdd, &kIndexCopy, &kIndexFill, &kIndexFillTensor)

}  // namespace oneagent
