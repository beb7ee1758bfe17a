#include "core/ops/slice.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// Of slice and slice_scatter; slice_backward has the sizes of the whole first.
constexpr AttrSpec kSliceAttrs[] = {{"dim", AttrKind::kInt},
                                    {"start", AttrKind::kInt},
                                    {"count", AttrKind::kInt},
                                    {"step", AttrKind::kInt}};
constexpr AttrSpec kSliceBackwardAttrs[] = {{"sizes", AttrKind::kInts},
                                            {"dim", AttrKind::kInt},
                                            {"start", AttrKind::kInt},
                                            {"step", AttrKind::kInt}};
constexpr AttrSpec kSelectAttrs[] = {{"dim", AttrKind::kInt}, {"index", AttrKind::kInt}};
constexpr AttrSpec kSelectBackwardAttrs[] = {
    {"sizes", AttrKind::kInts}, {"dim", AttrKind::kInt}, {"index", AttrKind::kInt}};

// "abc->azc;bz": dimension b becomes another one. Or "abc->ac;b": it goes.
std::string cut_rule(size_t rank, size_t dim, bool drop = false) {
  const std::string operand = rule_letters(rank);
  std::string result = operand;
  if (drop)
    result.erase(dim, 1);
  else
    result[dim] = 'z';
  return operand + "->" + result + ";" + operand[dim] + (drop ? "" : "z");
}
std::string turned(const std::string& rule) {  // of the op that goes the other way
  const size_t arrow = rule.find("->"), closed = rule.find(';');
  return rule.substr(arrow + 2, closed - arrow - 2) + "->" + rule.substr(0, arrow) +
         rule.substr(closed);
}
std::string scatter_text(const std::string& rule) {  // "abc->azc;bz" -> "abc,azc->abc;bz"
  const size_t arrow = rule.find("->"), closed = rule.find(';');
  const std::string whole = rule.substr(0, arrow);
  return whole + "," + rule.substr(arrow + 2, closed - arrow - 2) + "->" + whole +
         rule.substr(closed);
}

TensorMeta sliced(TensorMeta meta, size_t dim, int64_t start, int64_t count, int64_t step) {
  meta.offset += start * meta.strides[dim];
  meta.sizes[dim] = count;
  meta.strides[dim] *= step;
  return meta;
}
TensorMeta selected(TensorMeta meta, size_t dim, int64_t index) {
  meta.offset += index * meta.strides[dim];
  meta.sizes.erase(dim);
  meta.strides.erase(dim);
  return meta;
}

size_t dim_of(const Attrs& attrs, size_t at = 0) { return static_cast<size_t>(attrs.integer(at)); }

Tensor call_slice(const Tensor& x, int64_t dim, int64_t start, int64_t count, int64_t step);
Tensor call_slice_backward(const Tensor& gradient, const Shape& sizes, int64_t dim, int64_t start,
                           int64_t step);

void slice_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add() = sliced(*in[0], dim_of(attrs), attrs.integer(1), attrs.integer(2), attrs.integer(3));
}
void slice_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, call_slice_backward(call.grad(), call.input_sizes(0), attrs.integer(0),
                                  attrs.integer(1), attrs.integer(3)));
}

constinit const Op kSlice = {
    .name = "slice",
    .attrs = kSliceAttrs,
    .infer = slice_infer,
    .rule = {.linear = 1,
             .generate =
                 [](Metas in, const Attrs& attrs) {
                   return cut_rule(in[0]->sizes.size(), dim_of(attrs));
                 }},
    .alias_of = 0,
    .vjp = slice_vjp,
    .samples =
        [] {
          return Samples{{{normal({5, 3})}, Attrs().add(0).add(1).add(3).add(1)},
                         {{normal({3, 6})}, Attrs().add(1).add(1).add(2).add(3)},
                         {{normal({4})}, Attrs().add(0).add(2).add(0).add(1)}};
        },
};

