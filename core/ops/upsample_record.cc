// The records behind core/ops/upsample.h.
#include "core/kernels/copy.h"
#include "core/kernels/resample.h"
#include "core/ops/op_pool.h"
#include "core/ops/op_spatial.h"
#include "core/ops/op_support.h"
#include "core/ops/op_upsample.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"output_size", AttrKind::kInts},
                               {"align_corners", AttrKind::kBool},
                               {"scale0", AttrKind::kNumber},
                               {"scale1", AttrKind::kNumber},
                               {"scale2", AttrKind::kNumber}};
constexpr AttrSpec kBackwardAttrs[] = {
    {"output_size", AttrKind::kInts}, {"align_corners", AttrKind::kBool},
    {"scale0", AttrKind::kNumber},    {"scale1", AttrKind::kNumber},
    {"scale2", AttrKind::kNumber},    {"sizes", AttrKind::kInts}};

// Scales are those of the last dimensions, the rest is 0.
Attrs resample_attrs(const Shape& output_size, bool align_corners, double s0, double s1,
                     double s2) {
  return Attrs().add(output_size).add(align_corners).add(s0).add(s1).add(s2);
}
Attrs with_scales(const Shape& output_size, bool align_corners, const double* scales) {
  double all[3] = {0, 0, 0};
  const size_t dims = output_size.size();
  for (size_t d = 0; d < dims; ++d) all[3 - dims + d] = scales[d];
  return resample_attrs(output_size, align_corners, all[0], all[1], all[2]);
}

ResampleShape shape_of(Interpolation mode, const Shape& x, const Attrs& attrs) {
  const Shape out = attrs.list(0);
  const size_t dims = out.size();
  ResampleShape shape;
  shape.planes = x[0] * x[1];
  shape.mode = mode;
  shape.align_corners = attrs.flag(1);
  fill_three(Shape(std::span(x.data() + 2, dims)), 1, shape.from);
  fill_three(out, 1, shape.to);
  for (size_t d = 0; d < 3; ++d) {
    shape.scale[d] = attrs.number(2 + d);
    OA_REQUIRE(shape.from[d] > 0 && shape.to[d] > 0, "upsample: sizes must be positive, were ", x,
               " and ", out);
  }
  return shape;
}
Shape resampled(const Shape& x, const Shape& output_size) {
  OA_REQUIRE(x.size() == output_size.size() + 2, "upsample: expected x [n, c, ", output_size.size(),
             " spatial dimensions], was ", x);
  Shape sizes = {x[0], x[1]};
  for (const int64_t size : output_size) sizes.push_back(size);
  return sizes;
}

template <Interpolation M>
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  if (M != Interpolation::kNearest && M != Interpolation::kNearestExact)
    require_floating("upsample", *in[0]);
  const Shape sizes = resampled(in[0]->sizes, attrs.list(0));
  shape_of(M, in[0]->sizes, attrs);
  out.add(sizes, in[0]->dtype);
}
template <Interpolation M>
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_resample(stream, shape_of(M, in[0].sizes(), attrs), out[0], as_contiguous(stream, in[0]));
}
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_floating("upsample_backward", *in[0]);
  const Shape expected = resampled(attrs.list(5), attrs.list(0));
  OA_REQUIRE(in[0]->sizes == expected, "upsample_backward: expected a gradient of shape ", expected,
             ", was ", in[0]->sizes);
  out.add(attrs.list(5), in[0]->dtype);
}
template <Interpolation M>
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_resample_backward(stream, shape_of(M, out[0].sizes(), attrs), out[0],
                        as_contiguous(stream, in[0]));
}
std::string rule(Metas, const Attrs& attrs) { return pool_rule(attrs.list(0).size(), 1); }
std::string backward_rule(Metas, const Attrs& attrs) {
  return pool_backward_rule(attrs.list(0).size(), 1);
}

Tensor forward(size_t which, const Tensor& x, const Attrs& attrs);
Tensor backward(size_t which, const Tensor& gradient, const Attrs& attrs, const Shape& sizes);
Attrs without_sizes(const Attrs& a) {
  return resample_attrs(a.list(0), a.flag(1), a.number(2), a.number(3), a.number(4));
}
template <UpsampleKind W>
void vjp(VjpCall& call) {
  call.set(0, backward(static_cast<size_t>(W), call.grad(), call.attrs(), call.input_sizes(0)));
}
template <UpsampleKind W>
void backward_vjp(VjpCall& call) {
  call.set(0, forward(static_cast<size_t>(W), call.grad(), without_sizes(call.attrs())));
}

Samples samples1() {
  return {{{normal({2, 3, 4})}, resample_attrs(7, false, 0, 0, 0)},
          {{normal({1, 2, 5})}, resample_attrs(3, false, 0, 0, 0.7)}};
}
Samples samples2() {
  return {{{normal({1, 2, 3, 4})}, resample_attrs({6, 5}, false, 0, 0, 0)},
          {{normal({2, 1, 6, 5})}, resample_attrs({4, 10}, false, 0, 0.75, 2.0)}};
}
Samples samples3() {
  return {{{normal({1, 2, 2, 3, 4})}, resample_attrs({4, 2, 5}, false, 0, 0, 0)},
          {{normal({1, 1, 3, 2, 3})}, resample_attrs({2, 5, 3}, false, 0.7, 2.5, 1.0)}};
}
// The same with corners that are aligned.
template <Samples (*Plain)()>
Samples aligned_samples() {
  Samples out = Plain();
  for (const Sample& sample : Plain())
    out.push_back({sample.inputs, resample_attrs(sample.attrs.list(0), true, 0, 0, 0)});
  return out;
}
template <Samples (*Forward)()>
Samples backward_samples() {
  Samples out;
  for (const Sample& sample : Forward()) {
    const Shape& sizes = sample.inputs[0].sizes;
    Attrs attrs = sample.attrs;
    out.push_back({{normal(resampled(sizes, attrs.list(0)))}, attrs.add(sizes)});
  }
  return out;
}

