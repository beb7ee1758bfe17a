#include "core/ops/op_index.h"

#include <limits>

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/masked.h"
#include "core/ops/number.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/where.h"

namespace oneagent {

void require_int64_index(const char* op, const TensorMeta& index) {
  OA_REQUIRE(index.dtype == DType::kInt64, op, ": the index must be int64, was ",
             name_of(index.dtype));
}

void require_index_fits(const char* op, const Shape& index, const Shape& operand, int64_t dim) {
  if (index.numel() == 0) return;
  const Shape a = index.empty() ? Shape{1} : index, b = operand.empty() ? Shape{1} : operand;
  OA_REQUIRE(a.size() == b.size(), op, ": index of shape ", index, " and tensor of shape ", operand,
             " differ in rank");
  for (size_t i = 0; i < a.size(); ++i)
    OA_REQUIRE(static_cast<int64_t>(i) == dim || a[i] <= b[i], op, ": index of shape ", index,
               " reaches beyond ", operand, " at dimension ", i);
}

std::string gather_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  if (operand.empty() || in[1]->sizes.empty()) return closed_rule(in, {in[1]->sizes.size()});
  std::string index = operand;
  for (size_t i = 0; i < index.size(); ++i)  // where the index is smaller, it has its own letter
    if (in[1]->sizes[i] != in[0]->sizes[i]) index[i] = static_cast<char>('s' + i);
  index[static_cast<size_t>(attrs.integer(0))] = 'z';
  return operand + "," + index + "->" + index + ";" + operand + index;
}

std::string scatter_rule(Metas in, const Attrs&) { return closed_rule(in, {in[0]->sizes.size()}); }

WriteReduction parse_reduction(const char* op, std::string_view name) {
  constexpr std::string_view kNames[] = {"sum", "prod", "mean", "amax", "amin"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i]) return static_cast<WriteReduction>(i);
  OA_REQUIRE(false, op, ": reduce must be sum, prod, mean, amax or amin, was ", name);
  __builtin_unreachable();
}

Tensor one_value(Stream& stream, DType dtype, Scalar value) {
  const Tensor out = empty_on(stream, {}, dtype);
  fill(stream, out, value);
  return out;
}
Scalar start_of(WriteReduction reduction, DType dtype) {
  Scalar value = reduction == WriteReduction::kProd ? 1 : 0;
  const auto extreme = [&]<class T>(Type<T>) {
    using Limits = std::numeric_limits<T>;
    if (reduction == WriteReduction::kAmax)
      value = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    else
      value = Limits::has_infinity ? Limits::infinity() : Limits::max();
  };
  if (reduction == WriteReduction::kAmax || reduction == WriteReduction::kAmin) {
    if (dtype == DType::kBool)
      value = reduction == WriteReduction::kAmin;
    else
      with_number(dtype, extreme);
  }
  return value;
}
Combine combine_of(WriteReduction reduction) {
  switch (reduction) {
    case WriteReduction::kProd:
      return Combine::kMultiply;
    case WriteReduction::kAmax:
      return Combine::kMaximum;
    case WriteReduction::kAmin:
      return Combine::kMinimum;
    default:
      return Combine::kAdd;
  }
}
void divide_by_count(const Tensor& out, const Tensor& count) {
  with_number(out.dtype(), [&]<class T>(Type<T>) {
    T* to = out.data_ptr<T>();
    const T* by = count.data_ptr<T>();
    const int64_t size = out.numel();
    if constexpr (std::is_floating_point_v<T>) {
#pragma GCC ivdep
      for (int64_t i = 0; i < size; ++i) to[i] /= by[i] > T(1) ? by[i] : T(1);
    } else {
      for (int64_t i = 0; i < size; ++i) {
        if (by[i] <= T(1)) continue;
        const T quotient = static_cast<T>(to[i] / by[i]);
        const bool down = to[i] < T(0) && quotient * by[i] != to[i];
        to[i] = static_cast<T>(quotient - (down ? 1 : 0));
      }
    }
  });
}