void slice_backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[0]->dtype);
}
void slice_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const size_t dim = dim_of(attrs, 1);
  if (!(in[0].sizes() == out[0].sizes())) fill(stream, out[0], 0);
  copy_into(stream,
            alias_of(out[0], sliced(out[0].impl().meta, dim, attrs.integer(2), in[0].sizes()[dim],
                                    attrs.integer(3))),
            in[0]);
}
void slice_backward_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, call_slice(call.grad(), attrs.integer(1), attrs.integer(2),
                         call.input_sizes(0)[dim_of(attrs, 1)], attrs.integer(3)));
}

constinit const Op kSliceBackward = {
    .name = "slice_backward",
    .attrs = kSliceBackwardAttrs,
    .infer = slice_backward_infer,
    .rule = {.linear = 1,
             .generate =
                 [](Metas in, const Attrs& attrs) {
                   return cut_rule(in[0]->sizes.size(), dim_of(attrs, 1));
                 }},
    .half = true,
    .complex = true,
    .vjp = slice_backward_vjp,
    .kernels = {slice_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3})}, Attrs().add(Shape{5, 3}).add(0).add(1).add(2)},
                         {{normal({2, 3})}, Attrs().add(Shape{2, 3}).add(1).add(0).add(1)}};
        },
};

void slice_scatter_infer(Metas in, const Attrs& attrs, Inferred& out) {
  Shape expected = in[0]->sizes;
  expected[dim_of(attrs)] = attrs.integer(2);
  OA_REQUIRE(in[1]->sizes == expected, "slice_scatter: expected a source of shape ", expected,
             ", was ", in[1]->sizes);
  require_same_dtype("slice_scatter", in);
  out.add(in[0]->sizes, in[0]->dtype);
}
void slice_scatter_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  copy_into(stream,
            alias_of(out[0], sliced(out[0].impl().meta, dim_of(attrs), attrs.integer(1),
                                    attrs.integer(2), attrs.integer(3))),
            in[1]);
}
void slice_scatter_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const int64_t dim = attrs.integer(0), start = attrs.integer(1), count = attrs.integer(2),
                step = attrs.integer(3);
  if (call.needs(0))
    call.set(0, slice_scatter(call.grad(), zeros(call.input_sizes(1), call.grad().dtype()), dim,
                              start, start + count * step, step));
  if (call.needs(1)) call.set(1, call_slice(call.grad(), dim, start, count, step));
}

constinit const Op kSliceScatter = {
    .name = "slice_scatter",
    .attrs = kSliceAttrs,
    .infer = slice_scatter_infer,
    .rule = {.linear = kTogether | 3,
             .generate =
                 [](Metas in, const Attrs& attrs) {
                   return scatter_text(cut_rule(in[0]->sizes.size(), dim_of(attrs)));
                 }},
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = slice_scatter_vjp,
    .kernels = {slice_scatter_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3}), normal({2, 3})}, Attrs().add(0).add(1).add(2).add(2)},
                         {{normal({2, 4}), normal({2, 3})}, Attrs().add(1).add(1).add(3).add(1)},
                         {{normal({2, 4}), normal({2, 0})}, Attrs().add(1).add(2).add(0).add(1)}};
        },
};

void select_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add() = selected(*in[0], dim_of(attrs), attrs.integer(1));
}
std::string select_rule(Metas in, const Attrs& attrs) {
  return cut_rule(in[0]->sizes.size(), dim_of(attrs), true);
}
void select_vjp(VjpCall& call) {
  call.set(0, select_backward(call.grad(), call.input_sizes(0), call.attrs().integer(0),
                              call.attrs().integer(1)));
}

constinit const Op kSelect = {
    .name = "select",
    .attrs = kSelectAttrs,
    .infer = select_infer,
    .rule = {.linear = 1, .generate = select_rule},
    .alias_of = 0,
    .vjp = select_vjp,
    .samples =
        [] {
          return Samples{{{normal({5, 3})}, Attrs().add(0).add(1)},
                         {{normal({2, 3, 4})}, Attrs().add(1).add(2)},
                         {{normal({3})}, Attrs().add(0).add(0)}};
        },
};