template <UpsampleKind W, Interpolation M, Samples (*Make)()>
constexpr Op forward_op(const char* name) {
  return {.name = name,
          .attrs = kAttrs,
          .infer = infer<M>,
          .rule = {.linear = 1, .generate = rule},
          .vjp = vjp<W>,
          .kernels = {kernel<M>},
          .samples = Make};
}
template <UpsampleKind W, Interpolation M, Samples (*Make)()>
constexpr Op backward_op(const char* name) {
  return {.name = name,
          .attrs = kBackwardAttrs,
          .infer = backward_infer,
          .rule = {.linear = 1, .generate = backward_rule},
          .vjp = backward_vjp<W>,
          .kernels = {backward_kernel<M>},
          .samples = backward_samples<Make>};
}

// In the order of UpsampleKind.
#define OA_UPSAMPLES(record, suffix)                                                           \
  {                                                                                            \
    record<UpsampleKind::kNearest1d, Interpolation::kNearest, samples1>(                       \
        "upsample_nearest1d" suffix),                                                          \
        record<UpsampleKind::kNearest2d, Interpolation::kNearest, samples2>(                   \
            "upsample_nearest2d" suffix),                                                      \
        record<UpsampleKind::kNearest3d, Interpolation::kNearest, samples3>(                   \
            "upsample_nearest3d" suffix),                                                      \
        record<UpsampleKind::kNearestExact1d, Interpolation::kNearestExact, samples1>(         \
            "_upsample_nearest_exact1d" suffix),                                               \
        record<UpsampleKind::kNearestExact2d, Interpolation::kNearestExact, samples2>(         \
            "_upsample_nearest_exact2d" suffix),                                               \
        record<UpsampleKind::kNearestExact3d, Interpolation::kNearestExact, samples3>(         \
            "_upsample_nearest_exact3d" suffix),                                               \
        record<UpsampleKind::kLinear1d, Interpolation::kLinear, aligned_samples<samples1>>(    \
            "upsample_linear1d" suffix),                                                       \
        record<UpsampleKind::kBilinear2d, Interpolation::kLinear, aligned_samples<samples2>>(  \
            "upsample_bilinear2d" suffix),                                                     \
        record<UpsampleKind::kTrilinear3d, Interpolation::kLinear, aligned_samples<samples3>>( \
            "upsample_trilinear3d" suffix),                                                    \
        record<UpsampleKind::kBicubic2d, Interpolation::kCubic, aligned_samples<samples2>>(    \
            "upsample_bicubic2d" suffix),                                                      \
        record<UpsampleKind::kBilinear2dSmooth, Interpolation::kLinearSmooth,                  \
               aligned_samples<samples2>>("_upsample_bilinear2d_aa" suffix),                   \
        record<UpsampleKind::kBicubic2dSmooth, Interpolation::kCubicSmooth,                    \
               aligned_samples<samples2>>("_upsample_bicubic2d_aa" suffix)                     \
  }

constinit const Op kForward[] = OA_UPSAMPLES(forward_op, "");
constinit const Op kBackward[] = OA_UPSAMPLES(backward_op, "_backward");

Tensor forward(size_t which, const Tensor& x, const Attrs& attrs) {
  return call_op(kForward[which], {&x}, attrs);
}
Tensor backward(size_t which, const Tensor& gradient, const Attrs& attrs, const Shape& sizes) {
  Attrs sized = attrs;
  return call_op(kBackward[which], {&gradient}, sized.add(sizes));
}

}  // namespace

size_t dims_of(UpsampleKind which) {
  constexpr size_t kDims[] = {1, 2, 3, 1, 2, 3, 1, 2, 3, 2, 2, 2};
  return kDims[static_cast<size_t>(which)];
}
const char* name_of(UpsampleKind which) { return kForward[static_cast<size_t>(which)].name; }

Tensor upsample(UpsampleKind which, const Tensor& input, const Shape& output_size,
                bool align_corners, const double* scales) {
  return forward(static_cast<size_t>(which), input,
                 with_scales(output_size, align_corners, scales));
}
Tensor upsample_backward(UpsampleKind which, const Tensor& grad_output, const Shape& output_size,
                         const Shape& input_size, bool align_corners, const double* scales) {
  return backward(static_cast<size_t>(which), grad_output,
                  with_scales(output_size, align_corners, scales), input_size);
}

OA_OP(upsample_record, &kForward[0], &kForward[1], &kForward[2], &kForward[3], &kForward[4],
      &kForward[5], &kForward[6], &kForward[7], &kForward[8], &kForward[9], &kForward[10],
      &kForward[11], &kBackward[0], &kBackward[1], &kBackward[2], &kBackward[3], &kBackward[4],
      &kBackward[5], &kBackward[6], &kBackward[7], &kBackward[8], &kBackward[9], &kBackward[10],
      &kBackward[11])

}  // namespace oneagent
