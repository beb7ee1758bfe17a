#include "core/kernels/reduce.h"

#include <algorithm>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

using cpu::Reduce;
using cpu::ReduceArgs;

bool has(const Shape& dims, size_t dim) {
  return std::find(dims.begin(), dims.end(), static_cast<int64_t>(dim)) != dims.end();
}

// Dimensions in the order of memory, neighbours of one kind merged.
struct Axis {
  int64_t size, stride;
  bool reduced;
};
struct Axes {
  Axis at[Shape::kMaxRank];
  size_t count = 0;
  Shape kept;  // the kept dimensions larger than 1 in the order of memory

  void add(const Axis& axis) {
    if (count > 0) {
      Axis& last = at[count - 1];
      if (last.reduced == axis.reduced && last.stride == axis.size * axis.stride) {
        last.size *= axis.size;
        last.stride = axis.stride;
        return;
      }
    }
    at[count++] = axis;
  }
  // Are the first n one dimension, whatever their kind?
  bool chained(size_t n) const {
    for (size_t i = 1; i < n; ++i)
      if (at[i - 1].stride != at[i].size * at[i].stride) return false;
    return true;
  }
  int64_t product(size_t n) const {
    int64_t out = 1;
    for (size_t i = 0; i < n; ++i) out *= at[i].size;
    return out;
  }
};

Axes axes_of(const Tensor& in, const Shape& dims) {
  size_t order[Shape::kMaxRank];
  size_t rank = 0;
  for (size_t i = 0; i < in.sizes().size(); ++i)
    if (in.sizes()[i] != 1) order[rank++] = i;
  const auto far = [&](size_t i) { return in.strides()[i] == 0 ? INT64_MAX : in.strides()[i]; };
  for (size_t i = 1; i < rank; ++i)  // few, and std::stable_sort allocates
    for (size_t k = i; k > 0 && far(order[k]) > far(order[k - 1]); --k)
      std::swap(order[k], order[k - 1]);
  Axes out;
  for (size_t i = 0; i < rank; ++i) {
    const size_t dim = order[i];
    out.add({in.sizes()[dim], in.strides()[dim], has(dims, dim)});
    if (!has(dims, dim)) out.kept.push_back(static_cast<int64_t>(dim));
  }
  return out;
}

// How many leading axes a kernel call takes as `outer`, or -1 where the layout has no such form.
int fill_args(const Axes& axes, ReduceArgs& args) {
  size_t rest = axes.count;
  args.count = 1;
  if (rest > 0 && !axes.at[rest - 1].reduced) {
    if (axes.at[rest - 1].stride != 1) return -1;
    args.inner = axes.at[--rest].size;
    args.count_stride = args.inner;
  }
  if (rest > 0 && axes.at[rest - 1].reduced) {
    args.count = axes.at[rest - 1].size;
    args.count_stride = axes.at[--rest].stride;
  }
  if (!axes.chained(rest)) return -1;
  args.outer = axes.product(rest);
  if (rest > 0) args.outer_stride = axes.at[rest - 1].stride;
  return static_cast<int>(rest);
}

// What joins partial results of a function.
Reduce joining(Reduce function) {
  switch (function) {
    case Reduce::kProd:
    case Reduce::kMax:
    case Reduce::kMin:
    case Reduce::kAny:
    case Reduce::kAll:
      return function;
    case Reduce::kMaxAbs:
      return Reduce::kMax;
    case Reduce::kMinAbs:
      return Reduce::kMin;
    default:
      return Reduce::kSum;
  }
}

constexpr int64_t kGrain = 32768;  // terms of a chunk
constexpr int64_t kColumns = 128;  // the least columns of a chunk
constexpr int64_t kNarrow = 32;    // arrays with fewer columns are cut along the rows

struct Task {
  Stream& stream;
  const char* what;
  Reduce function;
  DType dtype;