void select_backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[0]->dtype);
}
void select_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  fill(stream, out[0], 0);
  copy_into(stream,
            alias_of(out[0], selected(out[0].impl().meta, dim_of(attrs, 1), attrs.integer(2))),
            in[0]);
}
void select_backward_vjp(VjpCall& call) {
  call.set(0, select(call.grad(), call.attrs().integer(1), call.attrs().integer(2)));
}

constinit const Op kSelectBackward = {
    .name = "select_backward",
    .attrs = kSelectBackwardAttrs,
    .infer = select_backward_infer,
    .rule = {.linear = 1,
             .generate =
                 [](Metas, const Attrs& attrs) {
                   return turned(cut_rule(attrs.list(0).size(), dim_of(attrs, 1), true));
                 }},
    .half = true,
    .complex = true,
    .vjp = select_backward_vjp,
    .kernels = {select_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({3})}, Attrs().add(Shape{5, 3}).add(0).add(1)},
                         {{normal({2, 4})}, Attrs().add(Shape{2, 3, 4}).add(1).add(2)},
                         {{normal({})}, Attrs().add(Shape{2}).add(0).add(1)}};
        },
};

void select_scatter_infer(Metas in, const Attrs& attrs, Inferred& out) {
  Shape expected = in[0]->sizes;
  expected.erase(dim_of(attrs));
  OA_REQUIRE(in[1]->sizes == expected, "select_scatter: expected a source of shape ", expected,
             ", was ", in[1]->sizes);
  require_same_dtype("select_scatter", in);
  out.add(in[0]->sizes, in[0]->dtype);
}
void select_scatter_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  copy_into(stream, alias_of(out[0], selected(out[0].impl().meta, dim_of(attrs), attrs.integer(1))),
            in[1]);
}
void select_scatter_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0), index = call.attrs().integer(1);
  if (call.needs(0))
    call.set(0, select_scatter(call.grad(), zeros(call.input_sizes(1), call.grad().dtype()), dim,
                               index));
  if (call.needs(1)) call.set(1, select(call.grad(), dim, index));
}

constinit const Op kSelectScatter = {
    .name = "select_scatter",
    .attrs = kSelectAttrs,
    .infer = select_scatter_infer,
    .rule = {.linear = kTogether | 3,
             .generate = [](Metas in,
                            const Attrs& attrs) { return scatter_text(select_rule(in, attrs)); }},
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = select_scatter_vjp,
    .kernels = {select_scatter_kernel},
    .samples =
        [] {
          return Samples{{{normal({4, 3}), normal({3})}, Attrs().add(0).add(1)},
                         {{normal({2, 3, 2}), normal({2, 3})}, Attrs().add(2).add(1)},
                         {{normal({3}), normal({})}, Attrs().add(0).add(2)}};
        },
};

Tensor call_slice(const Tensor& x, int64_t dim, int64_t start, int64_t count, int64_t step) {
  return call_op(kSlice, {&x}, Attrs().add(dim).add(start).add(count).add(step));
}
Tensor call_slice_backward(const Tensor& gradient, const Shape& sizes, int64_t dim, int64_t start,
                           int64_t step) {
  return call_op(kSliceBackward, {&gradient}, Attrs().add(sizes).add(dim).add(start).add(step));
}

// dim, start and count of a Python slice.
struct Range {
  int64_t dim, start, count;
};
Range range_of(const char* op, const Shape& sizes, int64_t dim, std::optional<int64_t> start,
               std::optional<int64_t> end, int64_t step) {
  if (sizes.empty()) throw IndexError(str(op, ": slice() cannot be applied to a 0-dim tensor."));
  OA_REQUIRE(step > 0, op, ": slice step must be positive, was ", step);
  const int64_t at = wrap_dim(dim, static_cast<int64_t>(sizes.size()), op);
  const int64_t size = sizes[static_cast<size_t>(at)];
  const auto clamped = [size](int64_t value, int64_t low) {
    return std::clamp(value < 0 ? value + size : value, low, size);
  };
  const int64_t first = clamped(start.value_or(0), 0), last = clamped(end.value_or(size), first);
  const int64_t length = last - first;
  return {at, first, length / step + (length % step != 0)};
}