namespace {

struct Gradients {
  Tensor self, source;
};

Tensor is_zero(const Tensor& x) { return eq(x, 0); }

// The product without one factor: the quotient, or where that factor is the only 0 the product of
// the others.
Gradients product_gradients(const ReducingWrite& family, const VjpCall& call, const Tensor& result,
                            bool include_self) {
  const int64_t dim = call.attrs().integer(0);
  const Tensor self = call.input(0), index = call.input(1), source = call.input(2),
               gradient = call.grad();
  const auto product = [&](const Tensor& a, const Tensor& b) {
    return family.reduce(a, dim, index, b, WriteReduction::kProd, include_self);
  };
  Gradients out;
  const Tensor masked_self = masked_fill(self, is_zero(self), 1);
  out.self = div(mul(gradient, product(masked_self, source)), masked_self);
  const Tensor zero = is_zero(source);
  const Tensor zeros_met =
      family.read(family.add(zeros(self.sizes(), self.dtype()), dim, index, to(zero, self.dtype())),
                  dim, index);
  const Tensor single = logical_and(zero, eq(zeros_met, 1));
  const Tensor without = product(self, masked_fill(source, single, 1));
  out.source =
      where(single, family.read(mul(gradient, without), dim, index),
            div(family.read(mul(gradient, result), dim, index), masked_fill(source, zero, 1)));
  return out;
}

Gradients mean_gradients(const ReducingWrite& family, const VjpCall& call, bool include_self) {
  const int64_t dim = call.attrs().integer(0);
  const Tensor index = call.input(1), gradient = call.grad();
  const Tensor start = full(call.input_sizes(0), include_self ? 1 : 0, gradient.dtype());
  const Tensor ones = full(call.input_sizes(2), 1, gradient.dtype());
  const Tensor count = clamp(family.add(start, dim, index, ones), 1);
  return {div(gradient, count),
          div(family.read(gradient, dim, index), family.read(count, dim, index))};
}

// Shared evenly among all that reach the extreme value.
Gradients extreme_gradients(const ReducingWrite& family, const VjpCall& call,
                            const Tensor& result) {
  const int64_t dim = call.attrs().integer(0);
  const Tensor self = call.input(0), index = call.input(1), source = call.input(2);
  const DType dtype = self.dtype();
  const Tensor self_reaches = to(eq(self, result), dtype);
  const Tensor source_reaches = to(eq(source, family.read(result, dim, index)), dtype);
  const Tensor share =
      div(call.grad(), clamp(family.add(self_reaches, dim, index, source_reaches), 1));
  return {mul(self_reaches, share), mul(source_reaches, family.read(share, dim, index))};
}

}  // namespace

void reducing_write_vjp(VjpCall& call, const ReducingWrite& family) {
  const int64_t dim = call.attrs().integer(0);
  const auto reduction = static_cast<WriteReduction>(call.attrs().integer(1));
  const bool include_self = call.attrs().flag(2);
  OA_REQUIRE(call.input_sizes(2) == family.read(call.grad(), dim, call.input(1)).sizes(),
             "scatter_reduce: has a gradient only where source and index have one shape");
  Gradients out;
  switch (reduction) {
    case WriteReduction::kSum:
      out = {call.grad(), family.read(call.grad(), dim, call.input(1))};
      break;
    case WriteReduction::kProd:
      out = product_gradients(family, call, call.output(), include_self);
      break;
    case WriteReduction::kMean:
      out = mean_gradients(family, call, include_self);
      break;
    case WriteReduction::kAmax:
    case WriteReduction::kAmin:
      out = extreme_gradients(family, call, call.output());
      break;
  }
  if (call.needs(0))
    call.set(0, include_self ? out.self : family.fill(out.self, dim, call.input(1)));
  if (call.needs(2)) call.set(2, out.source);
}

}  // namespace oneagent
