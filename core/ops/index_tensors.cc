#include "core/ops/index_tensors.h"

#include "absl/container/inlined_vector.h"
#include "core/kernels/copy.h"
#include "core/kernels/indexed.h"
#include "core/kernels/masked.h"
#include "core/ops/creation.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kPutAttrs[] = {{"accumulate", AttrKind::kBool}};
constexpr uint32_t kSavesIndices = 0x1ff << 1;  // of index; of index_put the values lie between
constexpr uint32_t kSavesPutIndices = 0x1ff << 2;

bool broadcasts(const Shape& a, const Shape& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const int64_t x = a[a.size() - 1 - i], y = b[b.size() - 1 - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

// Where the indices stand in the result and what shape they have together; `first` is the operand
// of an op that is the index of dimension 0.
struct Plan {
  Shape index_sizes, result;
  size_t before = 0;
};
Plan plan_of(const char* op, Metas in, size_t first) {
  const Shape& sizes = in[0]->sizes;
  Plan plan;
  size_t passed = 0, runs = 0;
  bool inside = false;
  if (in.size() - first > std::max<size_t>(sizes.size(), 1))
    throw IndexError(str(op, ": too many indices for tensor of dimension ", sizes.size(), " (got ",
                         in.size() - first, ")"));
  for (size_t d = 0; d < sizes.size(); ++d) {
    const TensorMeta* index = first + d < in.size() ? in[first + d] : nullptr;
    if (index == nullptr) {
      inside = false;
      ++passed;
      continue;
    }
    if (index->dtype != DType::kInt64)
      throw IndexError(str(op, ": tensors used as indices must be long, byte or bool tensors, was ",
                           name_of(index->dtype)));
    if (!broadcasts(plan.index_sizes, index->sizes))
      throw IndexError(str(op,
                           ": shape mismatch: indexing tensors could not be broadcast together "
                           "with shapes ",
                           plan.index_sizes, ", ", index->sizes));
    plan.index_sizes = broadcast_sizes(op, plan.index_sizes, index->sizes);
    if (!inside && runs++ == 0) plan.before = passed;
    inside = true;
  }
  if (runs != 1) plan.before = 0;
  size_t rest = 0;
  const auto add_indices = [&] {
    for (const int64_t size : plan.index_sizes) plan.result.push_back(size);
  };
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (first + d < in.size() && in[first + d] != nullptr) continue;
    if (rest++ == plan.before) add_indices();
    plan.result.push_back(sizes[d]);
  }
  if (rest <= plan.before) add_indices();
  return plan;
}

Indexed indexed_of(const char* op, const Tensor& operand, Inputs in, size_t first) {
  absl::InlinedVector<const TensorMeta*, kMaxInputs + 2> metas(in.size());
  for (size_t i = 0; i < in.size(); ++i) metas[i] = in.has(i) ? &in.meta(i) : nullptr;
  const Plan plan = plan_of(op, Metas(metas.data(), metas.size()), first);
  Indexed out;
  out.op = op;
  out.operand = operand;
  out.before = plan.before;
  out.index_sizes = plan.index_sizes;
  for (size_t i = first; i < in.size(); ++i)
    if (in.has(i)) out.index[i - first] = in[i];
  return out;
}

void infer(Metas in, const Attrs&, Inferred& out) {
  out.add(plan_of("index", in, 1).result, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_index(stream, out[0], indexed_of("index", in[0], in, 1));
}
std::string rule(Metas in, const Attrs&) {
  return closed_rule(in, {plan_of("index", in, 1).result.size()});
}

void put_infer(Metas in, const Attrs&, Inferred& out) {
  const Shape sizes = plan_of("index_put", in, 2).result;
  OA_REQUIRE(in[1]->dtype == in[0]->dtype,
             "index_put: Index put requires the source and destination dtypes match, got ",
             toString(in[0]->dtype), " for the destination and ", toString(in[1]->dtype),
             " for the source.");
  OA_REQUIRE(
      broadcasts(sizes, in[1]->sizes) && broadcast_sizes("index_put", sizes, in[1]->sizes) == sizes,
      "index_put: shape mismatch: value tensor of shape ", in[1]->sizes,
      " cannot be broadcast to indexing result of shape ", sizes);
  out.add(in[0]->sizes, in[0]->dtype);
}
void put_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  run_index_put(stream, indexed_of("index_put", out[0], in, 2), in[1],
                attrs.flag(0) ? Combine::kAdd : Combine::kAssign);
}

using Operands = absl::InlinedVector<const Tensor*, kMaxInputs + 2>;

Tensor call_index(const Tensor& self, const std::vector<Tensor>& indices);
Tensor call_put(const Tensor& self, const Tensor& values, const std::vector<Tensor>& indices,
                bool accumulate);
const Tensor& call_put_(const Tensor& self, const Tensor& values,
                        const std::vector<Tensor>& indices, bool accumulate);

std::vector<Tensor> saved_indices(VjpCall& call, size_t first) {
  std::vector<Tensor> out;
  for (size_t i = first; i < call.input_count(); ++i) out.push_back(call.input(i));
  return out;
}
void vjp(VjpCall& call) {
  const Tensor to = zeros(call.input_sizes(0), call.grad().dtype());
  call.set(0, call_put_(to, call.grad(), saved_indices(call, 1), true));
}
void put_vjp(VjpCall& call) {
  const std::vector<Tensor> indices = saved_indices(call, 2);
  const bool accumulate = call.attrs().flag(0);
  if (call.needs(0))
    call.set(0, accumulate ? call.grad()
                           : call_put(call.grad(), wrapped_scalar(0, call.grad().dtype()), indices,
                                      false));
  if (call.needs(1)) call.set(1, sum_to(call_index(call.grad(), indices), call.input_sizes(1)));
}

constinit const Op kIndex = {
    .name = "index",
    .infer = infer,
    .absent = ~1u,
    .rule = {.linear = 1, .generate = rule},
    .saves = kSavesIndices,
    .half = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({4, 3}), ints({2, 2}, -4, 4)}},
                         {{normal({4, 3}), absent(), ints({5}, 0, 3)}},
                         {{normal({2, 3, 4}), absent(), ints({2, 1}, 0, 3), ints({3}, 0, 4)}},
                         {{normal({2, 3, 4}), ints({3}, 0, 2), absent(), ints({3}, 0, 4)}},
                         {{normal({2, 3, 2}), ints({}, 0, 2)}},
                         {{normal({5}), ints({0}, 0, 5)}}};
        },
};
constinit const Op kIndexPut = {
    .name = "index_put",
    .attrs = kPutAttrs,
    .infer = put_infer,
    .absent = ~3u,
    .rule = {.linear = kTogether | 3, .generate = closed_same_rule},
    .saves = kSavesPutIndices,
    .in_place = true,
    .vjp = put_vjp,
    .kernels = {put_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({4, 3}), normal({2, 2, 3}), ints({2, 2}, -4, 4)}, Attrs().add(true)},
              {{normal({4, 3}), normal({3}), ints({2}, 0, 4)}, Attrs().add(true)},
              {{normal({4, 3}), normal({4, 1}), absent(), ints({1}, 0, 3)}, Attrs().add(false)},
              {{normal({2, 3, 4}), normal({}), absent(), ints({1, 1}, 0, 3), ints({1}, 0, 4)},
               Attrs().add(false)},
              {{normal({2, 3, 4}), normal({2, 1, 3}), ints({2, 1}, 0, 2), absent(),
                ints({1, 3}, 0, 4)},
               Attrs().add(true)}};
        },
};