  void call(const ReduceArgs& args) const {
    OA_REQUIRE(cpu::reduce(function, dtype, args), what, ": has no meaning for ", name_of(dtype));
  }
  Task joined() const { return {stream, what, joining(function), reduce_type(function, dtype)}; }
  int64_t in_size() const { return static_cast<int64_t>(size_of(dtype)); }
  int64_t out_size() const { return static_cast<int64_t>(size_of(reduce_type(function, dtype))); }

  void run(const ReduceArgs& args) const;
  void run_long(const ReduceArgs& args, int64_t rows) const;
};

// One result per column from very many rows: results of fixed chunks of rows, joined.
void Task::run_long(const ReduceArgs& args, int64_t rows) const {
  const int64_t chunks = (args.count + rows - 1) / rows;
  const Tensor parts = empty_on(stream, {chunks, args.inner}, reduce_type(function, dtype));
  stream.parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    ReduceArgs part = args;
    part.outer_stride = rows * args.count_stride;
    part.in = static_cast<const char*>(args.in) + begin * part.outer_stride * in_size();
    part.out = static_cast<char*>(parts.data_ptr()) + begin * args.inner * out_size();
    const bool cut = end == chunks && args.count % rows != 0;
    part.outer = end - begin - (cut ? 1 : 0);
    part.count = rows;
    if (part.outer > 0) call(part);
    if (!cut) return;
    part.in = static_cast<const char*>(part.in) + part.outer * part.outer_stride * in_size();
    part.out = static_cast<char*>(part.out) + part.outer * args.inner * out_size();
    part.outer = 1;
    part.count = args.count % rows;
    call(part);
  });
  ReduceArgs last;
  last.in = parts.data_ptr();
  last.out = args.out;
  last.count = chunks;
  last.inner = last.count_stride = args.inner;
  joined().call(last);
}

void Task::run(const ReduceArgs& args) const {
  if (args.outer * args.inner == 0) return;
  const int64_t terms = args.count * args.inner;
  if (args.outer == 1 && args.inner < kNarrow && terms > 2 * kGrain)
    return run_long(args, kGrain / args.inner / 8 * 8);
  if (args.outer == 1 && args.inner > kColumns) {
    const int64_t grain =
        std::max(kColumns, kGrain / std::max<int64_t>(args.count, 1) / kColumns * kColumns);
    return stream.parallel_for(args.inner, grain, [&](int64_t begin, int64_t end) {
      ReduceArgs part = args;
      part.in = static_cast<const char*>(args.in) + begin * in_size();
      part.out = static_cast<char*>(args.out) + begin * out_size();
      part.inner = end - begin;
      call(part);
    });
  }
  stream.parallel_for(args.outer, std::max<int64_t>(kGrain / std::max<int64_t>(terms, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        ReduceArgs part = args;
                        part.in = static_cast<const char*>(args.in) +
                                  begin * args.outer_stride * in_size();
                        part.out = static_cast<char*>(args.out) + begin * args.inner * out_size();
                        part.outer = end - begin;
                        call(part);
                      });
}

// The same elements with the reduced dimensions last.
Tensor reduced_last(const Tensor& in, const Shape& dims) {
  TensorMeta meta = in.impl().meta;
  meta.sizes = {};
  meta.strides = {};
  for (const bool reduced : {false, true})
    for (size_t i = 0; i < in.sizes().size(); ++i)
      if (has(dims, i) == reduced) {
        meta.sizes.push_back(in.sizes()[i]);
        meta.strides.push_back(in.strides()[i]);
      }
  return alias_of(in, meta);
}

// Results are written in the order in which the kept dimensions lie in memory.
void run_axes(const Task& task, Axes axes, const void* in, void* out, double power) {
  ReduceArgs args;
  args.power = power;
  const int outer = fill_args(axes, args);
  OA_CHECK(outer >= 0, task.what, ": a contiguous tensor has no form to reduce");
  args.in = in;
  args.out = out;
  bool more = false;  // reduced axes among the outer ones
  for (int i = 0; i < outer; ++i) more = more || axes.at[i].reduced;
  if (!more) return task.run(args);
  const Tensor part =
      empty_on(task.stream, {args.outer, args.inner}, reduce_type(task.function, task.dtype));
  args.out = part.data_ptr();
  task.run(args);
  Axes next;
  int64_t stride = part.numel();
  for (int i = 0; i < outer; ++i) {
    stride /= axes.at[i].size;
    next.add({axes.at[i].size, stride, axes.at[i].reduced});
  }
  if (args.inner > 1) next.add({args.inner, 1, false});
  run_axes(task.joined(), next, part.data_ptr(), out, power);
}

bool ascending(const Shape& dims) { return std::is_sorted(dims.begin(), dims.end()); }

// `out` seen with its kept dimensions in the order of memory.
Tensor in_order(const Tensor& out, const Shape& sizes, const Shape& dims, const Shape& kept) {
  const bool keepdim = out.sizes().size() == sizes.size();
  TensorMeta meta = out.impl().meta;
  meta.sizes = meta.strides = {};
  for (const int64_t dim : kept) {
    auto at = static_cast<size_t>(dim);
    if (!keepdim)
      at -= static_cast<size_t>(
          std::count_if(dims.begin(), dims.end(), [&](int64_t d) { return d < dim; }));
    meta.sizes.push_back(out.sizes()[at]);
    meta.strides.push_back(out.strides()[at]);
  }
  return alias_of(out, meta);
}

}  // namespace

