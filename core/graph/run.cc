#include "core/graph/run.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "core/graph/other_kind.h"
#include "core/graph/out_scope.h"
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

Tensor empty_laid_out(Stream& stream, Metas in, const Shape& sizes, DType dtype) {
  Tensor memory = empty_on(stream, sizes, dtype);
  const TensorMeta& flat = memory.impl().meta;
  const Shape strides = layout_of(in, sizes);
  if (memory.numel() == 0 || strides == flat.strides) return memory;
  return Tensor(make_ref<TensorImpl>(TensorMeta{sizes, strides, 0, dtype, flat.device},
                                     memory.impl().storage));
}

bool fits(const Tensor& out, const Inferred& inferred, Device device) {
  return inferred.size() == 1 && out.device() == device && out.dtype() == inferred[0].dtype &&
         out.sizes() == inferred[0].sizes;
}

// Several elements at one place, as expand() makes them.
bool overlaps_itself(const TensorMeta& meta) {
  for (size_t i = 0; i < meta.sizes.size(); ++i)
    if (meta.strides[i] == 0 && meta.sizes[i] > 1) return true;
  return false;
}

bool may_overlap(const Op& op) {  // one value goes everywhere, or libtorch only warns
  for (const std::string_view name : {"fill", "masked_fill", "index_fill", "index_put"})
    if (std::string_view(op.name).substr(0, name.size()) == name) return true;
  return false;
}

// The kernel writes over in[0]; operands that overlap it in another layout are copied first.
void run_in_place(const Call& call, Stream& stream, const Inferred& inferred, bool half_operand) {
  const Tensor& self = call.in[0];
  OA_REQUIRE(call.op.in_place, call.op.name, ": cannot be done in place");
  OA_REQUIRE(
      !self.impl().inference || context().inference_mode,
      "Inplace update to inference tensor outside InferenceMode is not allowed. You can make "
      "a clone to get a normal tensor before doing inplace update.");
  OA_REQUIRE(inferred[0].sizes == self.sizes(), call.op.name, ": output with shape ", self.sizes(),
             " doesn't match the broadcast shape ", inferred[0].sizes);
  OA_REQUIRE(inferred[0].dtype == self.dtype(), call.op.name, ": result type ",
             toString(inferred[0].dtype), " can't be cast to the desired output type ",
             toString(self.dtype()));
  OA_REQUIRE(self.impl().contiguous || !overlaps_itself(self.impl().meta) || may_overlap(call.op),
             call.op.name,
             ": unsupported operation: more than one element of the written-to tensor refers to a "
             "single memory location. Please clone() the tensor before performing the operation.");
  absl::InlinedVector<Tensor, kMaxInputs> copies(call.in.size());
  absl::InlinedVector<const Tensor*, kMaxInputs> operands(call.in.size());
  for (size_t i = 0; i < call.in.size(); ++i) {
    operands[i] = &call.in[i];
    if (i == 0 || !call.in.has(i) || !(call.in[i].impl().storage == self.impl().storage)) continue;
    if (same_place(call.in.meta(i), self.impl().meta)) continue;
    copies[i] = contiguous_copy(stream, call.in[i]);
    operands[i] = &copies[i];
  }
  self.impl().bump_version();
  run_kernel(call, self.device(), stream, Inputs(operands.data(), operands.size()), half_operand);
}

}  // namespace

Shape layout_of(Metas in, const Shape& sizes) {
  const size_t rank = sizes.size();
  size_t order[Shape::kMaxRank];  // from the inside
  for (size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  const auto stride = [&](const TensorMeta& x, size_t d) {
    const size_t missing = rank - x.sizes.size();
    const bool broadcast = d < missing || (x.sizes[d - missing] == 1 && sizes[d] != 1);
    return broadcast ? 0 : x.strides[d - missing];
  };
  const auto lies_outside = [&](size_t a, size_t b) {  // 1: a lies outside of b, -1: inside
    for (const TensorMeta* x : in) {
      if (x == nullptr) continue;
      const int64_t of_a = stride(*x, a), of_b = stride(*x, b);
      if (of_a == 0 || of_b == 0) continue;
      if (of_a != of_b) return of_a > of_b ? 1 : -1;
      if (sizes[a] > sizes[b]) return 1;
    }
    return 0;
  };
  for (size_t i = 1; i < rank; ++i) {
    for (size_t at = i, k = i; k-- > 0;) {
      const int outside = lies_outside(order[k], order[at]);
      if (outside < 0) break;
      if (outside == 0) continue;
      std::swap(order[k], order[at]);
      at = k;
    }
  }
  Shape strides = sizes;
  int64_t step = 1;
  for (size_t i = 0; i < rank; ++i) {
    strides[order[i]] = step;
    step *= std::max<int64_t>(sizes[order[i]], 1);
  }
  return strides;
}

void run_kernel(const Call& call, Stream& stream) {
  bool half = false;
  for (size_t i = 0; i < call.in.size(); ++i) half |= call.in.has(i) && is_half(call.in[i].dtype());
  run_kernel(call, device_of(call), stream, call.in, half);
}

bool OutScope::may_write(const Tensor& out, std::initializer_list<const Tensor*> arguments) {
  if (!out.defined() || out.is_sparse() || out.impl().parts || !out.is_contiguous()) return false;
  const Context& now = context();
  if (out.impl().storage->symbolic() || out.is_inference() != now.inference_mode) return false;
  if (now.grad_mode && out.requires_grad()) return false;
  for (const Tensor* argument : arguments) {
    if (!argument->defined()) continue;
    const TensorImpl& impl = argument->impl();
    if (impl.sparse || impl.parts || impl.storage == out.impl().storage) return false;
    if (now.grad_mode && argument->requires_grad()) return false;
  }
  return true;
}

void RunRecorder::record(const Call& call, size_t) {
  MetaList metas(call.in.size());
  bool half = false, other = false, strided = false;
  for (size_t i = 0; i < call.in.size(); ++i) {
    metas[i] = nullptr;
    if (!call.in.has(i)) {
      require_absent(call.op, i);
      continue;
    }
    const TensorImpl& impl = call.in[i].impl();
    metas[i] = &impl.meta;
    half |= impl.meta.dtype >= DType::kFloat16;
    other |= impl.sparse;
    strided |= !impl.contiguous;
  }
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
      view.inference = base.impl().inference;
      if (view.inference) {  // has no history to share
        view.is_view = false;
        continue;
      }
      view.view_base = base.impl().view_base ? base.impl().view_base : base.ref();
      view.seen = view.view_base->changes;
      view.made_in = base.impl().made_in;
      if (view.made_in == TensorImpl::Mode::kRecording && !context().grad_mode)
        view.made_in =
            context().inference_mode ? TensorImpl::Mode::kInference : TensorImpl::Mode::kNoGrad;
    }
    return;
  }
  if (context().out != nullptr && fits(*context().out, inferred, device_of(call))) [[unlikely]] {
    call.out[0] = *context().out;
    context().out = nullptr;
    return run_kernel(call, device_of(call), stream, call.in, half);
  }
  if (strided && keeps_layout(call.op))
    call.out[0] = empty_laid_out(stream, Metas(metas.data(), metas.size()), inferred[0].sizes,
                                 inferred[0].dtype);
  else
    for (size_t i = 0; i < inferred.size(); ++i)
      call.out[i] = empty_on(stream, inferred[i].sizes, inferred[i].dtype);
  if (context().inference_mode) [[unlikely]]
    for (const Tensor& result : call.out) result.impl().inference = true;
  run_kernel(call, device_of(call), stream, call.in, half);
}

}  // namespace oneagent
