#include "core/graph/run.h"

#include "absl/container/inlined_vector.h"
#include "core/graph/other_kind.h"
#include "core/graph/recorder.h"
#include "core/kernels/copy.h"

namespace oneagent {
namespace {

using MetaList = absl::InlinedVector<const TensorMeta*, kMaxInputs>;

Device device_of(const Call& call) {
  for (size_t i = 0; i < call.in.size(); ++i)
    if (call.in.has(i)) return call.in[i].device();
  return context().stream.device();
}

Kernel kernel_of(const Call& call, Device device) {
  Kernel kernel = call.op.kernels[static_cast<int>(device.type())];
  OA_REQUIRE(kernel != nullptr, call.op.name, ": no kernel for device ", device);
  return kernel;
}

bool same_place(const TensorMeta& a, const TensorMeta& b) {
  return a.offset == b.offset && a.sizes == b.sizes && a.strides == b.strides;
}

// 16-bit floating operands and results pass through float32, as PyTorch's accumulation types do.
void run_widened(Kernel kernel, const Call& call, Stream& stream, Inputs in) {
  absl::InlinedVector<Tensor, kMaxInputs> wide(in.size());
  absl::InlinedVector<const Tensor*, kMaxInputs> operands(in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    operands[i] = &in[i];
    if (!in.has(i) || !is_half(in[i].dtype())) continue;
    wide[i] = empty_on(stream, in[i].sizes(), DType::kFloat32);
    copy_into(stream, wide[i], in[i]);
    operands[i] = &wide[i];
  }
  absl::InlinedVector<Tensor, kMaxOutputs> out(call.out.begin(), call.out.end());
  for (Tensor& result : out)
    if (is_half(result.dtype())) result = empty_on(stream, result.sizes(), DType::kFloat32);
  kernel(stream, call.attrs, Inputs(operands.data(), operands.size()), {out.data(), out.size()});
  for (size_t i = 0; i < out.size(); ++i)
    if (!out[i].is_same(call.out[i])) copy_into(stream, call.out[i], out[i]);
}

bool touches_half(const Call& call, bool half_operand) {
  if (half_operand) return true;
  for (const Tensor& result : call.out)
    if (is_half(result.dtype())) return true;
  return false;
}

void run_kernel(const Call& call, Device device, Stream& stream, Inputs in, bool half_operand) {
  const Kernel kernel = kernel_of(call, device);
  if (!call.op.half && touches_half(call, half_operand)) [[unlikely]]
    return run_widened(kernel, call, stream, in);
  kernel(stream, call.attrs, in, call.out);
}

// The kernel writes over in[0]; operands that overlap it in another layout are copied first.
void run_in_place(const Call& call, Stream& stream, const Inferred& inferred, bool half_operand) {
  const Tensor& self = call.in[0];
  OA_REQUIRE(call.op.in_place, call.op.name, ": cannot be done in place");
  OA_REQUIRE(
      !self.impl().inference || context().inference_mode,
      "Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
      "a clone to get a normal tensor before doing inplace update.");
  OA_REQUIRE(inferred[0].sizes == self.sizes(), call.op.name, ": the result of shape ",
             inferred[0].sizes, " does not fit in place into ", self.sizes());
  OA_REQUIRE(inferred[0].dtype == self.dtype(), call.op.name, ": the result of type ",
             name_of(inferred[0].dtype), " does not fit in place into ", name_of(self.dtype()));
  absl::InlinedVector<Tensor, kMaxInputs> copies(call.in.size());
  absl::InlinedVector<const Tensor*, kMaxInputs> operands(call.in.size());
  for (size_t i = 0; i < call.in.size(); ++i) {
    operands[i] = &call.in[i];
    if (i == 0 || !call.in.has(i) || !(call.in[i].impl().storage == self.impl().storage)) continue;
    if (same_place(call.in.meta(i), self.impl().meta)) continue;
    copies[i] = contiguous_copy(stream, call.in[i]);
    operands[i] = &copies[i];
  }
  self.impl().storage->bump_version();
  run_kernel(call, self.device(), stream, Inputs(operands.data(), operands.size()), half_operand);
}

}  // namespace

void run_kernel(const Call& call, Stream& stream) {
  bool half = false;
  for (size_t i = 0; i < call.in.size(); ++i) half |= call.in.has(i) && is_half(call.in[i].dtype());
  run_kernel(call, device_of(call), stream, call.in, half);
}

void RunRecorder::record(const Call& call, size_t) {
  MetaList metas(call.in.size());
  bool half = false, other = false, present = call.in.size() == 0;
  for (size_t i = 0; i < call.in.size(); ++i) {
    metas[i] = nullptr;
    if (!call.in.has(i)) continue;
    present = true;
    const TensorImpl& impl = call.in[i].impl();
    metas[i] = &impl.meta;
    half |= impl.meta.dtype >= DType::kFloat16;
    other |= impl.sparse;
  }
  OA_REQUIRE(present, call.op.name, ": expected a tensor, was an undefined one");
  if (half || other) [[unlikely]] {
    half = false;
    for (size_t i = 0; i < call.in.size(); ++i) {
      if (!call.in.has(i)) continue;
      if (is_other(call.op, call.in[i].impl())) return run_other_kind(call);
      half |= is_half(call.in[i].dtype());
    }
  }
  Inferred inferred(call.op.name);
  call.op.infer(Metas(metas.data(), metas.size()), call.attrs, inferred);
  OA_CHECK(inferred.size() == call.out.size(), call.op.name, ": infers ", inferred.size(),
           " results, ", call.out.size(), " were asked for");
  Stream& stream = context().stream;
  if (call.in_place) return run_in_place(call, stream, inferred, half);
  if (call.op.alias_of >= 0) {
    const Tensor& base = call.in[static_cast<size_t>(call.op.alias_of)];
    for (size_t i = 0; i < inferred.size(); ++i) {
      call.out[i] = alias_of(base, inferred[i]);
      TensorImpl& view = call.out[i].impl();
      view.view_base = base.impl().view_base ? base.impl().view_base : base.ref();
      view.seen = view.view_base->changes;
      view.inference = base.impl().inference;
    }
    return;
  }
  for (size_t i = 0; i < inferred.size(); ++i)
    call.out[i] = empty_on(stream, inferred[i].sizes, inferred[i].dtype);
  if (context().inference_mode) [[unlikely]]
    for (const Tensor& result : call.out) result.impl().inference = true;
  run_kernel(call, device_of(call), stream, call.in, half);
}

}  // namespace oneagent