DType reduce_type(Reduce function, DType dtype) {
  switch (function) {
    case Reduce::kSum:
    case Reduce::kNanSum:
    case Reduce::kProd:
    case Reduce::kSumSquares:
    case Reduce::kSumAbs:
      return is_floating(dtype) ? dtype : DType::kInt64;
    case Reduce::kCount:
      return DType::kInt64;
    case Reduce::kAny:
    case Reduce::kAll:
      return DType::kBool;
    default:
      return dtype;
  }
}

Shape reduced_sizes(const Shape& sizes, const Shape& dims, bool keepdim) {
  Shape out;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!has(dims, i))
      out.push_back(sizes[i]);
    else if (keepdim)
      out.push_back(1);
  }
  return out;
}

ReduceArgs reduce_args(Stream& stream, const Tensor& in, const Shape& dims, Tensor& holder) {
  ReduceArgs args;
  holder = in;
  const Axes axes = axes_of(in, dims);
  const int outer = fill_args(axes, args);
  if (in.numel() > 0 && outer >= 0 && outer < 2 && (outer == 0 || !axes.at[0].reduced) &&
      ascending(axes.kept)) {
    args.in = in.data_ptr();
    return args;
  }
  args = {};
  holder = as_contiguous(stream, reduced_last(in, dims));
  args.in = holder.data_ptr();
  args.outer = reduced_sizes(in.sizes(), dims, false).numel();
  args.count = args.outer == 0 ? 0 : in.numel() / args.outer;
  args.outer_stride = args.count;
  return args;
}

void run_reduce(Stream& stream, const char* what, Reduce function, const Tensor& out,
                const Tensor& in, const Shape& dims, double power) {
  const Task task{stream, what, function, in.dtype()};
  if (out.numel() == 0) return;
  Axes axes = axes_of(in, dims);
  ReduceArgs args;
  if (in.numel() == 0 || fill_args(axes, args) < 0) {
    Tensor holder;
    args = reduce_args(stream, in, dims, holder);
    args.out = out.data_ptr();
    args.power = power;
    return task.run(args);
  }
  if (ascending(axes.kept)) return run_axes(task, axes, in.data_ptr(), out.data_ptr(), power);
  const Tensor ordered = in_order(out, in.sizes(), dims, axes.kept);
  const Tensor result = empty_on(stream, ordered.sizes(), out.dtype());
  run_axes(task, axes, in.data_ptr(), result.data_ptr(), power);
  copy_into(stream, ordered, result);
}

}  // namespace oneagent
