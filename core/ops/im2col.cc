#include "core/ops/im2col.h"

#include "core/kernels/copy.h"
#include "core/kernels/unfold.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"kernel_size", AttrKind::kInts},
                               {"dilation", AttrKind::kInts},
                               {"padding", AttrKind::kInts},
                               {"stride", AttrKind::kInts}};
constexpr AttrSpec kFoldAttrs[] = {{"kernel_size", AttrKind::kInts},
                                   {"dilation", AttrKind::kInts},
                                   {"padding", AttrKind::kInts},
                                   {"stride", AttrKind::kInts},
                                   {"output_size", AttrKind::kInts}};

Attrs window_attrs(const Shape& kernel, const Shape& dilation, const Shape& padding,
                   const Shape& stride) {
  return Attrs().add(kernel).add(dilation).add(padding).add(stride);
}
Attrs window_attrs(const Attrs& attrs) {
  return window_attrs(attrs.list(0), attrs.list(1), attrs.list(2), attrs.list(3));
}

// Of images [n, c, h, w].
UnfoldShape shape_of(const Shape& x, const Attrs& attrs) {
  OA_REQUIRE(x.size() == 4, "im2col: expected [n, c, h, w], was ", x);
  UnfoldShape s;
  s.images = x[0];
  s.channels = x[1];
  for (size_t d = 0; d < 2; ++d) {
    s.size[d] = x[d + 2];
    s.kernel[d] = attrs.list(0)[d];
    s.dilation[d] = attrs.list(1)[d];
    s.padding[d] = attrs.list(2)[d];
    s.stride[d] = attrs.list(3)[d];
    OA_REQUIRE(s.kernel[d] > 0 && s.dilation[d] > 0 && s.stride[d] > 0 && s.padding[d] >= 0,
               "im2col: kernel ", attrs.list(0), ", dilation ", attrs.list(1), " and stride ",
               attrs.list(3), " must be positive and padding ", attrs.list(2), " not negative");
    const int64_t room = s.size[d] + 2 * s.padding[d] - s.dilation[d] * (s.kernel[d] - 1) - 1;
    OA_REQUIRE(room >= 0, "im2col: a window of ", attrs.list(0), " does not fit into ", x);
    s.windows[d] = room / s.stride[d] + 1;
  }
  return s;
}
Shape columns_of(const UnfoldShape& s) {
  return {s.images, s.channels * s.kernel[0] * s.kernel[1], s.windows[0] * s.windows[1]};
}
Shape images_of(const Shape& columns, const Attrs& attrs) {
  const int64_t taps = attrs.list(0).numel();
  OA_REQUIRE(columns.size() == 3 && taps > 0 && columns[1] % taps == 0, "col2im: expected [n, c ",
             taps, ", windows], was ", columns);
  return {columns[0], columns[1] / taps, attrs.list(4)[0], attrs.list(4)[1]};
}

void unfold_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(columns_of(shape_of(in[0]->sizes, attrs)), in[0]->dtype);
}
void unfold_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_unfold(stream, shape_of(in[0].sizes(), attrs), out[0], as_contiguous(stream, in[0]));
}
void fold_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("col2im", *in[0]);
  const Shape images = images_of(in[0]->sizes, attrs);
  const Shape expected = columns_of(shape_of(images, attrs));
  OA_REQUIRE(in[0]->sizes == expected, "col2im: for an output of shape ", images,
             " expected size of input's dimensions to match the calculated number of sliding "
             "blocks, which is ",
             expected, ", but got input of shape ", in[0]->sizes);
  out.add(images, in[0]->dtype);
}
void fold_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_fold(stream, shape_of(out[0].sizes(), attrs), out[0], as_contiguous(stream, in[0]));
}

Tensor unfold_windows(const Tensor& x, const Attrs& attrs);
Tensor fold_windows(const Tensor& columns, const Attrs& attrs, const Shape& output_size);
void unfold_vjp(VjpCall& call) {
  const Shape& x = call.input_sizes(0);
  call.set(0, fold_windows(call.grad(), call.attrs(), {x[2], x[3]}));
}
void fold_vjp(VjpCall& call) {
  call.set(0, unfold_windows(call.grad(), window_attrs(call.attrs())));
}

constinit const Op kUnfold = {
    .name = "im2col",
    .attrs = kAttrs,
    .infer = unfold_infer,
    .rule = {.factors = "nchw->nkl", .closed = "chwkl", .linear = 1},
    .vjp = unfold_vjp,
    .kernels = {unfold_kernel},
    .samples = [] {
      return Samples{{{normal({2, 2, 4, 5})}, window_attrs({2, 3}, {1, 1}, {0, 0}, {1, 1})},
                     {{normal({1, 2, 5, 4})}, window_attrs({3, 2}, {1, 2}, {1, 2}, {2, 1})}};
    }};
constinit const Op kFold = {
    .name = "col2im",
    .attrs = kFoldAttrs,
    .infer = fold_infer,
    .rule = {.factors = "nkl->nchw", .closed = "chwkl", .linear = 1},
    .vjp = fold_vjp,
    .kernels = {fold_kernel},
    .samples = [] {
      return Samples{
          {{normal({2, 12, 9})}, window_attrs({2, 3}, {1, 1}, {0, 0}, {1, 1}).add(Shape{4, 5})},
          {{normal({1, 12, 18})}, window_attrs({3, 2}, {1, 2}, {1, 2}, {2, 1}).add(Shape{5, 4})}};
    }};

Tensor unfold_windows(const Tensor& x, const Attrs& attrs) {
  return call_op(kUnfold, {&x}, window_attrs(attrs));
}
Tensor fold_windows(const Tensor& columns, const Attrs& attrs, const Shape& output_size) {
  return call_op(kFold, {&columns}, window_attrs(attrs).add(output_size));
}

Attrs complete(const char* op, const Shape& kernel_size, const Shape& dilation,
               const Shape& padding, const Shape& stride) {
  return window_attrs(
      spatial_list(op, "kernel_size", kernel_size, 2), spatial_list(op, "dilation", dilation, 2),
      spatial_list(op, "padding", padding, 2), spatial_list(op, "stride", stride, 2));
}

}  // namespace

Tensor im2col(const Tensor& input, const Shape& kernel_size, const Shape& dilation,
              const Shape& padding, const Shape& stride) {
  return without_batch(unfold_windows(with_batch("im2col", input, 2),
                                      complete("im2col", kernel_size, dilation, padding, stride)),
                       input, 2);
}
Tensor col2im(const Tensor& input, const Shape& output_size, const Shape& kernel_size,
              const Shape& dilation, const Shape& padding, const Shape& stride) {
  // Columns have one dimension less than images.
  return without_batch(fold_windows(with_batch("col2im", input, 1),
                                    complete("col2im", kernel_size, dilation, padding, stride),
                                    spatial_list("col2im", "output_size", output_size, 2)),
                       input, 1);
}

OA_OP(im2col, &kUnfold, &kFold)

}  // namespace oneagent
