#include "core/ops/op_sparse.h"

#include <string_view>

#include "core/ops/ops.h"

namespace oneagent {
namespace {

using View = std::string_view;

// Functions with f(0) = 0, which the values take alone; equal coordinates are added up before.
constexpr View kOfValues[] = {"abs",   "sign",  "sqrt",  "square",    "floor", "ceil",
                              "round", "trunc", "sin",   "tan",       "asin",  "atan",
                              "sinh",  "tanh",  "asinh", "atanh",     "expm1", "log1p",
                              "erf",   "relu",  "frac",  "pow_number"};
// Linear ones need no such sum.
constexpr View kLinear[] = {"neg", "mul_number", "div_number", "clone", "to"};

template <size_t N>
bool contains(const View (&list)[N], View name) {
  return std::find(std::begin(list), std::end(list), name) != std::end(list);
}

[[noreturn]] void refuse(const Call& call) {
  throw NotImplementedError(str("Could not run '", call.op.name,
                                "' with arguments from the 'SparseCPU' backend: it has no meaning "
                                "for sparse tensors; use to_dense()"));
}

// The result of a call whose first operand is sparse.
void give(const Call& call, const Tensor& result) {
  if (!call.in_place) {
    call.out[0] = result;
    return;
  }
  SparseParts& own = sparse_parts(call.in[0]);
  const SparseParts& parts = sparse_parts(result);
  OA_REQUIRE(parts.values.dtype() == own.values.dtype(), call.op.name, "_: the result of type ",
             name_of(parts.values.dtype()), " does not fit into ", name_of(own.values.dtype()));
  own.indices = parts.indices;
  own.values = parts.values;
  own.coalesced = parts.coalesced;
  call.in[0].impl().bump_version();
}

Tensor with_values(const Tensor& x, const Tensor& values) {
  const SparseParts& parts = sparse_parts(x);
  return make_sparse(parts.indices, values, x.sizes(), parts.coalesced);
}

Tensor on_values(const Call& call, const Tensor& x) {
  const Tensor values = sparse_parts(x).values;
  return with_values(x, call_op(call.op, {&values}, call.attrs));
}

// In place the values change where they lie, so that tensors that share them see it.
void map_values(const Call& call, bool linear) {
  const Tensor& self = call.in[0];
  SparseParts& parts = sparse_parts(self);
  OA_REQUIRE(View(call.op.name) != "pow_number" || call.attrs.number(0) > 0,
             "pow: a sparse tensor has positive powers only, was ", call.attrs.number(0));
  const bool ready = linear || parts.coalesced;
  if (!call.in_place) return give(call, on_values(call, ready ? self : coalesced(self)));
  if (!ready) give(call, coalesced(self));
  call_in_place(call.op, {&parts.values}, call.attrs);
  self.impl().bump_version();
}

void add_operands(const Call& call, Scalar alpha) {
  const Tensor &a = call.in[0], &b = call.in[1];
  const bool accumulates = View(call.op.name) == "accumulate";
  if (a.is_sparse() && b.is_sparse()) return give(call, sparse_sum_of(a, b, alpha));
  OA_REQUIRE(!a.is_sparse() || (accumulates && !call.in_place),
             "add(sparse, dense) is not supported. Use add(dense, sparse) instead.");
  const Tensor &dense = a.is_sparse() ? b : a, &sparse = a.is_sparse() ? a : b;
  if (call.in_place) return add_to_dense(dense, sparse, alpha);
  const Tensor sum = clone(to(dense, result_type(dense, sparse)));
  add_to_dense(sum, sparse, alpha);
  call.out[0] = sum;
}

// Only what both have, or what the sparse one has, is not zero.
void multiply_operands(const Call& call) {
  const Tensor &a = call.in[0], &b = call.in[1];
  OA_REQUIRE(!call.in_place || a.is_sparse(),
             "mul_: a dense tensor cannot take a sparse factor in place");
  const bool by_number = (a.is_sparse() ? b : a).dim() == 0;
  const Tensor self = coalesced(a.is_sparse() ? a : b);
  const Tensor& other = a.is_sparse() ? b : a;
  const Tensor factor = by_number ? other : values_at(other, self);
  give(call, with_values(self, mul(sparse_parts(self).values, factor)));
}

Tensor norm_of(const Call& call) {
  const Tensor x = coalesced(call.in[0]);
  OA_REQUIRE(call.attrs.list(1).size() == x.sizes().size(),
             "norm: of a sparse tensor is served over all dimensions only");
  const Tensor norm = linalg_vector_norm(sparse_parts(x).values, call.attrs.number(0));
  return call.attrs.flag(2) ? reshape(norm, Shape(std::vector<int64_t>(x.sizes().size(), 1)))
                            : norm;
}

Tensor sum_of(const Call& call) {
  const Shape dims = call.attrs.list(0);
  if (dims.size() == call.in[0].sizes().size() && !call.attrs.flag(1))
    return _sparse_sum(call.in[0]);
  OA_REQUIRE(!call.attrs.flag(1), "sum: of a sparse tensor keeps no dimensions");
  return _sparse_sum(call.in[0], dims);
}

void clear(const Call& call) {
  OA_REQUIRE(call.in_place && call.attrs.number(0) == 0.0,
             "fill: a sparse tensor can be filled with zeros only");
  const SparseParts& parts = sparse_parts(call.in[0]);
  Shape sizes = parts.values.sizes();
  sizes[0] = 0;
  give(call, make_sparse(zeros({parts.indices.size(0), 0}, kInt64),
                         zeros(sizes, parts.values.dtype()), call.in[0].sizes(), true));
}

void copy_operands(const Call& call) {
  const Tensor &self = call.in[0], &source = call.in[1];
  if (!self.is_sparse()) {
    zero_(self);
    return add_to_dense(self, source, 1);
  }
  OA_REQUIRE(source.is_sparse() && source.sizes() == self.sizes(),
             "copy_: a sparse tensor of shape ", self.sizes(),
             " takes a sparse source of that shape only");
  give(call, to(source, self.dtype(), false, true));
}

void add_product(const Call& call) {
  const Tensor product = sparse_product(call.in[1], call.in[2]);
  const double beta = call.attrs.number(0), alpha = call.attrs.number(1);
  call.out[0] = add(mul(call.in[0], beta), mul(product, alpha));
}

}  // namespace

void run_sparse(const Call& call) {
  const View name = call.op.name;
  const bool first = call.in[0].defined() && call.in[0].is_sparse();
  if (name == "add" || name == "accumulate") return add_operands(call, 1);
  if (name == "sub") return add_operands(call, -1);
  if (name == "add_scaled") return add_operands(call, call.attrs.number(0));
  if (name == "mul") return multiply_operands(call);
  if (name == "copy") return copy_operands(call);
  if (name == "addmm" && !call.in_place && call.in[1].is_sparse()) return add_product(call);
  if (!first) refuse(call);
  if (contains(kLinear, name)) return map_values(call, true);
  if (contains(kOfValues, name)) return map_values(call, false);
  if (name == "div" && call.in[1].dim() == 0) {
    const Tensor &x = call.in[0], values = div(sparse_parts(x).values, call.in[1]);
    return give(call, with_values(x, values));
  }
  if (name == "fill") return clear(call);
  if (call.in_place) refuse(call);
  if (name == "sum") return give(call, sum_of(call));
  if (name == "vector_norm") return give(call, norm_of(call));
  if (name == "mm") return give(call, sparse_product(call.in[0], call.in[1]));
  if (name == "mv")
    return give(call, squeeze(sparse_product(call.in[0], unsqueeze(call.in[1], 1)), 1));
  if (name == "transpose")
    return give(call, transposed(call.in[0], call.attrs.integer(0), call.attrs.integer(1)));
  refuse(call);
}

}  // namespace oneagent
