#include "core/ops/slice.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kSliceAttrs[] = {{"dim", AttrKind::kInt},
                                    {"start", AttrKind::kInt},
                                    {"count", AttrKind::kInt},
                                    {"step", AttrKind::kInt}};
constexpr AttrSpec kSliceBackwardAttrs[] = {{"sizes", AttrKind::kInts},
                                            {"dim", AttrKind::kInt},
                                            {"start", AttrKind::kInt},
                                            {"step", AttrKind::kInt}};

// "abc->azc;bz": dimension b becomes another one.
std::string cut_rule(size_t rank, size_t dim) {
  std::string operand;
  for (size_t i = 0; i < rank; ++i) operand += static_cast<char>('a' + i);
  std::string result = operand;
  result[dim] = 'z';
  return operand + "->" + result + ";" + operand[dim] + "z";
}

// Elements start, start + step, ... of one dimension.
void slice_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  const auto dim = static_cast<size_t>(attrs.integer(0));
  meta.offset += attrs.integer(1) * meta.strides[dim];
  meta.sizes[dim] = attrs.integer(2);
  meta.strides[dim] *= attrs.integer(3);
}
Tensor slice_backward(const Tensor& gradient, const Shape& sizes, int64_t dim, int64_t start,
                      int64_t step);
void slice_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, slice_backward(call.grad(), call.input_sizes(0), attrs.integer(0), attrs.integer(1),
                             attrs.integer(3)));
}
std::string slice_rule(Metas in, const Attrs& attrs) {
  return cut_rule(in[0]->sizes.size(), static_cast<size_t>(attrs.integer(0)));
}

constinit const Op kSlice = {
    .name = "slice",
    .attrs = kSliceAttrs,
    .infer = slice_infer,
    .rule = {.linear = 1, .generate = slice_rule},
    .alias_of = 0,
    .vjp = slice_vjp,
    .samples =
        [] {
          return Samples{{{normal({5, 3})}, Attrs().add(0).add(1).add(3).add(1)},
                         {{normal({3, 6})}, Attrs().add(1).add(1).add(2).add(3)},
                         {{normal({4})}, Attrs().add(0).add(2).add(0).add(1)}};
        },
};

// Zeros of `sizes` with the gradient at the places that the slice read.
void slice_backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[0]->dtype);
}
void slice_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  fill(stream, out[0], 0);
  TensorMeta place = out[0].impl().meta;
  const auto dim = static_cast<size_t>(attrs.integer(1));
  place.offset += attrs.integer(2) * place.strides[dim];
  place.sizes[dim] = in[0].sizes()[dim];
  place.strides[dim] *= attrs.integer(3);
  copy_into(stream, alias_of(out[0], place), in[0]);
}
void slice_backward_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const int64_t count = call.input_sizes(0)[static_cast<size_t>(attrs.integer(1))];
  const Tensor& gradient = call.grad();
  call.set(
      0, call_op(
             kSlice, {&gradient},
             Attrs().add(attrs.integer(1)).add(attrs.integer(2)).add(count).add(attrs.integer(3))));
}
std::string slice_backward_rule(Metas in, const Attrs& attrs) {
  return cut_rule(in[0]->sizes.size(), static_cast<size_t>(attrs.integer(1)));
}

constinit const Op kSliceBackward = {
    .name = "slice_backward",
    .attrs = kSliceBackwardAttrs,
    .infer = slice_backward_infer,
    .rule = {.linear = 1, .generate = slice_backward_rule},
    .vjp = slice_backward_vjp,
    .kernels = {slice_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3})}, Attrs().add(Shape{5, 3}).add(0).add(1).add(2)}};
        },
};

Tensor slice_backward(const Tensor& gradient, const Shape& sizes, int64_t dim, int64_t start,
                      int64_t step) {
  return call_op(kSliceBackward, {&gradient}, Attrs().add(sizes).add(dim).add(start).add(step));
}

}  // namespace

Tensor narrow(const Tensor& x, int64_t dim, int64_t start, int64_t length) {
  OA_REQUIRE(x.dim() > 0, "narrow: a 0-d tensor has no dimensions");
  const int64_t at = wrap_dim(dim, x.dim(), "narrow");
  const int64_t size = x.sizes()[static_cast<size_t>(at)];
  const int64_t first = start < 0 ? start + size : start;
  OA_REQUIRE(first >= 0 && length >= 0 && first + length <= size, "narrow: ", start, " .. ",
             start + length, " is outside dimension ", dim, " of shape ", x.sizes());
  return call_op(kSlice, {&x}, Attrs().add(at).add(first).add(length).add(1));
}

Tensor slice(const Tensor& x, int64_t dim, int64_t start, int64_t end, int64_t step) {
  OA_REQUIRE(x.dim() > 0, "slice: a 0-d tensor has no dimensions");
  OA_REQUIRE(step > 0, "slice: the step must be positive, was ", step);
  const int64_t at = wrap_dim(dim, x.dim(), "slice");
  const int64_t size = x.sizes()[static_cast<size_t>(at)];
  const int64_t first = std::clamp(start < 0 ? start + size : start, int64_t{0}, size);
  const int64_t last = std::clamp(end < 0 ? end + size : end, first, size);
  return call_op(kSlice, {&x},
                 Attrs().add(at).add(first).add((last - first + step - 1) / step).add(step));
}

Tensor select(const Tensor& x, int64_t dim, int64_t index) {
  OA_REQUIRE(x.dim() > 0, "select: a 0-d tensor has no dimensions");
  const int64_t at = wrap_dim(dim, x.dim(), "select");
  const int64_t size = x.sizes()[static_cast<size_t>(at)];
  OA_REQUIRE(index >= -size && index < size, "select: index ", index, " is outside dimension ", dim,
             " of shape ", x.sizes());
  return squeeze(narrow(x, at, index < 0 ? index + size : index, 1), at);
}

std::vector<Tensor> split(const Tensor& x, int64_t size, int64_t dim) {
  OA_REQUIRE(size > 0, "split: the size must be positive, was ", size);
  std::vector<Tensor> out;
  const int64_t total = x.size(dim);
  for (int64_t start = 0; start < total || start == 0; start += size)
    out.push_back(narrow(x, dim, start, std::min(size, total - start)));
  return out;
}

std::vector<Tensor> chunk(const Tensor& x, int64_t chunks, int64_t dim) {
  OA_REQUIRE(chunks > 0, "chunk: at least one chunk, was ", chunks);
  return split(x, std::max<int64_t>((x.size(dim) + chunks - 1) / chunks, 1), dim);
}

OA_OP(slice, &kSlice, &kSliceBackward)

}  // namespace oneagent