Tensor call_index(const Tensor& self, const std::vector<Tensor>& indices) {
  Operands operands = {&self};
  for (const Tensor& index : indices) operands.push_back(&index);
  return call_op(kIndex, Inputs(operands.data(), operands.size()));
}
Tensor call_put(const Tensor& self, const Tensor& values, const std::vector<Tensor>& indices,
                bool accumulate) {
  Operands operands = {&self, &values};
  for (const Tensor& index : indices) operands.push_back(&index);
  return call_op(kIndexPut, Inputs(operands.data(), operands.size()), Attrs().add(accumulate));
}

const Tensor& call_put_(const Tensor& self, const Tensor& values,
                        const std::vector<Tensor>& indices, bool accumulate) {
  Operands operands = {&self, &values};
  for (const Tensor& index : indices) operands.push_back(&index);
  return call_in_place(kIndexPut, Inputs(operands.data(), operands.size()),
                       Attrs().add(accumulate));
}

// Masks become the coordinates where they hold; one undefined tensor for each dimension that is
// taken whole. Trailing ones are left out.
std::vector<Tensor> coordinates(const char* op, const Tensor& self,
                                const std::vector<std::optional<Tensor>>& indices) {
  std::vector<Tensor> out;
  for (const std::optional<Tensor>& index : indices) {
    if (!index || !index->defined()) {
      out.emplace_back();
      continue;
    }
    if (index->dtype() != DType::kBool && index->dtype() != DType::kUInt8) {
      out.push_back(*index);
      continue;
    }
    for (size_t d = 0; d < index->sizes().size(); ++d) {
      const size_t at = out.size() + d;
      if (at >= self.sizes().size() || index->sizes()[d] != self.sizes()[at])
        throw IndexError(str(op, ": The shape of the mask ", index->sizes(), " at index ", d,
                             " does not match the shape of the indexed tensor ", self.sizes(),
                             " at index ", at));
    }
    for (Tensor& column : mask_to_indices(context().stream, *index))
      out.push_back(std::move(column));
  }
  while (!out.empty() && !out.back().defined()) out.pop_back();
  if (out.size() > self.sizes().size())
    throw IndexError(str(op, ": too many indices for tensor of dimension ", self.dim(), " (got ",
                         out.size(), ")"));
  return out;
}

}  // namespace

Tensor index(const Tensor& self, const std::vector<std::optional<Tensor>>& indices) {
  const std::vector<Tensor> all = coordinates("index", self, indices);
  return all.empty() ? alias(self) : call_index(self, all);
}

Tensor index_put(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                 const Tensor& values, bool accumulate) {
  return call_put(self, values, coordinates("index_put", self, indices), accumulate);
}
const Tensor& index_put_(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                         const Tensor& values, bool accumulate) {
  return call_put_(self, values, coordinates("index_put_", self, indices), accumulate);
}
Tensor _index_put_impl(const Tensor& self, const std::vector<std::optional<Tensor>>& indices,
                       const Tensor& values, bool accumulate, bool) {
  return index_put(self, indices, values, accumulate);
}
const Tensor& _index_put_impl_(const Tensor& self,
                               const std::vector<std::optional<Tensor>>& indices,
                               const Tensor& values, bool accumulate, bool) {
  return index_put_(self, indices, values, accumulate);
}

OA_OP(index_tensors, &kIndex, &kIndexPut)

}  // namespace oneagent