// The index of select, wrapped.
int64_t wrap_index(const char* op, const Shape& sizes, int64_t dim, int64_t index) {
  const int64_t size = sizes[static_cast<size_t>(dim)];
  if (index < -size || index >= size)
    throw IndexError(str(op, "(): index ", index, " out of range for tensor of size ", sizes,
                         " at dimension ", dim));
  return index < 0 ? index + size : index;
}
int64_t select_dim(const char* op, const Shape& sizes, int64_t dim) {
  if (sizes.empty()) throw IndexError(str(op, "() cannot be applied to a 0-dim tensor."));
  return wrap_dim(dim, static_cast<int64_t>(sizes.size()), op);
}

}  // namespace

Tensor narrow(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  OA_REQUIRE(self.dim() > 0, "narrow: narrow() cannot be applied to a 0-dim tensor.");
  const int64_t at = wrap_dim(dim, self.dim(), "narrow");
  const int64_t size = self.sizes()[static_cast<size_t>(at)];
  if (start > size || start < -size)
    throw IndexError(str("narrow: Dimension out of range (expected to be in range of [", -size,
                         ", ", size - 1, "], but got ", start, ")"));
  const int64_t first = start < 0 ? start + size : start;
  OA_REQUIRE(first >= 0 && length >= 0 && first <= size - length, "narrow: start (", start,
             ") + length (", length, ") exceeds dimension size (", size, ").");
  return call_slice(self, at, first, length, 1);
}
Tensor narrow(const Tensor& self, int64_t dim, const Tensor& start, int64_t length) {
  OA_REQUIRE(start.dim() == 0 && is_integral(start.dtype()),
             "narrow: start must be a 0-d integer tensor, was ", start.sizes(), " ",
             name_of(start.dtype()));
  return narrow(self, dim, start.item<int64_t>(), length);
}
Tensor narrow_copy(const Tensor& self, int64_t dim, int64_t start, int64_t length) {
  return clone(narrow(self, dim, start, length));
}

Tensor slice(const Tensor& self, int64_t dim, std::optional<int64_t> start,
             std::optional<int64_t> end, int64_t step) {
  const Range range = range_of("slice", self.sizes(), dim, start, end, step);
  return call_slice(self, range.dim, range.start, range.count, step);
}

Tensor select(const Tensor& self, int64_t dim, int64_t index) {
  const int64_t at = select_dim("select", self.sizes(), dim);
  return call_op(kSelect, {&self},
                 Attrs().add(at).add(wrap_index("select", self.sizes(), at, index)));
}

Tensor slice_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t dim,
                      int64_t start, int64_t end, int64_t step) {
  const Range range = range_of("slice_backward", input_sizes, dim, start, end, step);
  return call_slice_backward(grad_output, input_sizes, range.dim, range.start, step);
}
Tensor select_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t dim,
                       int64_t index) {
  const int64_t at = select_dim("select_backward", input_sizes, dim);
  return call_op(
      kSelectBackward, {&grad_output},
      Attrs().add(input_sizes).add(at).add(wrap_index("select_backward", input_sizes, at, index)));
}

Tensor slice_scatter(const Tensor& self, const Tensor& src, int64_t dim,
                     std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  const Range range = range_of("slice_scatter", self.sizes(), dim, start, end, step);
  const Tensor source = to(src, self.dtype());
  return call_op(kSliceScatter, {&self, &source},
                 Attrs().add(range.dim).add(range.start).add(range.count).add(step));
}
Tensor select_scatter(const Tensor& self, const Tensor& src, int64_t dim, int64_t index) {
  const int64_t at = select_dim("select_scatter", self.sizes(), dim);
  const Tensor source = to(src, self.dtype());
  return call_op(kSelectScatter, {&self, &source},
                 Attrs().add(at).add(wrap_index("select_scatter", self.sizes(), at, index)));
}

OA_OP(slice, &kSlice, &kSliceBackward, &kSliceScatter, &kSelect, &kSelectBackward, &kSelectScatter)

}  // namespace oneagent
