// What a Tensor handle points at: shape, strides and dtype over shared storage, and its place in
// the autograd graph.
#pragma once

#include "core/base/dtype.h"
#include "core/base/shape.h"
#include "core/tensor/device.h"
#include "core/tensor/layout.h"
#include "core/tensor/ref.h"
#include "core/tensor/storage.h"

namespace oneagent {

// The description of a tensor without its data; strides and offset count elements.
struct TensorMeta {
  Shape sizes;
  Shape strides;
  int64_t offset = 0;
  DType dtype = DType::kFloat32;
  Device device;
};

Shape contiguous_strides(const Shape& sizes);
Shape strides_of(MemoryFormat format, const Shape& sizes);  // Error where the rank does not fit
bool is_contiguous(const TensorMeta& meta);

// Counts writes apart from the storage's count, for tensors that share memory but no history.
class Versions final : public RefCounted {
 public:
  uint32_t now = 0;
};

// A node of the recorded graph, as the tensor layer sees it (core/graph/tape.h defines it).
class GradNode : public RefCounted {};

class TensorImpl final : public RefCounted {
 public:
  TensorImpl(TensorMeta meta_value, Ref<Storage> storage_value)
      : meta(std::move(meta_value)),
        numel(meta.sizes.numel()),
        contiguous(oneagent::is_contiguous(meta)),
        storage(std::move(storage_value)) {}

  char* data() const {
    return static_cast<char*>(storage->data()) +
           meta.offset * static_cast<int64_t>(size_of(meta.dtype));
  }

  uint32_t version() const { return versions ? versions->now : storage->version(); }
  void bump_version() const {
    if (versions) [[unlikely]]
      ++versions->now;
    else
      storage->bump_version();
  }

  TensorMeta meta;
  int64_t numel;
  bool contiguous;
  bool is_view = false;        // shares storage with the tensor that it was taken from
  bool requires_grad = false;  // of a leaf; a tensor with grad_fn requires a gradient too
  bool sparse = false;         // its memory is empty, `hooks` holds coordinates and values
  uint32_t output_index = 0;   // which output of grad_fn this is
  Ref<Storage> storage;
  Ref<Versions> versions;  // null: those of the storage
  Ref<GradNode> grad_fn;   // null for leaves
  Ref<TensorImpl> grad;    // accumulated gradient of a leaf

  // A view made by an op knows its base, so that a recorded in-place change of either reaches the
  // other (core/graph/view.h). `changes` counts those of a base; `seen` is how many of them the
  // view's grad_fn knows.
  Ref<TensorImpl> view_base;
  uint32_t changes = 0;
  uint32_t seen = 0;
  bool inference = false;  // made under InferenceMode
  // Of a view: the mode that it was made in, where nothing was recorded.
  enum class Mode : uint8_t { kRecording, kNoGrad, kInference };
  Mode made_in = Mode::kRecording;
  Ref<RefCounted> hooks;  // GradHooks (core/tensor/hooks.h), where there are any; of a sparse
                          // tensor, which has none, SparseParts (core/tensor/sparse_parts.h)
  Ref<RefCounted> parts;  // of a global tensor, whose memory is empty: this rank's part of it
                          // (core/dist/global.h)
};

}  // namespace oneagent
